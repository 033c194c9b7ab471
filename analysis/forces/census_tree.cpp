// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/forces/census_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/sums/rank_sums.hpp"
#include "analysis/sums/sampling.hpp"
#include "host/tree/moments.hpp"

namespace multiwalk {

namespace {

constexpr std::uint64_t samples_per_rank = 400;  ///< keys that determine the borders
constexpr double slack = 0.05;                   ///< of a rank's share: how far a border may be moved

Box box_of_all(std::span<const Vec3d> position, const Communicator& comm) {
  Box box = bounding_box(position);
  double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
  comm.min(std::span<double>(lo));
  comm.max(std::span<double>(hi));
  return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/// The key above `lo`, up to `hi`, that cuts the fewest cells.
std::uint64_t roundest(std::uint64_t lo, std::uint64_t hi) {
  if (lo == hi) return hi;
  const int digit = (static_cast<int>(std::bit_width(lo ^ hi)) - 1) / 3;
  return hi >> 3 * digit << 3 * digit;
}

/// (ranks - 1) First key of every rank but the first, rising; the same on all. From a sample of the keys.
std::vector<std::uint64_t> choose_borders(const ParticleStore& particles, const CensusTree& tree,
                                          const Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::uint64_t> mine;
  for (const std::uint32_t i : sample_by_id(particles.id, {samples_per_rank * ranks}, comm)) {
    mine.push_back(tree.target(particles.position[i]).key);
  }
  std::vector<std::uint64_t> key = gather_on_all(comm, std::span<const std::uint64_t>(mine));
  std::sort(key.begin(), key.end());
  std::vector<std::uint64_t> border(ranks - 1, 0);
  const auto at = [&](double share) {
    const auto place = static_cast<std::size_t>(share / static_cast<double>(ranks) * static_cast<double>(key.size()));
    return key[std::min(place, key.size() - 1)];
  };
  for (std::size_t r = 1; r < ranks && !key.empty(); ++r) {
    border[r - 1] = roundest(at(static_cast<double>(r) - slack), at(static_cast<double>(r) + slack));
  }
  return border;
}

std::size_t owner_of(std::span<const std::uint64_t> border, std::uint64_t key) {
  return static_cast<std::size_t>(std::upper_bound(border.begin(), border.end(), key) - border.begin());
}

/// Sends the values to their owners, by rank.
template <class T>
std::vector<T> send_to_owners(const Communicator& comm, std::span<const T> values, std::span<const std::uint32_t> owner,
                              std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> next(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, next.begin() + 1);
  std::vector<T> ordered(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ordered[next[owner[i]]++] = values[i];
  return comm.exchange(std::span<const T>(ordered), counts).data;
}

}  // namespace

CensusTree::CensusTree(const ParticleStore& particles, const Cube& cube, const PairLaw& law, const Communicator& comm)
    : cube_(cube),
      period_(law.box_size),
      cutoff_(law.split.scale > 0 ? law.split.cutoff : std::numeric_limits<double>::infinity()),
      root_(comm.root()) {
  if (comm.alone()) {
    build_octree(particles, cube_, {few}, local_);
    split_top({}, 0);
  } else {
    cube_ = enclosing_cube(box_of_all(particles.position, comm));
    share_particles(particles, comm);
  }
  gather_top(comm);
}

CensusTarget CensusTree::target(Vec3d position) const {
  return {position, morton_key(position, cube_.corner, key_cells_per_length(cube_))};
}

void CensusTree::share_particles(const ParticleStore& particles, const Communicator& comm) {
  const std::vector<std::uint64_t> border = choose_borders(particles, *this, comm);
  std::vector<std::uint32_t> owner(particles.size());
  std::vector<std::uint64_t> counts(border.size() + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < owner.size(); ++i) {
    owner[i] = static_cast<std::uint32_t>(owner_of(border, target(particles.position[i]).key));
  }
  for (const std::uint32_t rank : owner) ++counts[rank];
  // One array after the other; those that trees do not read stay empty.
  const auto copy = [&]<class T>(const ParticleArray<T>& values, ParticleArray<T>& copies) {
    const std::vector<T> own = send_to_owners<T>(comm, values, owner, counts);
    copies.resize(own.size());
    std::ranges::copy(own, copies.begin());
  };
  copy(particles.position, copies_.position);
  copy(particles.mass, copies_.mass);
  owner = {};
  copies_.key.resize(copies_.size());
  sort_by_key(copies_, cube_);
  build_octree(copies_, cube_, {few}, local_);
  split_top(border, comm.rank());
}

std::uint32_t CensusTree::local_node(const Node& cell, std::uint64_t key) const {
  const TreeView tree = local_.view();
  std::uint32_t n = 0;
  while (tree.node[n].level < cell.level && !tree.node[n].leaf()) {
    const unsigned digit = child_digit(key, tree.node[n].level);
    n = tree.node[n].first_child;
    while (child_digit(tree.key[tree.node[n].first], tree.node[n].level - 1) != digit) ++n;
  }
  return tree.node[n].level == cell.level ? n : no_node;
}

Multipole CensusTree::moments_within(std::uint32_t first, std::uint32_t count) const {
  const TreeView tree = local_.view();
  return multipole_of_particles(&tree.position[first], &tree.mass[first], count);
}

/// Makes the top cells, breadth first, with all eight children of each cut cell, and finds this rank's part of the
/// cells that are not cut.
void CensusTree::split_top(std::span<const std::uint64_t> border, int rank) {
  const std::span<const std::uint64_t> keys = local_.view().key;
  top_.push_back({});
  top_key_.push_back(0);
  for (std::size_t n = 0; n < top_.size(); ++n) {
    const int level = top_[n].level;
    const std::uint64_t key = top_key_[n], size = std::uint64_t{1} << 3 * (key_levels - level);
    const auto next_border = std::upper_bound(border.begin(), border.end(), key);
    if (next_border != border.end() && *next_border < key + size) {
      top_[n].first_child = static_cast<std::uint32_t>(top_.size());
      top_[n].child_count = 8;
      for (std::uint64_t digit = 0; digit < 8; ++digit) {
        top_.push_back({0, 0, 0, 0, static_cast<std::uint16_t>(level + 1)});
        top_key_.push_back(key + digit * (size / 8));
      }
    } else if (owner_of(border, key) == static_cast<std::size_t>(rank)) {
      const auto first = std::lower_bound(keys.begin(), keys.end(), key);
      const auto last = std::lower_bound(first, keys.end(), key + size);
      top_[n].count = static_cast<std::uint32_t>(last - first);
      top_[n].first = static_cast<std::uint32_t>(first - keys.begin());
    }
  }
  for (std::size_t n = 0; n < top_.size(); ++n) {
    top_node_.push_back(top_[n].count > 0 ? local_node(top_[n], top_key_[n]) : no_node);
  }
}

/// Moments of all top cells: the owners of whole cells contribute theirs and all others add zeros; then upwards.
void CensusTree::gather_top(const Communicator& comm) {
  constexpr std::size_t numbers = 5;
  std::vector<double> shared(numbers * top_.size(), 0);
  for (std::size_t n = 0; n < top_.size(); ++n) {
    if (!top_[n].leaf() || top_[n].count == 0) continue;
    const Multipole moments =
        top_node_[n] != no_node ? local_.view().multipole[top_node_[n]] : moments_within(top_[n].first, top_[n].count);
    double* const own = &shared[numbers * n];
    for (int axis = 0; axis < 3; ++axis) own[axis] = moments.centre_of_mass[axis];
    own[3] = static_cast<double>(moments.mass);
    own[4] = 1;
  }
  comm.sum(std::span<double>(shared));
  top_multipole_.resize(top_.size());
  std::vector<bool> occupied(top_.size());
  for (std::size_t n = top_.size(); n-- > 0;) {
    const double* const own = &shared[numbers * n];
    top_multipole_[n].centre_of_mass = {own[0], own[1], own[2]};
    top_multipole_[n].mass = static_cast<float>(own[3]);
    std::vector<Multipole> children;
    for (std::uint32_t c = top_[n].first_child; c < top_[n].first_child + top_[n].child_count; ++c) {
      if (occupied[c]) children.push_back(top_multipole_[c]);
    }
    // A cut cell is never empty: it contains the particle that determined its border.
    occupied[n] = own[4] > 0 || !children.empty();
    if (!children.empty()) top_multipole_[n] = merge_multipoles(children);
  }
}

}  // namespace multiwalk
