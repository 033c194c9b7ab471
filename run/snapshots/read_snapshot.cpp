// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/hash.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/background_potential.hpp"
#include "run/files/command_files.hpp"
#include "run/files/printable.hpp"
#include "run/formats/box_filling.hpp"
#include "run/formats/file_set.hpp"
#include "run/machine/memory_room.hpp"
#include "run/snapshots/snapshot_header.hpp"

namespace multiwalk {

namespace {

/// Rows of a file or species, and the place of the first of them in the store.
struct Rows {
  std::uint64_t from, count, first;
  [[nodiscard]] std::uint64_t end() const { return from + count; }
};

/// A claim far beyond the file's length is refused before memory is asked for (compression gains at most 1000 or so).
void expect_plausible_size(const SnapshotFile& file, const SnapshotHeader& header) {
  std::error_code status;
  const std::uintmax_t bytes = std::filesystem::file_size(file.name(), status);
  if (status || header.particles_here() / 100 > bytes)
    throw InputError(fmt::format("{}: claims {} particles but is only {} bytes long", file.name(),
                                 header.particles_here(), status ? 0 : bytes));
}

/// The numbers of these vectors.
template <class T>
std::span<T> numbers_in(std::span<Vec3<T>> vectors) {
  static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
  return {vectors.empty() ? nullptr : &vectors.front().x, 3 * vectors.size()};
}

/// The rows [from, from + count) of a species become the store's particles from `first` on, in internal units.
void read_species(const SnapshotFile& file, const SnapshotHeader& header, const Species& species, const Rows& rows,
                  ParticleStore& p) {
  const auto [from, count, first] = rows;
  const std::size_t end = first + count;
  const auto rows_of = [at = first, length = count](auto& values) { return std::span(values).subspan(at, length); };
  file.read(Column::positions, species.type, from, numbers_in(rows_of(p.position)));
  file.read(Column::velocities, species.type, from, numbers_in(rows_of(p.velocity)));
  file.read(Column::ids, species.type, from, rows_of(p.id));
  if (species.mass == 0) {
    file.read(Column::masses, species.type, from, rows_of(p.mass));
  } else {
    file.expect_mass(species, from, count);
    std::fill_n(&p.mass[first], count, static_cast<float>(species.mass * header.mass));
  }
  if (header.has_potential) file.hdf5()->group("PartType1")->read_rows("Potential", from, 1, rows_of(p.potential));
  const double mass = species.mass == 0 ? header.mass : 1;
  for (std::size_t i = first; i < end; ++i) {
    p.position[i] = header.length * p.position[i] - header.origin;
    p.velocity[i] = Vec3f(header.velocity * Vec3d(p.velocity[i]));
    p.mass[i] = static_cast<float>(mass * static_cast<double>(p.mass[i]));
    if (header.has_potential)
      p.potential[i] -=
          static_cast<float>(background_potential(header.info.system, header.info.cosmology, p.position[i]));
  }
}

/// Reads the file's rows, in which one species follows another.
void read_particles(const SnapshotFile& file, const SnapshotHeader& header, const Rows& rows, ParticleStore& p) {
  std::uint64_t before = 0;  // particles of earlier species
  for (const Species& species : header.species) {
    const std::uint64_t begin = std::max(rows.from, before), end = std::min(rows.end(), before + species.here);
    if (begin < end)
      read_species(file, header, species, {begin - before, end - begin, rows.first + begin - rows.from}, p);
    before += species.here;
  }
}

/// `before`: particles of lower ranks.
void check_values(const ParticleStore& p, const std::string& path, std::uint64_t before) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const char* wrong = !is_finite(p.position[i])                    ? "Coordinates hold NaN or infinity"
                        : !is_finite(p.velocity[i])                  ? "Velocities hold NaN or infinity"
                        : !std::isfinite(p.mass[i]) || p.mass[i] < 0 ? "Masses hold NaN, infinity or a negative mass"
                        : !std::isfinite(p.potential[i])             ? "Potential holds NaN or infinity"
                                                                     : nullptr;
    if (wrong) throw InputError(fmt::format("{}: {} (particle {} with id {})", path, wrong, before + i, p.id[i]));
  }
}

