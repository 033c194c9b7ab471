#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <new>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "run/snapshot_header.hpp"
#include "run/snapshot_potential.hpp"

namespace multiwalk {

namespace {

/// Paths of the whole set, given any of them.
std::vector<std::string> files_of_set(const std::string& path, int files) {
  if (files == 1) return {path};
  const std::size_t last = path.rfind('.');
  const std::size_t number = last == std::string::npos || last == 0 ? std::string::npos : path.rfind('.', last - 1);
  const bool numbered =
      number != std::string::npos && number + 1 < last &&
      std::all_of(path.begin() + static_cast<std::ptrdiff_t>(number) + 1,
                  path.begin() + static_cast<std::ptrdiff_t>(last), [](unsigned char c) { return std::isdigit(c); });
  if (!numbered)
    throw InputError(
        fmt::format("{}: is one of {} files but its name has no number before the extension", path, files));
  std::vector<std::string> paths;
  for (int k = 0; k < files; ++k) paths.push_back(fmt::format("{}.{}{}", path.substr(0, number), k, path.substr(last)));
  return paths;
}

void expect_same_set(const SnapshotHeader& first, const SnapshotHeader& other, const std::string& path) {
  const SnapshotInfo &a = first.info, &b = other.info;
  if (a.layout != b.layout || a.particles != b.particles || a.files != b.files || a.system.time != b.system.time ||
      a.system.box_size != b.system.box_size || a.system.frame != b.system.frame ||
      a.cosmology.omega_m != b.cosmology.omega_m || first.particle_mass != other.particle_mass)
    throw InputError(path + ": does not belong to the same snapshot as the other files of its name");
}

/// A claim far beyond the file's length is refused before memory is asked for (compression gains at most 1000 or so).
void expect_plausible_size(const hdf5::File& file, const SnapshotHeader& header) {
  std::error_code status;
  const std::uintmax_t bytes = std::filesystem::file_size(file.name(), status);
  if (status || header.particles_here / 100 > bytes)
    throw InputError(fmt::format("{}: claims {} particles but is only {} bytes long", file.name(),
                                 header.particles_here, status ? 0 : bytes));
}

/// Particles [first, first + header.particles_here) of the store, in internal units.
void read_particles(const hdf5::File& file, const SnapshotHeader& header, std::size_t first, ParticleStore& p) {
  if (header.particles_here == 0) return;
  const std::size_t end = first + header.particles_here;
  const auto group = *file.group("PartType1");
  group.read_dataset("Coordinates", &p.position[first].x);
  group.read_dataset("Velocities", &p.velocity[first].x);
  group.read_dataset("ParticleIDs", &p.id[first]);
  if (header.particle_mass == 0)
    group.read_dataset("Masses", &p.mass[first]);
  else
    std::fill_n(&p.mass[first], header.particles_here, static_cast<float>(header.particle_mass));
  if (header.has_potential) group.read_dataset("Potential", &p.potential[first]);
  const double mass = header.particle_mass == 0 ? header.mass : 1;
  for (std::size_t i = first; i < end; ++i) {
    p.position[i] = header.length * p.position[i] - header.origin;
    p.velocity[i] = Vec3f(header.velocity * Vec3d(p.velocity[i]));
    p.mass[i] = static_cast<float>(mass * static_cast<double>(p.mass[i]));
    if (header.has_potential)
      p.potential[i] -=
          static_cast<float>(background_potential(header.info.system, header.info.cosmology, p.position[i]));
  }
}

bool finite(Vec3d v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

void check_values(const ParticleStore& p, const std::string& path) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const char* wrong = !finite(p.position[i])                       ? "Coordinates hold NaN or infinity"
                        : !finite(Vec3d(p.velocity[i]))              ? "Velocities hold NaN or infinity"
                        : !std::isfinite(p.mass[i]) || p.mass[i] < 0 ? "Masses hold NaN, infinity or a negative mass"
                        : !std::isfinite(p.potential[i])             ? "Potential holds NaN or infinity"
                                                                     : nullptr;
    if (wrong) throw InputError(fmt::format("{}: {} (particle {} with id {})", path, wrong, i, p.id[i]));
  }
}

void check_ids(std::vector<std::uint64_t> id, const std::string& path) {
  std::ranges::sort(id);
  const auto repeat = std::ranges::adjacent_find(id);
  if (repeat != id.end())
    throw InputError(fmt::format("{}: ParticleIDs are not unique: {} occurs twice", path, *repeat));
}

/// Codes may leave particles that crossed a face unwrapped, or rounded onto the upper face.
void wrap(ParticleStore& p, double side) {
  for (Vec3d& x : p.position)
    for (int axis = 0; axis < 3; ++axis) {
      x[axis] -= side * std::floor(x[axis] / side);
      if (x[axis] >= side) x[axis] = 0;
    }
}

/// (m / mean density)^(1/3) for equal masses.
double mean_spacing(const SnapshotInfo& info, double particle_mass) {
  return std::cbrt(particle_mass / (info.cosmology.omega_m * units::critical_density));
}

SnapshotHeader checked_header(const hdf5::File& file) {
  SnapshotHeader header = read_snapshot_header(file);
  expect_plausible_size(file, header);
  SnapshotInfo& info = header.info;
  if (info.system.frame == Frame::comoving && info.system.spacing == 0 && header.particle_mass > 0)
    info.system.spacing = mean_spacing(info, header.particle_mass);
  return header;
}

SnapshotInfo read_set(const std::string& path) {
  const SnapshotHeader first = checked_header(hdf5::File::open(path));
  SnapshotInfo info = first.info;
  ParticleStore& p = info.system.particles;
  std::size_t count = 0;
  for (const std::string& name : files_of_set(path, info.files)) {
    const hdf5::File file = hdf5::File::open(name);
    const SnapshotHeader header = checked_header(file);
    expect_same_set(first, header, name);
    p.resize(count + header.particles_here);
    read_particles(file, header, count, p);
    count += header.particles_here;
  }
  if (count != info.particles)
    throw InputError(
        fmt::format("{}: its files hold {} particles, NumPart_Total says {}", path, count, info.particles));
  return info;
}

}  // namespace

SnapshotInfo read_snapshot_info(const std::string& path) {
  return checked_header(hdf5::File::open(path)).info;
}

SnapshotInfo read_snapshot(const std::string& path) {
  try {
    SnapshotInfo info = read_set(path);
    ParticleSystem& system = info.system;
    check_values(system.particles, path);
    check_ids(system.particles.id, path);
    if (system.boundary == Boundary::periodic) wrap(system.particles, system.box_size);
    const auto& mass = system.particles.mass;
    if (system.frame == Frame::comoving && system.spacing == 0 &&
        std::ranges::all_of(mass, [&](float m) { return m == mass.front(); }))
      system.spacing = mean_spacing(info, mass.front());
    return info;
  } catch (const std::bad_alloc&) {
    throw InputError(path + ": does not fit into this machine's memory");
  }
}

}  // namespace multiwalk
