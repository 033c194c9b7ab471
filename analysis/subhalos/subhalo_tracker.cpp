// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/subhalo_tracker.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <numeric>
#include <utility>

#include "analysis/halos/friends_of_friends.hpp"
#include "analysis/halos/halo_finder.hpp"
#include "analysis/halos/spherical_overdensity.hpp"
#include "analysis/subhalos/group_of_ids.hpp"
#include "analysis/subhalos/group_tracks.hpp"
#include "analysis/subhalos/travelling_tracks.hpp"
#include "analysis/sums/rank_sums.hpp"
#include "analysis/sums/sample_sort.hpp"
#include "analysis/sums/send_by_key.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/parallel_arrays.hpp"
#include "host/base/separation.hpp"
#include "host/threads/tasks.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t tracers = 20;
constexpr std::int32_t most_missed = 4;

struct MeetingMember {
  std::uint64_t group = 0, id = 0;
  Vec3d position;
  Vec3f velocity;  ///< peculiar
  float mass = 0;
};

/// Puts the members of one group in the order of their ids.
void sort_by_id(std::span<const std::uint32_t> members, std::span<const std::uint64_t> id,
                std::vector<std::pair<std::uint64_t, std::uint32_t>>& sorted) {
  sorted.clear();
  for (const std::uint32_t i : members) sorted.emplace_back(id[i], i);
  std::ranges::sort(sorted);
}

/// The members of the groups that meet on this rank, sorted by group and then by id.
std::vector<MeetingMember> meet(const GroupMembers& members, const ParticleSystem& system, const Communicator& comm) {
  const ParticleStore& p = system.particles;
  const auto per_time = static_cast<float>(1 / system.time);
  std::vector<MeetingMember> own(members.member.size());
  in_tasks(members.size(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
    for (std::size_t piece = begin; piece < end; ++piece) {
      sort_by_id(members.of(piece), p.id, sorted);
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        const auto [id, i] = sorted[k];
        own[members.first[piece] + k] = {members.group[piece], id, p.position[i], per_time * p.velocity[i], p.mass[i]};
      }
    }
  });
  if (comm.alone()) return own;
  own = send_by_key(
            std::span<const MeetingMember>(own), [](const MeetingMember& m) { return m.group; }, comm)
            .data;
  sort_parallel(own, [](const MeetingMember& a, const MeetingMember& b) {
    return a.group != b.group ? a.group < b.group : a.id < b.id;
  });
  return own;
}

/// The group with most of a track's tracers; of equal ones the first by name.
std::uint64_t elect(std::span<const std::uint64_t> group) {
  std::vector<std::uint64_t> sorted(group.begin(), group.end());
  std::ranges::sort(sorted);
  std::uint64_t winner = no_group_name;
  std::size_t most = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end = std::find_if(first, sorted.end(), [&](std::uint64_t g) { return g != *first; });
    const auto votes = static_cast<std::size_t>(end - first);
    if (votes > most) {
      most = votes;
      winner = *first;
    }
    first = end;
  }
  return winner;
}

/// The tracks with their present groups, or no_group_name.
std::vector<PlacedTrack> place_tracks(std::vector<Track> tracks, const GroupMembers& members,
                                      std::span<const std::uint64_t> id, const Communicator& comm) {
  std::vector<std::uint64_t> asked;
  for (const Track& t : tracks)
    asked.insert(asked.end(), t.member.begin(),
                 t.member.begin() + static_cast<std::ptrdiff_t>(std::min(tracers, t.member.size())));
  const std::vector<std::uint64_t> group = groups_of_ids(members, id, asked, comm);
  std::vector<std::size_t> first{0};
  for (const Track& t : tracks) first.push_back(first.back() + std::min(tracers, t.member.size()));
  std::vector<PlacedTrack> placed(tracks.size());
  in_tasks(tracks.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      placed[t] = {elect(std::span(group).subspan(first[t], first[t + 1] - first[t])), std::move(tracks[t])};
  });
  return placed;
}

