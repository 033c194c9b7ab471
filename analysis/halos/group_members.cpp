// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/group_members.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "analysis/sums/combine_by_key.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "host/base/parallel_arrays.hpp"
#include "host/base/separation.hpp"
#include "host/tree/octree.hpp"

namespace multiwalk {

namespace {

double value(const ExactSum& sum) {
  return sum.total({});
}

/// Number, mass and first moment.
struct Moments {
  std::uint64_t number = 0;
  ExactSum mass;
  ExactSum moment[3];

  void add(double m, Vec3d x) {
    ++number;
    add_moments(m, x);
  }
  /// The exact opposite of add.
  void remove(double m, Vec3d x) {
    --number;
    add_moments(-m, x);
  }
  Moments& operator+=(const Moments& other) {
    number += other.number;
    mass += other.mass;
    for (int axis = 0; axis < 3; ++axis) moment[axis] += other.moment[axis];
    return *this;
  }
  /// The first member's position (0) if the members have no mass.
  [[nodiscard]] Vec3d mean() const {
    const double m = value(mass);
    return m > 0 ? (1 / m) * Vec3d{value(moment[0]), value(moment[1]), value(moment[2])} : Vec3d{};
  }

 private:
  void add_moments(double m, Vec3d x) {
    mass.add(m);
    for (int axis = 0; axis < 3; ++axis) moment[axis].add(m * x[axis]);
  }
};

/// Quantities that a group's pieces compute together, in the order in which they are needed.
struct Anchor {
  bool known = false;
  Vec3d position;  ///< of the particle that names the group
};
struct Sums {
  Moments place, motion;
  ExactSum square;  ///< m v^2
};
struct Lowest {
  float potential = std::numeric_limits<float>::infinity();
  std::uint64_t id = std::numeric_limits<std::uint64_t>::max();
  Vec3d place;
};
constexpr double shrinkage = 0.8;  ///< of a sphere's radius to the next one's

/// One per piece, relative to the origins.
struct Spheres {
  std::vector<Vec3d> centre;
  std::vector<double> radius;
};

class Groups {
 public:
  Groups(const GroupMembers& members, const ParticleSystem& system, const Communicator& comm)
      : members_(members), particles_(system.particles), period_(period_of(system)), comm_(comm) {
    const std::vector<Anchor> anchors = over_pieces<Anchor>(
        [&](std::size_t piece, Anchor& anchor) {
          for (const std::uint32_t i : members_.of(piece))
            if (particles_.id[i] == members_.group[piece]) anchor = {true, particles_.position[i]};
          here_[piece] = anchor.known;
        },
        [](Anchor& a, const Anchor& b) { a = b.known ? b : a; });
    origin_.resize(anchors.size());
    std::ranges::transform(anchors, origin_.begin(), &Anchor::position);
    place_.resize(members_.member.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t piece = 0; piece < members_.size(); ++piece) {
      for (std::size_t k = members_.first[piece]; k < members_.first[piece + 1]; ++k)
        place_[k] = separation(origin_[piece], particles_.position[members_.member[k]], period_);
    }
  }

  /// (pieces) find(piece, T&) of every piece, combined over ranks.
  template <class T, class Find, class Combine>
  std::vector<T> over_pieces(Find find, Combine combine) {
    here_.resize(members_.size());
    std::vector<T> found(members_.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t piece = 0; piece < found.size(); ++piece) find(piece, found[piece]);
    if (comm_.alone()) return found;
    return combine_by_key(comm_, std::span<const std::uint64_t>(members_.group), std::span<const T>(found), combine);
  }

  [[nodiscard]] bool here(std::size_t piece) const {
    return here_[piece] != 0;
  }
  [[nodiscard]] Vec3d origin(std::size_t piece) const {
    return origin_[piece];
  }
  /// Calls act(particle, place relative to the origin) for each member.
  template <class Act>
  void for_members(std::size_t piece, Act act) const {
    for (std::size_t k = members_.first[piece]; k < members_.first[piece + 1]; ++k) act(members_.member[k], place_[k]);
  }

  std::vector<Sums> sum(double time) {
    return over_pieces<Sums>(
        [&](std::size_t piece, Sums& sums) {
          for_members(piece, [&](std::uint32_t i, Vec3d place) {
            const double m = static_cast<double>(particles_.mass[i]);
            const Vec3d v = (1 / time) * static_cast<Vec3d>(particles_.velocity[i]);
            sums.place.add(m, place);
            sums.motion.add(m, v);
            sums.square.add(m * norm2(v));
          });
        },
        [](Sums& a, const Sums& b) {
          a.place += b.place;
          a.motion += b.motion;
          a.square += b.square;
        });
  }

  /// (pieces) largest distance of a member from centre[piece], which is relative to the origin.
  std::vector<double> extents(std::span<const Vec3d> centre) {
    return over_pieces<double>(
        [&](std::size_t piece, double& most) {
          double square = 0;
          for_members(piece,
                      [&](std::uint32_t, Vec3d place) { square = std::max(square, norm2(place - centre[piece])); });
          most = std::sqrt(square);
        },
        [](double& a, const double& b) { a = std::max(a, b); });
  }

