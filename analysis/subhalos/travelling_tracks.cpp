// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/travelling_tracks.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/sums/send_by_key.hpp"

namespace multiwalk {

namespace {

struct Envelope {
  std::uint64_t group, members;
  TrackHead head;
};

}  // namespace

std::vector<PlacedTrack> send_tracks(std::vector<PlacedTrack> tracks, const Communicator& comm) {
  if (comm.alone()) return tracks;
  const auto to = [&](const PlacedTrack& t) { return rank_of_key(t.group, comm.size()); };
  std::ranges::stable_sort(tracks, {}, to);
  std::vector<std::uint64_t> count(static_cast<std::size_t>(comm.size()), 0), members = count;
  std::vector<Envelope> envelopes;
  std::vector<std::uint64_t> ids;
  for (const PlacedTrack& t : tracks) {
    ++count[to(t)];
    members[to(t)] += t.track.member.size();
    envelopes.push_back({t.group, t.track.member.size(), t.track.head});
    ids.insert(ids.end(), t.track.member.begin(), t.track.member.end());
  }
  tracks.clear();
  envelopes = comm.exchange(std::span<const Envelope>(envelopes), std::span<const std::uint64_t>(count)).data;
  ids = comm.exchange(std::span<const std::uint64_t>(ids), std::span<const std::uint64_t>(members)).data;
  auto next = ids.begin();
  for (const Envelope& e : envelopes) {
    const auto end = next + static_cast<std::ptrdiff_t>(e.members);
    tracks.push_back({e.group, {e.head, {next, end}}});
    next = end;
  }
  return tracks;
}

}  // namespace multiwalk
