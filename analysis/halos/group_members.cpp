// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/group_members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/sums/combine_by_key.hpp"
#include "decomposition/ranks/exact_sum.hpp"
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
    mass.add(m);
    for (int axis = 0; axis < 3; ++axis) moment[axis].add(m * x[axis]);
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
    for (const Anchor& anchor : anchors) origin_.push_back(anchor.position);
  }

  /// (pieces) find(piece, T&) of every piece, combined over ranks.
  template <class T, class Find, class Combine>
  std::vector<T> over_pieces(Find find, Combine combine) {
    here_.resize(members_.size());
    std::vector<T> found(members_.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t piece = 0; piece < found.size(); ++piece) find(piece, found[piece]);
    return combine_by_key(comm_, std::span<const std::uint64_t>(members_.group), std::span<const T>(found), combine);
  }

  [[nodiscard]] bool here(std::size_t piece) const {
    return here_[piece] != 0;
  }
  [[nodiscard]] Vec3d origin(std::size_t piece) const {
    return origin_[piece];
  }
  [[nodiscard]] Vec3d from_origin(std::size_t piece, std::uint32_t i) const {
    return separation(origin_[piece], particles_.position[i], period_);
  }

  std::vector<Sums> sum(double time) {
    return over_pieces<Sums>(
        [&](std::size_t piece, Sums& sums) {
          for (const std::uint32_t i : members_.of(piece)) {
            const double m = static_cast<double>(particles_.mass[i]);
            const Vec3d v = (1 / time) * static_cast<Vec3d>(particles_.velocity[i]);
            sums.place.add(m, from_origin(piece, i));
            sums.motion.add(m, v);
            sums.square.add(m * norm2(v));
          }
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
          for (const std::uint32_t i : members_.of(piece))
            most = std::max(most, norm(from_origin(piece, i) - centre[piece]));
        },
        [](double& a, const double& b) { a = std::max(a, b); });
  }

  /// (pieces) relative to the origin: the member with the lowest potential among those in the sphere.
  std::vector<Vec3d> lowest_members(std::span<const float> potential, const Spheres& sphere) {
    const auto below = [](const Lowest& a, const Lowest& b) {
      return a.potential != b.potential ? a.potential < b.potential : a.id < b.id;
    };
    const std::vector<Lowest> lowest = over_pieces<Lowest>(
        [&](std::size_t piece, Lowest& least) {
          for (const std::uint32_t i : members_.of(piece)) {
            const Vec3d place = from_origin(piece, i);
            if (norm(place - sphere.centre[piece]) <= sphere.radius[piece])
              least = std::min(least, {potential[i], particles_.id[i], place}, below);
          }
        },
        [&](Lowest& a, const Lowest& b) { a = std::min(a, b, below); });
    std::vector<Vec3d> place;
    for (const Lowest& least : lowest) place.push_back(least.place);
    return place;
  }

  /// The last of a series of spheres that shrink around the mean of their members; `centre`: centre of mass.
  Spheres shrinking_spheres(std::vector<Vec3d> centre, std::span<const Sums> sums) {
    std::vector<double> radius = extents(centre);
    std::vector<std::uint8_t> shrinks(centre.size(), 1);
    const std::vector<Vec3d> place = places();
    while (comm_.any(std::ranges::find(shrinks, 1) != shrinks.end())) {
      const std::vector<Moments> inside = over_pieces<Moments>(
          [&](std::size_t piece, Moments& moments) {
            if (shrinks[piece] == 0) return;
            const double smaller = 0.8 * radius[piece];
            for (std::size_t k = members_.first[piece]; k < members_.first[piece + 1]; ++k) {
              if (norm2(place[k] - centre[piece]) < smaller * smaller)
                moments.add(static_cast<double>(particles_.mass[members_.member[k]]), place[k]);
            }
          },
          [](Moments& a, const Moments& b) { a += b; });
      for (std::size_t piece = 0; piece < centre.size(); ++piece) {
        const std::uint64_t least = std::clamp<std::uint64_t>(sums[piece].place.number / 100, 10, 1000);
        if (inside[piece].number < least || !(radius[piece] > 0)) shrinks[piece] = 0;
        if (shrinks[piece] == 0) continue;
        centre[piece] = inside[piece].mean();
        radius[piece] *= 0.8;
      }
    }
    return {std::move(centre), std::move(radius)};
  }

 private:
  /// (members) relative to the origins, in one piece of memory for the many passes.
  [[nodiscard]] std::vector<Vec3d> places() const {
    std::vector<Vec3d> place(members_.member.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t piece = 0; piece < members_.size(); ++piece) {
      for (std::size_t k = members_.first[piece]; k < members_.first[piece + 1]; ++k)
        place[k] = from_origin(piece, members_.member[k]);
    }
    return place;
  }

  const GroupMembers& members_;
  const ParticleStore& particles_;
  double period_;
  const Communicator& comm_;
  std::vector<std::uint8_t> here_;  ///< (pieces)
  std::vector<Vec3d> origin_;       ///< (pieces)
};

}  // namespace

GroupMembers select_groups(std::span<const std::uint64_t> group, std::uint64_t min_particles,
                           const Communicator& comm) {
  SortScratch sort;
  sort.entries.resize(group.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < group.size(); ++i) sort.entries[i] = {group[i], static_cast<std::uint32_t>(i)};
  sort_entries(sort);
  std::vector<std::uint64_t> pieces, number;
  for (const SortScratch::Entry& entry : sort.entries) {
    if (pieces.empty() || pieces.back() != entry.key) {
      pieces.push_back(entry.key);
      number.push_back(0);
    }
    ++number.back();
  }
  const std::vector<std::uint64_t> total =
      combine_by_key(comm, std::span<const std::uint64_t>(pieces), std::span<const std::uint64_t>(number),
                     [](std::uint64_t& a, const std::uint64_t& b) { a += b; });
  GroupMembers members;
  members.first.push_back(0);
  std::size_t at = 0;
  for (std::size_t piece = 0; piece < pieces.size(); at += number[piece++]) {
    if (total[piece] < min_particles) continue;
    members.group.push_back(pieces[piece]);
    for (std::size_t k = at; k < at + number[piece]; ++k) members.member.push_back(sort.entries[k].index);
    members.first.push_back(members.member.size());
  }
  return members;
}

std::vector<PieceOfHalo> describe_groups(const GroupMembers& members, const ParticleSystem& system,
                                         std::span<const float> potential, const Communicator& comm) {
  Groups groups(members, system, comm);
  const double period = period_of(system);
  const std::vector<Sums> sums = groups.sum(system.time);
  std::vector<Vec3d> mean;  // relative to the origins
  for (const Sums& sum : sums) mean.push_back(sum.place.mean());
  const Spheres sphere = groups.shrinking_spheres(mean, sums);
  // Among all members, one next to a more massive group may be deeper in that group's potential than any is in its own.
  const std::vector<Vec3d> centre =
      comm.any(!potential.empty()) ? groups.lowest_members(potential, sphere) : sphere.centre;
  const std::vector<double> extent = groups.extents(centre);
  std::vector<PieceOfHalo> pieces(members.size());
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