/// A group on the rank where its members meet.
struct Gathered {
  std::span<const MeetingMember> members;
  std::vector<Track> tracks;
  GroupTracks result;
  SubhaloGroup group;

  [[nodiscard]] std::uint64_t name() const { return members.front().group; }
};

/// The index of the first member of each group, then the number of all members. `members` are sorted by group.
std::vector<std::size_t> find_groups(std::span<const MeetingMember> members) {
  std::vector<std::size_t> first;
  select_in_order(
      members.size(), [&](std::size_t i) { return i == 0 || members[i].group != members[i - 1].group; },
      [&](std::size_t groups) { first.resize(groups); }, [&](std::size_t group, std::size_t i) { first[group] = i; });
  first.push_back(members.size());
  return first;
}

std::vector<Gathered> gather_groups(std::span<const MeetingMember> members, std::vector<PlacedTrack> tracks) {
  std::ranges::stable_sort(tracks, {}, &PlacedTrack::group);
  const std::vector<std::size_t> first = find_groups(members);
  std::vector<Gathered> groups(first.size() - 1);
  auto track = tracks.begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].members = members.subspan(first[g], first[g + 1] - first[g]);
    for (; track != tracks.end() && track->group == groups[g].name(); ++track)
      groups[g].tracks.push_back(std::move(track->track));
  }
  return groups;
}

/// About the member that names the group.
std::vector<Member> near_origin(std::span<const MeetingMember> members, double period) {
  std::vector<Member> near;
  near.reserve(members.size());
  for (const MeetingMember& m : members)
    near.push_back(
        {m.id, static_cast<Vec3f>(separation(members.front().position, m.position, period)), m.velocity, m.mass});
  return near;
}

void describe_group(Gathered& g, std::span<const Member> members) {
  SubhaloGroup& group = g.group;
  group.id = g.name();
  group.number = members.size();
  for (const Member& m : members) {
    const auto mass = static_cast<double>(m.mass);
    group.mass += mass;
    group.centre_of_mass += mass * static_cast<Vec3d>(m.place);
    group.velocity += mass * static_cast<Vec3d>(m.velocity);
  }
  if (group.mass > 0) {
    group.centre_of_mass *= 1 / group.mass;
    group.velocity *= 1 / group.mass;
  }
  group.subhalos = static_cast<std::int32_t>(g.result.subhalos.size());
  group.centre = group.subhalos > 0 ? g.result.subhalos.front().centre : group.centre_of_mass;
}

void follow(Gathered& g, const UnbindingOptions& options, double period) {
  const std::vector<Member> members = near_origin(g.members, period);
  g.result = follow_group(members, std::move(g.tracks), options);
  describe_group(g, members);
  const Vec3d origin = g.members.front().position;
  const auto put_back = [&](Vec3d& place) { place = wrapped(origin + place, period); };
  put_back(g.group.centre);
  put_back(g.group.centre_of_mass);
  for (Subhalo& s : g.result.subhalos) {
    s.group = g.name();
    put_back(s.centre);
    put_back(s.centre_of_mass);
  }
}