/// Equal ids are compared on the rank that their hash selects.
void check_ids(std::span<const std::uint64_t> id, const std::string& path, const Communicator& comm,
               RepeatedIds repeated) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const auto home = [ranks](std::uint64_t i) { return mix_bits(i) % ranks; };
  std::vector<std::uint64_t> counts(ranks, 0);
  for (const std::uint64_t i : id) ++counts[home(i)];
  std::vector<std::uint64_t> place(ranks, 0), dealt(id.size());
  std::exclusive_scan(counts.begin(), counts.end(), place.begin(), std::uint64_t{0});
  for (const std::uint64_t i : id) dealt[place[home(i)]++] = i;
  std::vector<std::uint64_t> met = comm.exchange(std::span<const std::uint64_t>(dealt), counts).data;
  const std::string found = collectively(comm, [&]() -> std::string {
    std::ranges::sort(met);
    const auto repeat = std::ranges::adjacent_find(met);
    if (repeat == met.end()) return "";
    std::string text = fmt::format("{}: ParticleIDs are not unique: {} occurs twice", path, *repeat);
    if (repeated == RepeatedIds::refused) throw InputError(text);
    return text;
  });
  const int first = comm.min(found.empty() ? comm.size() : comm.rank());
  if (first == comm.rank()) warn_on_stderr(found + ", which does not matter here");
}

/// Looks at the coordinates of a periodic box before they are wrapped. Collective.
std::string judge_places(const SnapshotInfo& info, const std::string& path, const Communicator& comm) {
  if (info.system.boundary != Boundary::periodic) return "";
  BoxFilling filling(info.system.box_size);
  for (const Vec3d& x : info.system.particles.position) filling.add(x);
  return filling.judge(path, has_mass_of_box(info), comm);
}

/// (m / mean density)^(1/3) for equal masses.
double mean_spacing(const SnapshotInfo& info, double particle_mass) {
  return std::cbrt(particle_mass / (info.cosmology.omega_m * units::critical_density));
}

/// `mass`: total of all particles of the set.
void record_mass(SnapshotInfo& info, double mass) {
  const double volume = filled_volume(info.system);
  if (volume > 0) info.excess_mass = mass / (info.cosmology.omega_m * units::critical_density * volume) - 1;
  info.mass_scatter = cut_scatter(info.system, info.particles);
}

SnapshotHeader checked_header(const SnapshotFile& file, const Unsaid& unsaid) {
  SnapshotHeader header = read_snapshot_header(file, unsaid);
  expect_plausible_size(file, header);
  SnapshotInfo& info = header.info;
  ParticleSystem& system = info.system;
  if (const double mass = header.total_mass(); mass > 0) record_mass(info, mass);
  if (system.frame != Frame::comoving || system.spacing > 0) return header;
  if (system.boundary == Boundary::periodic) {
    system.spacing = system.box_size / std::cbrt(static_cast<double>(info.particles));
  } else if (const double mass = header.common_mass(); mass > 0) {
    system.spacing = mean_spacing(info, mass);
  }
  return header;
}

/// (files) particles in each file of the set, whose headers are checked by the ranks in turn.
std::vector<std::uint64_t> count_rows(const std::string& path, const SnapshotHeader& first,
                                      const std::vector<std::string>& files, const Unsaid& unsaid,
                                      const Communicator& comm) {
  std::vector<std::uint64_t> rows(files.size(), 0);
  collectively(comm, [&] {
    for (auto k = static_cast<std::size_t>(comm.rank()); k < files.size(); k += static_cast<std::size_t>(comm.size())) {
      const SnapshotHeader header = checked_header(SnapshotFile::open(files[k]), unsaid);
      expect_same_set(first, header, files[k]);
      rows[k] = header.particles_here();
    }
  });
  comm.sum(std::span(rows));
  const std::uint64_t count = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
  if (count != first.info.particles)
    throw SharedError(
        fmt::format("{}: its files hold {} particles, NumPart_Total says {}", path, count, first.info.particles));
  return rows;
}

/// The set's rows [begin, end), from those files only that hold them.
ParticleStore read_range(const std::vector<std::string>& files, const std::vector<std::uint64_t>& rows,
                         const Rows& wanted, const Unsaid& unsaid) {
  try {
    ParticleStore p;
    p.resize(wanted.count);
    std::uint64_t before = 0;  // particles in earlier files
    for (std::size_t k = 0; k < files.size(); before += rows[k], ++k) {
      const std::uint64_t from = std::max(wanted.from, before), to = std::min(wanted.end(), before + rows[k]);
      if (from >= to) continue;
      const SnapshotFile file = SnapshotFile::open(files[k]);
      read_particles(file, read_snapshot_header(file, unsaid), {from - before, to - from, from - wanted.from}, p);
    }
    return p;
  } catch (const std::bad_alloc&) {
    throw InputError(files.front() + ": does not fit into this machine's memory");
  }
}

