// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/group_tracks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>

#include "analysis/subhalos/subhalo_properties.hpp"

namespace multiwalk {

namespace {

constexpr double similar_mass = 0.8;   ///< of the largest track: may be the central
constexpr double apart = 2;            ///< in phase space
constexpr std::size_t remembered = 3;  ///< particles for each bound one
constexpr std::size_t no_track = std::numeric_limits<std::size_t>::max();

/// A track and its place in the group's hierarchy.
struct Branch {
  Track track;
  std::size_t parent = no_track;
  std::vector<std::size_t> children;
  std::vector<std::uint32_t> listed;  ///< members of the group that the track remembers, in its order
  std::size_t known = 0;              ///< of these the first, which were its most bound
  std::vector<std::uint32_t> shed;    ///< by its children
  BoundSet set;
  bool ended = false;
};

class Group {
 public:
  Group(std::span<const Member> members, std::vector<Track> tracks, const UnbindingOptions& options)
      : members_(members), options_(options), claimed_(members.size(), 0), offered_(members.size(), 0) {
    std::ranges::sort(tracks, {}, [](const Track& t) { return t.head.id; });
    for (Track& track : tracks) branch_.push_back(branch_of(std::move(track)));
    join_parents();
    choose_central();
  }

  GroupTracks operator()() {
    unbind_below(central_);
    GroupTracks result;
    for (std::size_t b = 0; b < branch_.size(); ++b) finish(b, result);
    rank_subhalos(result.subhalos);
    return result;
  }

 private:
  Branch branch_of(Track track) const {
    Branch branch;
    const std::size_t bound = track.head.bound;
    for (std::size_t k = 0; k < track.member.size(); ++k) {
      const auto found = std::ranges::lower_bound(members_, track.member[k], {}, &Member::id);
      if (found == members_.end() || found->id != track.member[k]) continue;
      branch.listed.push_back(static_cast<std::uint32_t>(found - members_.begin()));
      if (k < bound) branch.known = branch.listed.size();
    }
    branch.track = std::move(track);
    return branch;
  }

  /// A satellite whose parent is elsewhere has no parent here.
  void join_parents() {
    std::unordered_map<std::int64_t, std::size_t> place;
    for (std::size_t b = 0; b < branch_.size(); ++b) place[branch_[b].track.head.id] = b;
    for (Branch& branch : branch_) {
      const auto found = place.find(branch.track.head.parent);
      if (found != place.end()) branch.parent = found->second;
    }
  }

  void choose_central() {
    central_ = slowest_of_the_large();
    if (central_ == no_track) {
      central_ = branch_.size();
      branch_.emplace_back();
    }
    for (std::size_t b = 0; b < branch_.size(); ++b) {
      if (b == central_) continue;
      if (branch_[b].parent == no_track) branch_[b].parent = central_;
      branch_[branch_[b].parent].children.push_back(b);
    }
    for (Branch& branch : branch_) {  // the small first, which more easily lose particles to the large
      std::ranges::sort(branch.children, [&](std::size_t a, std::size_t b) {
        const TrackHead &x = branch_[a].track.head, &y = branch_[b].track.head;
        return x.bound != y.bound ? x.bound < y.bound : x.id < y.id;
      });
    }
  }

  /// The branch without parent that moves most slowly, of those about as massive as the most massive; or none.
  [[nodiscard]] std::size_t slowest_of_the_large() const {
    std::uint64_t most = 0;
    for (const Branch& b : branch_)
      if (b.parent == no_track) most = std::max(most, b.track.head.bound);
    std::size_t found = no_track;
    double slowest = std::numeric_limits<double>::infinity();
    const Vec3d mean = mean_velocity(everyone());
    for (std::size_t b = 0; b < branch_.size(); ++b) {
      const Branch& branch = branch_[b];
      if (branch.parent != no_track) continue;
      if (static_cast<double>(branch.track.head.bound) < similar_mass * static_cast<double>(most)) continue;
      if (branch.known == 0) continue;
      const double speed = norm2(mean_velocity(std::span(branch.listed).first(branch.known)) - mean);
      if (!(speed < slowest)) continue;
      slowest = speed;
      found = b;
    }
    return found;
  }

