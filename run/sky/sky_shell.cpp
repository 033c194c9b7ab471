// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/sky_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <numbers>

#include "analysis/sky/light_path.hpp"
#include "analysis/sky/sky_pixels.hpp"
#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/sky/fits_table.hpp"

namespace multiwalk {

namespace {

Vec3d vector_of(const std::vector<double>& v) {
  return {v[0], v[1], v[2]};
}

/// Rows of a map: some blocks after others, so that only these are in memory twice.
class MapRows {
 public:
  static constexpr std::uint64_t at_once = 16;  ///< blocks

  MapRows(const SkyMaps& maps, const SkyView& view) : maps_(maps), sky_(maps.counts.nside()), view_(view) {
    if (!partial()) rows_ = maps.counts.pixels();
    for (std::uint64_t b = 0; partial() && b < maps.counts.blocks(); b += at_once) rows_ += load(b);
  }

  struct Piece {
    std::uint64_t first;                  ///< row
    std::span<const std::int64_t> pixel;  ///< empty if all pixels are listed
    std::span<const std::uint32_t> count;
    std::span<const double> velocity;  ///< km/s; empty without velocities
  };

  [[nodiscard]] bool partial() const { return view_.opening != SkyOpening::full; }
  [[nodiscard]] bool velocities() const { return maps_.velocities.has_value(); }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  /// Calls act(piece) for all of them.
  template <class Act>
  void for_each_piece(Act act) {
    std::uint64_t at = 0;
    for (std::uint64_t b = 0; b < maps_.counts.blocks(); b += at_once) {
      if (load(b) == 0) continue;
      act(Piece{at, pixel_, count_, velocity_});
      at += count_.size();
    }
  }

 private:
  /// The block b and those after it. Returns the number of their rows.
  std::size_t load(std::uint64_t b) {
    constexpr std::uint64_t most = at_once * SkyCounts::block_pixels;
    const std::uint64_t first = b * SkyCounts::block_pixels;
    count_.assign(std::min(most, maps_.counts.pixels() - first), 0);
    for_each_block(b, [&](std::uint64_t block, std::ptrdiff_t at) {
      std::ranges::copy(maps_.counts.block(block), count_.begin() + at);
    });
    if (maps_.velocities) load_velocities(b);
    if (partial()) keep_visible(first);
    return count_.size();
  }

  /// Calls act(block, its place among the rows).
  template <class Act>
  void for_each_block(std::uint64_t b, Act act) {
    const std::uint64_t end = std::min(b + at_once, maps_.counts.blocks());
    for (std::uint64_t block = b; block < end; ++block) {
      act(block, static_cast<std::ptrdiff_t>((block - b) * SkyCounts::block_pixels));
    }
  }

  void load_velocities(std::uint64_t b) {
    velocity_.assign(count_.size(), unseen_sky);
    for_each_block(b, [&](std::uint64_t block, std::ptrdiff_t at) {
      const auto sums = maps_.velocities->block(block);
      for (std::size_t k = 0; k < sums.size(); ++k) {
        const std::size_t row = static_cast<std::size_t>(at) + k;
        if (count_[row] > 0) velocity_[row] = static_cast<double>(sums[k]) * sky_velocity_unit / count_[row];
      }
    });
  }

  /// Keeps the pixels in view and those that have particles.
  void keep_visible(std::uint64_t first) {
    pixel_.clear();
    for (std::size_t k = 0; k < count_.size(); ++k) {
      if (count_[k] == 0 && !view_.contains(sky_.centre(first + k))) continue;
      const std::size_t at = pixel_.size();
      count_[at] = count_[k];
      if (maps_.velocities) velocity_[at] = velocity_[k];
      pixel_.push_back(static_cast<std::int64_t>(first + k));
    }
    count_.resize(pixel_.size());
    if (maps_.velocities) velocity_.resize(pixel_.size());
  }