double mass_of_all(const ParticleStore& p, const Communicator& comm) {
  double mass = 0;
  for (const float m : p.mass) mass += static_cast<double>(m);
  return comm.sum(mass);
}

/// The mass of all particles if it is the same.
std::optional<float> common_mass(const ParticleStore& p, const Communicator& comm) {
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (const float m : p.mass) {
    least = std::min(least, m);
    most = std::max(most, m);
  }
  least = comm.min(least);
  return least == comm.max(most) ? std::optional(least) : std::nullopt;
}

}  // namespace

SnapshotInfo read_snapshot_info(const std::string& path, const Unsaid& unsaid) {
  return checked_header(SnapshotFile::open(first_of_set(path)), unsaid).info;
}

SnapshotInfo read_snapshot(const std::string& named, const Communicator& comm, const Unsaid& unsaid,
                           RepeatedIds repeated) {
  const std::string path = first_of_set(named);
  const SnapshotHeader first = collectively(comm, [&] { return checked_header(SnapshotFile::open(path), unsaid); });
  SnapshotInfo info = first.info;
  const auto files = collectively(comm, [&] {
    std::vector<std::string> set = files_of_set(path, info.files);
    std::ranges::for_each(set, note_input);  // each rank reads some of them
    return set;
  });
  const std::vector<std::uint64_t> rows = count_rows(path, first, files, unsaid, comm);
  const auto rank = static_cast<std::uint64_t>(comm.rank()), ranks = static_cast<std::uint64_t>(comm.size());
  const auto begin_of = [&](std::uint64_t r) {
    return info.particles / ranks * r + std::min(r, info.particles % ranks);
  };
  ParticleSystem& system = info.system;
  constexpr double row = sizeof(Vec3d) + sizeof(Vec3f) + sizeof(float) + sizeof(std::uint64_t);
  require_memory(row * static_cast<double>(info.particles) / comm.size(),
                 fmt::format("{}: reading its {} particles", path, info.particles), comm);
  system.particles = collectively(comm, [&] {
    const std::uint64_t begin = begin_of(rank), end = begin_of(rank + 1);
    ParticleStore read = read_range(files, rows, {begin, end - begin, 0}, unsaid);
    check_values(read, path, begin);
    return read;
  });
  check_ids(system.particles.id, path, comm, repeated);
  if (const auto mass = common_mass(system.particles, comm);
      mass && system.frame == Frame::comoving && system.spacing == 0)
    system.spacing = mean_spacing(info, *mass);
  record_mass(info, mass_of_all(system.particles, comm));
  info.doubt = judge_places(info, path, comm);
  // Codes may leave particles that crossed a face unwrapped, or rounded onto the upper face.
  if (system.boundary == Boundary::periodic) wrap(system.particles, system.box_size);
  return info;
}

SnapshotInfo look_at_snapshot(const std::string& path, const Communicator& comm, const Unsaid& unsaid,
                              RepeatedIds repeated) {
  SnapshotInfo info = read_snapshot(path, comm, unsaid, repeated);
  warn_of_contents(info, path, comm);
  return info;
}

bool has_mass_of_box(const SnapshotInfo& info) {
  return std::fabs(info.excess_mass) < 0.1;
}

std::string judge_contents(const SnapshotInfo& info, const std::string& path, bool allowed) {
  constexpr double noticed = 1e-3, refused = 1e-2;
  const double beyond = std::fabs(info.excess_mass) - info.mass_scatter;
  if (beyond < noticed) return info.doubt;
  const std::string what = fmt::format(
      "{}: its particles have {:.4g} times the mass that omega_m = {:.6g} gives the {}, so gravity is that much too "
      "{}",
      path, 1 + info.excess_mass, info.cosmology.omega_m, info.system.boundary == Boundary::periodic ? "box" : "sphere",
      info.excess_mass > 0 ? "strong" : "weak");
  if (beyond < refused || allowed) return info.doubt.empty() ? what : what + "; " + info.doubt;
  throw SharedError(what + ": correct MassTable, Masses or Omega0, or set model.allow_mass_mismatch = true");
}

void warn_of_contents(const SnapshotInfo& info, const std::string& path, const Communicator& comm) {
  const std::string warning = judge_contents(info, path, true);
  if (comm.root()) warn_on_stderr(warning);
}

}  // namespace multiwalk