  /// (pieces) relative to the origin: the member with the lowest potential among those in the sphere.
  std::vector<Vec3d> lowest_members(const PotentialOf& potential, const Spheres& sphere) {
    const auto below = [](const Lowest& a, const Lowest& b) {
      return a.potential != b.potential ? a.potential < b.potential : a.id < b.id;
    };
    const std::vector<Lowest> lowest = over_pieces<Lowest>(
        [&](std::size_t piece, Lowest& least) {
          for_members(piece, [&](std::uint32_t i, Vec3d place) {
            if (norm(place - sphere.centre[piece]) <= sphere.radius[piece])
              least = std::min(least, {potential(i), particles_.id[i], place}, below);
          });
        },
        [&](Lowest& a, const Lowest& b) { a = std::min(a, b, below); });
    std::vector<Vec3d> place(lowest.size());
    std::ranges::transform(lowest, place.begin(), &Lowest::place);
    return place;
  }

  /// The last of a series of spheres that shrink around the mean of their members; `centre`: centre of mass.
  Spheres shrinking_spheres(std::vector<Vec3d> centre, std::span<const Sums> sums) {
    std::vector<double> radius = extents(centre);
    Spheres spheres{std::move(centre), std::move(radius)};
    inside_.assign(members_.size(), Moments());
    is_inside_.resize(place_.size());
    fill_parallel(std::span(is_inside_), std::uint8_t{0});
    if (comm_.alone()) {
#pragma omp parallel for schedule(dynamic, 16)
      for (std::size_t piece = 0; piece < members_.size(); ++piece) {
        while (shrink(spheres, piece, sums[piece].place.number, inside_smaller(spheres, piece))) {
        }
      }
    } else {
      shrink_together(spheres, sums);
    }
    return spheres;
  }

 private:
  /// This rank's members in the sphere that may follow. Only those that enter or leave change the sums.
  const Moments& inside_smaller(const Spheres& spheres, std::size_t piece) {
    const double smaller = shrinkage * spheres.radius[piece];
    const Vec3d centre = spheres.centre[piece];
    Moments& inside = inside_[piece];
    for (std::size_t k = members_.first[piece]; k < members_.first[piece + 1]; ++k) {
      const bool now = norm2(place_[k] - centre) < smaller * smaller;
      if (now == (is_inside_[k] != 0)) continue;
      is_inside_[k] = now ? 1 : 0;
      const auto m = static_cast<double>(particles_.mass[members_.member[k]]);
      if (now) {
        inside.add(m, place_[k]);
      } else {
        inside.remove(m, place_[k]);
      }
    }
    return inside;
  }

  /// Takes the next sphere unless it would have too few members; `number`: of the group.
  static bool shrink(Spheres& spheres, std::size_t piece, std::uint64_t number, const Moments& inside) {
    const std::uint64_t least = std::clamp<std::uint64_t>(number / 100, 10, 1000);
    if (inside.number < least || !(spheres.radius[piece] > 0)) return false;
    spheres.centre[piece] = inside.mean();
    spheres.radius[piece] *= shrinkage;
    return true;
  }

  /// As long as the spheres of any piece on any rank shrink.
  void shrink_together(Spheres& spheres, std::span<const Sums> sums) {
    std::vector<std::uint8_t> shrinks(spheres.radius.size(), 1);
    while (comm_.any(std::ranges::find(shrinks, 1) != shrinks.end())) {
      const std::vector<Moments> inside = over_pieces<Moments>(
          [&](std::size_t piece, Moments& moments) {
            if (shrinks[piece] != 0) moments = inside_smaller(spheres, piece);
          },
          [](Moments& a, const Moments& b) { a += b; });
#pragma omp parallel for schedule(static)
      for (std::size_t piece = 0; piece < inside.size(); ++piece)
        shrinks[piece] = shrinks[piece] != 0 && shrink(spheres, piece, sums[piece].place.number, inside[piece]);
    }
  }

