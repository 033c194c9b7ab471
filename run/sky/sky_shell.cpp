// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/sky_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/sky/light_path.hpp"
#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

Vec3d vector_of(const std::vector<double>& v) {
  return {v[0], v[1], v[2]};
}

}  // namespace

double SkyShell::expected(std::uint64_t pixels) const {
  const double sphere = 4 * std::numbers::pi / 3 * (std::pow(far, 3) - std::pow(near, 3));
  return density * sphere / static_cast<double>(pixels);
}

std::vector<double> shell_borders(const LightConeParameters& l, const Expansion& expansion) {
  const auto at = [&](double z) { return light_distance(expansion, 1 / (1 + z)); };
  const double near = at(l.z_near), far = at(l.z_far);
  std::vector<double> borders = l.shell_distances;
  for (const double z : l.shell_redshifts) borders.push_back(at(z));
  const bool equal = borders.empty();
  for (std::uint32_t i = 0; equal && i <= l.shell_count; ++i)
    borders.push_back(near + (far - near) * i / l.shell_count);
  constexpr double rounding = 1e-9;
  if (borders.front() < near * (1 - rounding) || borders.back() > far * (1 + rounding)) {
    throw InputError(fmt::format(
        "lightcone.shell_distances must lie between those of z_near and z_far, {:g} and {:g} Mpc/h", near, far));
  }
  borders.front() = std::max(borders.front(), near);
  borders.back() = std::min(borders.back(), far);
  return borders;
}

SkyView sky_view(const LightConeParameters& l, double period) {
  SkyView view;
  view.observer = l.observer.empty() ? Vec3d{period / 2, period / 2, period / 2} : vector_of(l.observer);
  view.frame = SkyFrame::of(vector_of(l.pole), vector_of(l.meridian));
  view.opening = l.opening;
  view.half_angle = l.half_angle * std::numbers::pi / 180;
  const Vec3d axis = view.frame.to_sky(vector_of(l.axis.empty() ? l.pole : l.axis));
  view.axis = (1 / norm(axis)) * axis;
  return view;
}

double solid_angle(const SkyView& view) {
  if (view.opening == SkyOpening::octant) return std::numbers::pi / 2;
  return view.opening == SkyOpening::full ? 4 * std::numbers::pi
                                          : 2 * std::numbers::pi * (1 - std::cos(view.half_angle));
}

std::string shell_stem(std::uint32_t number) {
  return fmt::format("lightcone_shell_{:03d}", number);
}

StoredShell read_shell(const std::string& path) {
  const hdf5::File file = hdf5::File::open(path);
  const auto header = file.group("Header");
  if (!header || !header->number("Nside")) throw InputError(path + ": is not a shell of a light cone");
  const auto number = [&](const char* name) {
    const auto value = header->number(name);
    if (!value) throw InputError(path + ": its header lacks " + name);
    return *value;
  };
  StoredShell stored;
  SkyShell& s = stored.shell;
  s.number = static_cast<std::uint32_t>(number("Shell"));
  s.near = number("Near"), s.far = number("Far");
  s.z_near = number("RedshiftNear"), s.z_far = number("RedshiftFar");
  s.particles = static_cast<std::uint64_t>(number("NumPart"));
  s.density = number("MeanDensity"), s.mass = number("ParticleMass"), s.seen = number("SolidAngle");
  s.cosmology.omega_m = number("Omega0"), s.cosmology.omega_lambda = number("OmegaLambda");
  s.cosmology.h = number("HubbleParam"), s.cosmology.w0 = number("w0"), s.cosmology.wa = number("wa");
  stored.nside = static_cast<std::uint32_t>(number("Nside"));
  stored.count.resize(file.dataset_shape("Counts").rows);
  file.read_dataset("Counts", stored.count.data());
  if (file.has("Pixels")) {
    stored.pixel.resize(file.dataset_shape("Pixels").rows);
    file.read_dataset("Pixels", stored.pixel.data());
  }
  const std::uint64_t pixels = 12 * std::uint64_t{stored.nside} * stored.nside;
  const bool listed = !stored.pixel.empty();
  if (stored.count.size() != (listed ? stored.pixel.size() : pixels) ||
      std::ranges::any_of(stored.pixel, [&](std::uint64_t p) { return p >= pixels; })) {
    throw InputError(path + ": its counts do not fit its pixels");
  }
  return stored;
}

}  // namespace multiwalk
