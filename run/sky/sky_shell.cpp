// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/sky_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "analysis/sky/light_path.hpp"
#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

Vec3d vector_of(const std::vector<double>& v) {
  return {v[0], v[1], v[2]};
}

/// Checks the header of a shell.
void require_possible(const StoredShell& stored, const std::string& path) {
  const SkyShell& s = stored.shell;
  constexpr double whole_sky = 4 * std::numbers::pi * (1 + 1e-9);
  const bool borders = s.near >= 0 && s.far > s.near && std::isfinite(s.far) && s.z_near > -1 && s.z_far >= s.z_near &&
                       std::isfinite(s.z_far);
  const bool matter = s.density > 0 && std::isfinite(s.density) && s.mass >= 0 && s.seen > 0 && s.seen <= whole_sky;
  if (!std::has_single_bit(stored.nside) || !borders || !matter)
    throw InputError(path + ": its header describes a shell that cannot be (Nside, borders, density or solid angle)");
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
  const auto whole = [&](const char* name, double most) {
    const double value = number(name);
    if (!(value >= 0 && value <= most && value == std::floor(value)))
      throw InputError(fmt::format("{}: its header has {} = {}", path, name, value));
    return static_cast<std::uint64_t>(value);
  };
  StoredShell stored;
  SkyShell& s = stored.shell;
  s.number = static_cast<std::uint32_t>(whole("Shell", 1e6));
  s.near = number("Near"), s.far = number("Far");
  s.z_near = number("RedshiftNear"), s.z_far = number("RedshiftFar");
  s.particles = whole("NumPart", 0x1p63);
  s.density = number("MeanDensity"), s.mass = number("ParticleMass"), s.seen = number("SolidAngle");
  s.cosmology.omega_m = number("Omega0"), s.cosmology.omega_lambda = number("OmegaLambda");
  s.cosmology.h = number("HubbleParam"), s.cosmology.w0 = number("w0"), s.cosmology.wa = number("wa");
  stored.nside = static_cast<std::uint32_t>(whole("Nside", 16384));
  require_possible(stored, path);
  stored.count = file.read_dataset<std::uint32_t>("Counts");
  if (file.has("Pixels")) stored.pixel = file.read_dataset<std::uint64_t>("Pixels");
  const std::uint64_t pixels = 12 * std::uint64_t{stored.nside} * stored.nside,
                      particles = std::accumulate(stored.count.begin(), stored.count.end(), std::uint64_t{0});
  const bool listed = !stored.pixel.empty();
  if (stored.count.size() != (listed ? stored.pixel.size() : pixels) ||
      std::ranges::any_of(stored.pixel, [&](std::uint64_t p) { return p >= pixels; })) {
    throw InputError(path + ": its counts do not fit its pixels");
  }
  if (particles != s.particles)
    throw InputError(fmt::format("{}: its header counts {} particles, its pixels {}", path, s.particles, particles));
  return stored;
}

}  // namespace multiwalk
