// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/cone_halos.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "analysis/halos/group_members.hpp"
#include "analysis/sky/light_path.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/files/plain_file.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/sky/cone_rows.hpp"

namespace multiwalk {

namespace {

/// This rank's rows, in blocks of which the distances are known.
class RowBlocks {
 public:
  static constexpr std::size_t bins = 4096;

  /// `number`: of the first row among those of all ranks.
  RowBlocks(std::span<const ConePart> parts, std::uint64_t number, const ConeHaloOptions& options)
      : parts_(parts), options_(options), histogram_(bins) {
    constexpr std::uint64_t rows_of_block = 65536;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::uint64_t first = 0; first < parts[p].rows; first += rows_of_block) {
        blocks_.push_back({p, first, std::min(rows_of_block, parts[p].rows - first), number + first});
        for (const ConeRow& row : read(blocks_.back())) note(norm(row.position));
      }
      number += parts[p].rows;
    }
  }

  /// (bins) Numbers of particles in equal steps of distance between near and far.
  [[nodiscard]] const std::vector<std::uint64_t>& histogram() const { return histogram_; }
  /// Calls act(row, number) for the particles with low <= distance < high.
  template <class Act>
  void for_each_between(double low, double high, Act act) const {
    for (const Block& block : blocks_) {
      if (block.farthest < low || block.nearest >= high) continue;
      std::uint64_t number = block.number;
      for (const ConeRow& row : read(block)) {
        const double distance = norm(row.position);
        if (distance >= low && distance < high) act(row, number);
        ++number;
      }
    }
  }

 private:
  struct Block {
    std::size_t part;
    std::uint64_t first, rows, number;
    double nearest = std::numeric_limits<double>::infinity(), farthest = 0;
  };

  void note(double distance) {
    Block& block = blocks_.back();
    block.nearest = std::min(block.nearest, distance);
    block.farthest = std::max(block.farthest, distance);
    const double part = (distance - options_.near) / (options_.far - options_.near);
    ++histogram_[static_cast<std::size_t>(std::clamp(part * bins, 0.0, bins - 1.0))];
  }
  [[nodiscard]] std::vector<ConeRow> read(const Block& block) const {
    std::vector<ConeRow> rows(block.rows);
    PlainFile(parts_[block.part].path).read(block.first * sizeof(ConeRow), rows.data(), block.rows * sizeof(ConeRow));
    return rows;
  }

  std::span<const ConePart> parts_;
  const ConeHaloOptions& options_;
  std::vector<std::uint64_t> histogram_;
  std::vector<Block> blocks_;
};

/// Rising borders of slices with at most `at_once` particles each, but at least as thick as the margin.
std::vector<double> slice_borders(const std::vector<std::uint64_t>& histogram, const ConeHaloOptions& options) {
  const double step = (options.far - options.near) / static_cast<double>(histogram.size());
  std::vector<double> borders{options.near};
  std::uint64_t within = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const double here = options.near + static_cast<double>(i) * step;
    if (within + histogram[i] > options.at_once && here - borders.back() >= options.margin) {
      borders.push_back(here);
      within = 0;
    }
    within += histogram[i];
  }
  borders.push_back(options.far);
  return borders;
}

/// A slice of the cone with what lies within a margin of it.
class Slice {
 public:
  Slice(double low, double high, const ConeHaloOptions& options, const Communicator& comm)
      : low_(low), high_(high), options_(options), comm_(comm) {}

  /// This rank's share of the halos with centres in the slice.
  [[nodiscard]] std::vector<Halo> find(const RowBlocks& rows) const {
    for (double margin = options_.margin;; margin *= 2) {
      bool cut = false;
      std::vector<Halo> halos = find_within(rows, margin, cut);
      const bool all = low_ - margin < options_.near && high_ + margin > options_.far;
      if (all || !comm_.any(cut)) return halos;
    }
  }