  const SkyMaps& maps_;
  SkyPixels sky_;
  const SkyView& view_;
  std::uint64_t rows_ = 0;
  std::vector<std::int64_t> pixel_;
  std::vector<std::uint32_t> count_;
  std::vector<double> velocity_;
};

/// The figures of a shell, in the order of both headers.
std::vector<std::pair<const char*, double>> shell_figures(const SkyShell& s) {
  return {{"Near", s.near},
          {"Far", s.far},
          {"RedshiftNear", s.z_near},
          {"RedshiftFar", s.z_far},
          {"MeanDensity", s.density},
          {"ParticleMass", s.mass},
          {"SolidAngle", s.seen},
          {"Omega0", s.cosmology.omega_m},
          {"OmegaLambda", s.cosmology.omega_lambda},
          {"HubbleParam", s.cosmology.h},
          {"w0", s.cosmology.w0},
          {"wa", s.cosmology.wa}};
}

std::vector<FitsKey> fits_keys(const SkyShell& s, const SkyCounts& counts, bool partial) {
  const auto last = static_cast<std::int64_t>(counts.pixels()) - 1;
  std::vector<FitsKey> keys{
      {"PIXTYPE", "HEALPIX", "HEALPix pixelisation"},
      {"ORDERING", "NESTED", "numbers of the pixels"},
      {"NSIDE", std::int64_t{counts.nside()}, "resolution"},
      {"FIRSTPIX", std::int64_t{0}, "first pixel of the sphere"},
      {"LASTPIX", last, "last pixel of the sphere"},
      {"INDXSCHM", partial ? "EXPLICIT" : "IMPLICIT", "whether pixels are listed"},
      {"OBJECT", partial ? "PARTIAL" : "FULLSKY", "part of the sphere"},
      {"SHELL", std::int64_t{s.number}, "number of the shell"},
      {"NPART", static_cast<std::int64_t>(s.particles), "particles in the shell"},
      {"EXPECTED", s.expected(counts.pixels()), "particles in a pixel of a homogeneous universe"}};
  constexpr const char* names[]{"CHINEAR",  "CHIFAR",  "ZNEAR",   "ZFAR",   "DENSITY", "PARTMASS",
                                "OMEGASKY", "OMEGA_M", "OMEGA_L", "HUBBLE", "W0",      "WA"};
  constexpr const char* comments[]{"Mpc/h, comoving",
                                   "Mpc/h, comoving",
                                   "redshift",
                                   "redshift",
                                   "particles/(Mpc/h)^3",
                                   "1e10 Msun/h",
                                   "steradian",
                                   "",
                                   "",
                                   "100 km/s/Mpc",
                                   "",
                                   ""};
  const auto values = shell_figures(s);
  for (std::size_t i = 0; i < values.size(); ++i) keys.push_back({names[i], values[i].second, comments[i]});
  return keys;
}

void write_fits(const std::string& path, const SkyShell& shell, const SkyCounts& counts, MapRows& rows) {
  const bool partial = rows.partial();
  std::vector<FitsColumn> columns;
  if (partial) columns.push_back({"PIXEL", "K"});
  columns.push_back({"COUNT", "J"});
  if (rows.velocities()) columns.push_back({"VRADIAL", "D"});
  std::vector<FitsKey> keys = fits_keys(shell, counts, partial);
  if (rows.velocities()) keys.push_back({"BAD_DATA", unseen_sky, "VRADIAL (km/s) of pixels without particles"});
  FitsTable table(path, "SHELL", columns, keys);
  rows.for_each_piece([&](const MapRows::Piece& piece) {
    int column = 0;
    if (partial) table.write(column++, piece.first, piece.pixel);
    table.write(column++, piece.first, piece.count);
    if (rows.velocities()) table.write(column, piece.first, piece.velocity);
  });
  table.close();
}

/// A dataset of an HDF5 file with one value per row of the map.
template <class T>
class MapColumn {
 public:
  MapColumn(const hdf5::File& file, const char* name, const MapRows& rows, bool wanted)
      : source_{name, hdf5::native_type<T>(), 1, sizeof(T), {}} {
    if (wanted) set_.emplace(file.create_dataset(source_, rows.rows(), hdf5::Storage::checked));
  }
  void write(std::uint64_t first, std::span<const T> values) const {
    if (set_) set_->write_made_rows(source_, values.data(), values.size(), first);
  }
  void finish() const {
    if (set_) set_->finish_rows();
  }

 private:
  hdf5::RowSource source_;
  std::optional<hdf5::Object> set_;
};

void write_hdf5(const std::string& path, const SkyShell& shell, const SkyCounts& counts, MapRows& rows) {
  hdf5::File file = hdf5::File::create(path);
  const hdf5::Object header = file.create_group("Header");
  header.write("Nside", counts.nside());
  header.write_text("Ordering", "NESTED");
  header.write("Shell", shell.number);
  header.write("NumPart", shell.particles);
  for (const auto& [name, value] : shell_figures(shell)) header.write(name, value);
  const MapColumn<std::int64_t> pixels(file, "Pixels", rows, rows.partial());
  const MapColumn<std::uint32_t> numbers(file, "Counts", rows, true);
  const MapColumn<double> velocities(file, "RadialVelocities", rows, rows.velocities());
  rows.for_each_piece([&](const MapRows::Piece& piece) {
    pixels.write(piece.first, piece.pixel);
    numbers.write(piece.first, piece.count);
    velocities.write(piece.first, piece.velocity);
  });
  pixels.finish();
  numbers.finish();
  velocities.finish();
  file.close();
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

void write_shell(const std::string& stem, const SkyShell& shell, const SkyMaps& maps, const SkyView& view) {
  MapRows rows(maps, view);
  PartialFile fits(stem + ".fits"), h5(stem + ".hdf5");
  std::remove(fits.partial_path().c_str());  // left by a run that was killed
  std::future<void> other = std::async(std::launch::async, [&, fits_rows = rows]() mutable {
    write_fits(fits.partial_path(), shell, maps.counts, fits_rows);
  });
  write_hdf5(h5.partial_path(), shell, maps.counts, rows);
  other.get();
  fits.commit();
  h5.commit();
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