  [[nodiscard]] std::vector<std::uint32_t> everyone() const {
    std::vector<std::uint32_t> all(members_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    return all;
  }

  [[nodiscard]] Vec3d mean_velocity(std::span<const std::uint32_t> of) const {
    Vec3d sum;
    double mass = 0;
    for (const std::uint32_t i : of) {
      sum += static_cast<double>(members_[i].mass) * static_cast<Vec3d>(members_[i].velocity);
      mass += static_cast<double>(members_[i].mass);
    }
    return mass > 0 ? (1 / mass) * sum : Vec3d{};
  }

  void unbind_below(std::size_t b) {
    for (const std::size_t child : std::vector<std::size_t>(branch_[b].children)) {
      unbind_below(child);
      std::vector<std::uint32_t>& shed = branch_[b].shed;
      const std::span<const std::uint32_t> lost = branch_[child].set.of_unbound();
      shed.insert(shed.end(), lost.begin(), lost.end());
    }
    unbind_branch(b);
    if (absorb_children(b)) unbind_branch(b);
  }

  /// Collects the branch's own members, then those that its children lost and, for the central, all other members that
  /// no other branch holds.
  [[nodiscard]] std::vector<std::uint32_t> candidates(std::size_t b, std::size_t& known) {
    const Branch& branch = branch_[b];
    std::vector<std::uint32_t> found;
    const auto offer = [&](std::uint32_t i) {
      if (claimed_[i] != 0 || offered_[i] != 0) return;
      offered_[i] = 1;
      found.push_back(i);
    };
    for (std::size_t k = 0; k < branch.listed.size(); ++k) {
      offer(branch.listed[k]);
      if (k + 1 == branch.known) known = found.size();
    }
    for (const std::uint32_t i : branch.shed) offer(i);
    if (b == central_)
      for (std::size_t i = 0; i < members_.size(); ++i) offer(static_cast<std::uint32_t>(i));
    for (const std::uint32_t i : found) offered_[i] = 0;
    return found;
  }

  void unbind_branch(std::size_t b) {
    Branch& branch = branch_[b];
    for (const std::uint32_t i : branch.set.of_bound()) claimed_[i] = 0;
    std::size_t known = 0;
    std::vector<std::uint32_t> found = candidates(b, known);
    branch.set = unbind(members_, std::move(found), known, options_);
    for (const std::uint32_t i : branch.set.of_bound()) claimed_[i] = 1;
  }

  /// Ends children that have sunk to the centre; their particles become free. True if there were any.
  bool absorb_children(std::size_t b) {
    Branch& branch = branch_[b];
    bool absorbed = false;
    if (branch.set.bound == 0) return false;
    for (const std::size_t c : branch.children) {
      Branch& child = branch_[c];
      if (child.set.bound == 0 || phase_space_distance(members_, child.set, branch.set) >= apart) continue;
      absorbed = true;
      for (const std::uint32_t i : child.set.of_bound()) {
        claimed_[i] = 0;
        branch.shed.push_back(i);
      }
      child.set = {};
    }
    return absorbed;
  }

  /// The nearest track above that goes on; the central if none does.
  [[nodiscard]] std::size_t heir(std::size_t b) const {
    do b = branch_[b].parent;
    while (b != central_ && branch_[b].set.bound == 0);
    return b;
  }

  void finish(std::size_t b, GroupTracks& result) {
    Branch& branch = branch_[b];
    TrackHead& head = branch.track.head;
    const std::size_t above = b == central_ ? no_track : heir(b);
    if (branch.set.bound == 0) {
      if (b != central_) {
        result.ends.push_back({head.id, branch_[above].track.head.id, branch.track.member.front()});
      } else if (head.id != none) {
        ++head.missed;
        head.parent = none;
        result.tracks.push_back(std::move(branch.track));
      }
      return;
    }
    head.parent = b == central_ ? none : branch_[above].track.head.id;
    head.bound = branch.set.bound;
    head.missed = 0;
    branch.track.member.clear();
    const std::size_t kept = std::min(branch.set.member.size(), remembered * branch.set.bound);
    for (const std::uint32_t i : std::span(branch.set.member).first(kept))
      branch.track.member.push_back(members_[i].id);
    Subhalo subhalo = describe_subhalo(members_, branch.set, options_);
    subhalo.track = head.id;
    subhalo.parent = head.parent;
    result.subhalos.push_back(subhalo);
    result.tracks.push_back(std::move(branch.track));
  }

  void rank_subhalos(std::vector<Subhalo>& subhalos) const {
    const std::int64_t first = branch_[central_].track.head.id;
    std::ranges::sort(subhalos, [&](const Subhalo& a, const Subhalo& b) {
      if ((a.track == first) != (b.track == first)) return a.track == first;
      return a.number != b.number ? a.number > b.number : a.track < b.track;
    });
    std::unordered_map<std::int64_t, std::int32_t> rank;
    for (std::size_t s = 0; s < subhalos.size(); ++s) {
      subhalos[s].rank = static_cast<std::int32_t>(s);
      rank[subhalos[s].track] = subhalos[s].rank;
    }
    for (Subhalo& subhalo : subhalos) {
      const auto above = rank.find(subhalo.parent);
      subhalo.parent_rank = subhalo.rank > 0 && above != rank.end() ? above->second : 0;
    }
  }

  std::span<const Member> members_;
  const UnbindingOptions& options_;
  std::vector<Branch> branch_;
  std::size_t central_ = no_track;
  std::vector<std::uint8_t> claimed_, offered_;  ///< (members)
};

}  // namespace

GroupTracks follow_group(std::span<const Member> members, std::vector<Track> tracks, const UnbindingOptions& options) {
  return Group(members, std::move(tracks), options)();
}

}  // namespace multiwalk