 private:
  [[nodiscard]] std::vector<Halo> find_within(const RowBlocks& rows, double margin, bool& cut) const {
    const double from = low_ - margin, to = high_ + margin;
    ParticleSystem system = collectively(comm_, [&] { return particles_between(rows, from, to); });
    if (comm_.sum(static_cast<std::uint64_t>(system.particles.size())) == 0) return {};
    Domains domains(comm_, {});
    if (!comm_.alone()) domains.distribute(system.particles);
    const FriendGroups groups =
        friends_of_friends(system.particles.position, system.particles.id, domains.map().value_or(DomainMap()),
                           {options_.linking_length, 0}, comm_);
    const GroupMembers members = select_groups(groups, options_.min_particles, comm_);
    std::vector<Halo> halos;
    for (const PieceOfHalo& piece : describe_groups(members, system, {}, comm_)) {
      const double distance = norm(piece.halo.centre), reach = piece.halo.extent + options_.linking_length;
      if (!piece.here || distance < low_ || distance >= high_) continue;
      halos.push_back(piece.halo);
      cut = cut || (distance - reach < from && from > options_.near) || (distance + reach > to && to < options_.far);
    }
    return halos;
  }

  /// With peculiar velocities, as at a = 1, and numbers in place of ids, which copies of the box share.
  [[nodiscard]] static ParticleSystem particles_between(const RowBlocks& rows, double from, double to) {
    ParticleSystem system;
    std::size_t count = 0;
    rows.for_each_between(from, to, [&](const ConeRow&, std::uint64_t) { ++count; });
    system.particles.resize(count);
    std::size_t i = 0;
    rows.for_each_between(from, to, [&](const ConeRow& row, std::uint64_t number) {
      system.particles.position[i] = row.position;
      system.particles.velocity[i] = static_cast<float>(std::sqrt(row.a)) * row.velocity;
      system.particles.mass[i] = row.mass;
      system.particles.id[i] = number;
      ++i;
    });
    return system;
  }

  double low_, high_;
  const ConeHaloOptions& options_;
  const Communicator& comm_;
};

template <class T, class At>
void put_halo_column(const hdf5::Object& group, std::span<const Halo> halos, const char* name, std::uint64_t columns,
                     At at) {
  group.write_dataset(hdf5::RowSource::of_rows<T>(name, columns, halos, at), 0, halos.size());
}

}  // namespace

std::vector<Halo> find_cone_halos(std::span<const ConePart> own, const ConeHaloOptions& options,
                                  const Communicator& comm) {
  std::uint64_t rows = 0;
  for (const ConePart& part : own) rows += part.rows;
  const std::uint64_t before = comm.sum_before(rows);
  const RowBlocks blocks = collectively(comm, [&] { return RowBlocks(own, before, options); });
  std::vector<std::uint64_t> histogram = blocks.histogram();
  comm.sum(std::span(histogram));
  const std::vector<double> borders = slice_borders(histogram, options);
  std::vector<Halo> halos;
  for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
    const std::vector<Halo> more = Slice(borders[s], borders[s + 1], options, comm).find(blocks);
    halos.insert(halos.end(), more.begin(), more.end());
  }
  halos = comm.gather(std::span<const Halo>(halos), 0);
  std::ranges::sort(halos, std::ranges::less{}, [](const Halo& h) { return norm(h.centre); });
  return halos;
}

void write_cone_halos(const std::string& path, std::span<const Halo> halos, const Expansion& expansion,
                      std::span<const std::pair<std::string, double>> header) {
  hdf5::write_file(path, [&](hdf5::File& file) {
    const hdf5::Object head = file.create_group("Header");
    head.write("NumHalos", static_cast<std::uint64_t>(halos.size()));
    for (const auto& [name, value] : header) head.write(name, value);
    const hdf5::Object group = file.create_group("Halos");
    if (!halos.empty()) {
      put_halo_column<double>(group, halos, "Coordinates", 3, [](const Halo& h, int c) { return h.centre[c]; });
      put_halo_column<double>(group, halos, "CentreOfMass", 3,
                              [](const Halo& h, int c) { return h.centre_of_mass[c]; });
      put_halo_column<double>(group, halos, "Redshifts", 1,
                              [&](const Halo& h, int) { return 1 / departure(expansion, norm(h.centre)) - 1; });
      put_halo_column<float>(group, halos, "Velocities", 3, [](const Halo& h, int c) { return h.velocity[c]; });
      put_halo_column<float>(group, halos, "VelocityDispersions", 1,
                             [](const Halo& h, int) { return h.velocity_dispersion; });
      put_halo_column<float>(group, halos, "Masses", 1, [](const Halo& h, int) { return h.mass; });
      put_halo_column<float>(group, halos, "Extents", 1, [](const Halo& h, int) { return h.extent; });
      put_halo_column<std::uint64_t>(group, halos, "NumParticles", 1, [](const Halo& h, int) { return h.number; });
    }
  });
}

}  // namespace multiwalk