  const GroupMembers& members_;
  const ParticleStore& particles_;
  double period_;
  const Communicator& comm_;
  std::vector<std::uint8_t> here_;      ///< (pieces)
  std::vector<Vec3d> origin_;           ///< (pieces)
  LargeArray<Vec3d> place_;             ///< (members) relative to the origins
  std::vector<Moments> inside_;         ///< (pieces) of this rank's members in the smallest sphere so far
  LargeArray<std::uint8_t> is_inside_;  ///< (members) whether it is one of these
};

using PieceEntry = SortScratch::Entry;  ///< a piece of FriendGroups, its key the group that it belongs to

constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

/// (N) at the index that names a piece: its particles; elsewhere 0.
LargeArray<std::uint32_t> count_pieces(const FriendGroups& groups) {
  LargeArray<std::uint32_t> count(groups.size());
  fill_parallel(std::span(count), std::uint32_t{0});
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < groups.size(); ++i)
    std::atomic_ref(count[groups.piece[i]]).fetch_add(1, std::memory_order_relaxed);
  return count;
}

/// The pieces with enough particles and those that other ranks may share, by rising group.
LargeArray<PieceEntry> find_candidates(const FriendGroups& groups, std::span<const std::uint32_t> count,
                                       std::uint64_t min_particles) {
  SortScratch sort;
  const auto entry = [&](std::size_t piece) {
    return PieceEntry{groups.name[piece], static_cast<std::uint32_t>(piece)};
  };
  select_in_order(
      count.size(), [&](std::size_t piece) { return count[piece] > 0 && count[piece] >= min_particles; },
      [&](std::size_t found) { sort.entries.resize(found); },
      [&](std::size_t place, std::size_t piece) { sort.entries[place] = entry(piece); });
  for (const std::uint32_t piece : groups.cut)
    if (count[piece] < min_particles) sort.entries.push_back(entry(piece));
  sort_entries(sort);
  return std::move(sort.entries);
}

/// The particles whose pieces belong to a group, group by group and rising in each. `group_of`: (N) for pieces.
LargeArray<std::uint32_t> collect_members(std::span<const std::uint32_t> piece,
                                          std::span<const std::uint32_t> group_of) {
  SortScratch sort;
  select_in_order(
      piece.size(), [&](std::size_t i) { return group_of[piece[i]] != no_group; },
      [&](std::size_t found) { sort.entries.resize(found); },
      [&](std::size_t place, std::size_t i) {
        sort.entries[place] = {group_of[piece[i]], static_cast<std::uint32_t>(i)};
      });
  sort_entries(sort);
  LargeArray<std::uint32_t> member(sort.entries.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < member.size(); ++k) member[k] = sort.entries[k].index;
  return member;
}

}  // namespace

GroupMembers select_groups(const FriendGroups& groups, std::uint64_t min_particles, const Communicator& comm) {
  LargeArray<std::uint32_t> count = count_pieces(groups);
  const LargeArray<PieceEntry> pieces = find_candidates(groups, count, min_particles);
  std::vector<std::uint64_t> name, number;
  for (const PieceEntry& piece : pieces) {
    if (name.empty() || name.back() != piece.key) {
      name.push_back(piece.key);
      number.push_back(0);
    }
    number.back() += count[piece.index];
  }
  const std::vector<std::uint64_t> total =
      combine_by_key(comm, std::span<const std::uint64_t>(name), std::span<const std::uint64_t>(number),
                     [](std::uint64_t& a, const std::uint64_t& b) { a += b; });
  GroupMembers members;
  members.first.push_back(0);
  LargeArray<std::uint32_t>& group_of = count;  // whose counts are no longer needed
  fill_parallel(std::span(group_of), no_group);
  auto piece = pieces.begin();
  for (std::size_t k = 0; k < name.size(); ++k) {
    const bool large = total[k] >= min_particles;
    for (; piece != pieces.end() && piece->key == name[k]; ++piece)
      if (large) group_of[piece->index] = static_cast<std::uint32_t>(members.group.size());
    if (!large) continue;
    members.group.push_back(name[k]);
    members.first.push_back(members.first.back() + number[k]);
  }
  members.member = collect_members(groups.piece, group_of);
  return members;
}

std::vector<PieceOfHalo> describe_groups(const GroupMembers& members, const ParticleSystem& system,
                                         const PotentialOf& potential, const Communicator& comm) {
  Groups groups(members, system, comm);
  const double period = period_of(system);
  const std::vector<Sums> sums = groups.sum(system.time);
  std::vector<Vec3d> mean(sums.size());  // relative to the origins
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < sums.size(); ++p) mean[p] = sums[p].place.mean();
  const Spheres sphere = groups.shrinking_spheres(mean, sums);
  // Among all members, one next to a more massive group may be deeper in that group's potential than any is in its own.
  const std::vector<Vec3d> centre = potential ? groups.lowest_members(potential, sphere) : sphere.centre;
  const std::vector<double> extent = groups.extents(centre);
  std::vector<PieceOfHalo> pieces(members.size());
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    pieces[p].here = groups.here(p);
    Halo& halo = pieces[p].halo;
    halo.id = members.group[p];
    halo.number = sums[p].place.number;
    halo.mass = value(sums[p].place.mass);
    halo.centre = wrapped(groups.origin(p) + centre[p], period);
    halo.centre_of_mass = wrapped(groups.origin(p) + mean[p], period);
    halo.velocity = sums[p].motion.mean();
    const double square = halo.mass > 0 ? value(sums[p].square) / halo.mass : 0;
    halo.velocity_dispersion = std::sqrt(std::max(square - norm2(halo.velocity), 0.0) / 3);
    halo.extent = extent[p];
  }
  return pieces;
}

}  // namespace multiwalk