/// Takes the largest groups first. Threads that find no group left help with the potentials of the remaining ones.
void follow_all(std::vector<Gathered>& groups, const UnbindingOptions& options, double period) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t g) { return groups[g].members.size(); });
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
#pragma omp parallel for schedule(dynamic, 1)
  for (const std::size_t g : order) {
    if (failed) continue;
    try {
      follow(groups[g], options, period);
    } catch (...) {
#pragma omp critical(follow_all)
      failure = std::current_exception();
      failed = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

bool is_new(const Track& track) {
  return track.head.id == none;
}

/// New tracks are numbered by the names of their groups; a group has at most one, its central.
void number_new_tracks(std::vector<Gathered>& groups, TrackMemory& memory, const Communicator& comm) {
  std::vector<std::uint64_t> own;
  for (const Gathered& g : groups)
    if (std::ranges::any_of(g.result.tracks, is_new)) own.push_back(g.name());
  std::vector<std::uint64_t> names = gather_on_all(comm, std::span<const std::uint64_t>(own));
  std::ranges::sort(names);
  for (Gathered& g : groups) {
    const auto fresh = std::ranges::find_if(g.result.tracks, is_new);
    if (fresh == g.result.tracks.end()) continue;
    const auto place = std::ranges::lower_bound(names, g.name()) - names.begin();
    const std::int64_t id = memory.next_track + place;
    fresh->head.born = memory.outputs;
    for (Track& t : g.result.tracks) {
      if (&t != &*fresh && t.head.parent == none) t.head.parent = id;
    }
    fresh->head.id = id;
    for (Subhalo& s : g.result.subhalos) {
      if (s.track == none) {
        s.track = id;
      } else if (s.parent == none) {
        s.parent = id;
      }
    }
    for (TrackEnd& end : g.result.ends)
      if (end.descendant == none) end.descendant = id;
  }
  memory.next_track += static_cast<std::int64_t>(names.size());
}

void measure_groups(std::vector<Gathered>& groups, const ParticleSystem& system, const DomainMap& domains,
                    const Expansion& expansion, const Communicator& comm) {
  std::vector<Halo> halos(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    halos[g].number = groups[g].group.number;
    halos[g].mass = groups[g].group.mass;
    halos[g].centre = groups[g].group.centre;
  }
  measure_spheres(halos, system, domains, expansion, comm);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].group.spheres = halos[g];
}

}  // namespace

SubhaloShare follow_subhalos(TrackMemory& memory, const ParticleSystem& system, const DomainMap& domains,
                             const CosmologyParameters& cosmology, const TrackingOptions& options,
                             const Communicator& comm) {
  require_halos(system);
  const ParticleStore& particles = system.particles;
  const FriendsOptions friends{options.linking * system.spacing, period_of(system)};
  const GroupMembers members = select_groups(
      friends_of_friends(particles.position, particles.id, domains, friends, comm), options.min_particles, comm);
  std::vector<PlacedTrack> placed = place_tracks(std::move(memory.tracks), members, particles.id, comm);
  memory.tracks.clear();
  SubhaloShare share;
  const auto lost = std::ranges::partition(placed, [](const PlacedTrack& t) { return t.group != no_group_name; });
  for (PlacedTrack& t : lost) {
    t.track.head.parent = none;
    if (++t.track.head.missed <= most_missed) {
      memory.tracks.push_back(std::move(t.track));
    } else {
      share.ends.push_back({t.track.head.id, none, t.track.member.front()});
    }
  }
  placed.erase(lost.begin(), placed.end());
  placed = send_tracks(std::move(placed), comm);
  const std::vector<MeetingMember> met = meet(members, system, comm);
  std::vector<Gathered> groups = gather_groups(met, std::move(placed));
  const Expansion expansion(cosmology);
  const UnbindingOptions unbinding{.a = system.time,
                                   .hubble = expansion.hubble(system.time),
                                   .softening = options.softening,
                                   .min_bound = options.min_particles};
  collectively(comm, [&] { follow_all(groups, unbinding, period_of(system)); });
  measure_groups(groups, system, domains, expansion, comm);
  number_new_tracks(groups, memory, comm);
  for (Gathered& g : groups) {
    share.groups.push_back(g.group);
    share.subhalos.insert(share.subhalos.end(), g.result.subhalos.begin(), g.result.subhalos.end());
    share.ends.insert(share.ends.end(), g.result.ends.begin(), g.result.ends.end());
    for (Track& t : g.result.tracks) {
      if (t.head.missed <= most_missed) {
        memory.tracks.push_back(std::move(t));
      } else {
        share.ends.push_back({t.head.id, none, t.member.front()});
      }
    }
  }
  ++memory.outputs;
  return share;
}

}  // namespace multiwalk
