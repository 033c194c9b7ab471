// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/track_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <type_traits>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/checksum.hpp"
#include "run/files/partial_file.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/snapshot_checksum.hpp"
#include "run/trees/row_columns.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t in_flight = std::uint64_t{1} << 20;

/// A track's row in the file.
struct HeadRow {
  TrackHead head;
  std::uint64_t members = 0;
};
static_assert(std::has_unique_object_representations_v<HeadRow>);

/// The checksum of everything in the file but the ids.
std::uint32_t checksum_before_ids(const TrackMemory& memory, double time, std::span<const HeadRow> rows) {
  const std::array<std::int64_t, 3> numbers{memory.next_track, memory.outputs, std::bit_cast<std::int64_t>(time)};
  return checksum_of(std::as_bytes(rows), checksum_of(std::as_bytes(std::span(numbers))));
}

void write_heads(const hdf5::Object& tracks, std::span<const HeadRow> rows) {
  using H = HeadRow;
  write_column<std::int64_t>(tracks, "TrackId", 1, rows, [](const H& h, int) { return h.head.id; });
  write_column<std::int64_t>(tracks, "Parent", 1, rows, [](const H& h, int) { return h.head.parent; });
  write_column<std::uint64_t>(tracks, "Bound", 1, rows, [](const H& h, int) { return h.head.bound; });
  write_column<std::int32_t>(tracks, "Born", 1, rows, [](const H& h, int) { return h.head.born; });
  write_column<std::int32_t>(tracks, "Missed", 1, rows, [](const H& h, int) { return h.head.missed; });
  write_column<std::uint64_t>(tracks, "Members", 1, rows, [](const H& h, int) { return h.members; });
}

/// The ids of all ranks' tracks, rank by rank, into the dataset Tracks/ID.
class IdWriter {
 public:
  IdWriter(const hdf5::Object& tracks, std::uint64_t rows) {
    const auto unused = [](std::uint64_t, std::uint64_t, std::uint64_t*) {};
    source_ = hdf5::RowSource::of<std::uint64_t>("ID", 1, unused);
    if (rows > 0) dataset_.emplace(tracks.create_dataset(source_, rows, hdf5::Storage::checked));
  }
  void add(std::span<const std::uint64_t> ids) {
    if (ids.empty()) return;
    dataset_->write_made_rows(source_, ids.data(), ids.size(), at_);
    at_ += ids.size();
  }
  void finish() {
    if (dataset_) dataset_->finish_rows();
    dataset_.reset();
  }

 private:
  hdf5::RowSource source_;
  std::optional<hdf5::Object> dataset_;
  std::uint64_t at_ = 0;
};

/// The ids [first, first + in_flight) of one rank's tracks, on rank 0.
std::vector<std::uint64_t> gather_ids(std::span<const std::uint64_t> ids, int from, std::uint64_t first,
                                      const Communicator& comm) {
  std::span<const std::uint64_t> mine;
  if (comm.rank() == from && first < ids.size())
    mine = ids.subspan(first, std::min<std::uint64_t>(in_flight, ids.size() - first));
  return comm.gather(mine);
}

struct OpenFile {
  PartialFile partial;
  hdf5::File file;
  IdWriter ids;
};

std::vector<HeadRow> read_heads(const hdf5::Object& tracks) {
  const auto id = read_column<std::int64_t>(tracks, "TrackId"), parent = read_column<std::int64_t>(tracks, "Parent");
  const auto bound = read_column<std::uint64_t>(tracks, "Bound"),
             members = read_column<std::uint64_t>(tracks, "Members");
  const auto born = read_column<std::int32_t>(tracks, "Born"), missed = read_column<std::int32_t>(tracks, "Missed");
  const std::size_t n = id.size();
  if (parent.size() != n || bound.size() != n || members.size() != n || born.size() != n || missed.size() != n)
    throw InputError(tracks.name() + ": its columns differ in length");
  std::vector<HeadRow> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back({{id[i], parent[i], bound[i], born[i], missed[i]}, members[i]});
  return rows;
}

/// Reads the numbers of a track file, but not the tracks.
void read_numbers(const hdf5::Object& tracks, StoredTracks& stored) {
  constexpr std::uint64_t most_tracks = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t most_outputs = 1000000;
  const auto next = tracks.counts("NextTrack"), outputs = tracks.counts("Outputs");
  const auto time = tracks.number("Time");
  if (!next || !outputs || !time) throw InputError(tracks.name() + " states no NextTrack, Outputs or Time");
  if (next->front() > most_tracks || outputs->front() > most_outputs || !std::isfinite(*time))
    throw InputError(tracks.name() + " states an impossible NextTrack, Outputs or Time");
  stored.memory.next_track = static_cast<std::int64_t>(next->front());
  stored.memory.outputs = static_cast<std::int32_t>(outputs->front());
  stored.time = *time;
}

void require_possible(std::span<const HeadRow> rows, const TrackMemory& memory, const std::string& name) {
  const auto known = [&](std::int64_t track) { return track >= 0 && track < memory.next_track; };
  const auto possible = [&](const HeadRow& row) {
    const TrackHead& h = row.head;
    return known(h.id) && (h.parent == none || known(h.parent)) && h.bound <= row.members && h.born >= 0 &&
           h.missed >= 0 && h.born <= memory.outputs && h.missed <= memory.outputs;
  };
  if (!std::ranges::all_of(rows, possible)) throw InputError(name + " holds tracks that cannot be");
}

/// The tracks [first, end) of the file.
std::vector<Track> read_tracks(const hdf5::Object& tracks, std::span<const HeadRow> rows, std::size_t first,
                               std::size_t end) {
  const std::uint64_t ids = tracks.has("ID") ? tracks.dataset_shape("ID").rows : 0;
  std::uint64_t at = 0;
  std::vector<Track> read;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t count = rows[i].members;
    if (count == 0 || count > ids - at) throw InputError(tracks.name() + ": it has fewer ids than its tracks need");
    if (i >= first && i < end) {
      read.push_back({rows[i].head, std::vector<std::uint64_t>(count)});
      tracks.read_rows("ID", at, 1, std::span(read.back().member));
    }
    at += count;
  }
  return read;
}

}  // namespace

std::string track_file(const std::string& directory, std::uint64_t step) {
  return fmt::format("{}/tracks_{:08}.hdf5", directory, step);
}

std::uint32_t write_track_file(const std::string& path, const TrackMemory& memory, double time,
                               const Communicator& comm) {
  std::vector<HeadRow> mine;
  std::vector<std::uint64_t> ids;
  for (const Track& t : memory.tracks) {
    mine.push_back({t.head, t.member.size()});
    ids.insert(ids.end(), t.member.begin(), t.member.end());
  }
  const std::vector<HeadRow> rows = comm.gather(std::span<const HeadRow>(mine));
  const std::vector<std::uint64_t> counts = comm.all_gather(static_cast<std::uint64_t>(ids.size()));
  std::optional<OpenFile> out;
  collectively(comm, [&] {
    if (!comm.root()) return;
    PartialFile partial(path);
    hdf5::File file = hdf5::File::create(partial.partial_path());
    const hdf5::Object tracks = file.create_group("Tracks");
    tracks.write("NextTrack", memory.next_track);
    tracks.write("Outputs", memory.outputs);
    tracks.write("Time", time);
    write_heads(tracks, rows);
    IdWriter writer(tracks, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    out.emplace(std::move(partial), std::move(file), std::move(writer));
  });
  for (int from = 0; from < comm.size(); ++from) {
    for (std::uint64_t first = 0; first < counts[static_cast<std::size_t>(from)]; first += in_flight) {
      const std::vector<std::uint64_t> piece = gather_ids(ids, from, first, comm);
      collectively(comm, [&] {
        if (out) out->ids.add(piece);
      });
    }
  }
  collectively(comm, [&] {
    if (!out) return;
    out->ids.finish();
    out->file.close();
    out->partial.commit();
  });
  std::uint32_t before = checksum_before_ids(memory, time, rows);  // only rank 0 has the rows
  comm.broadcast(std::span(&before, 1));
  return joined_checksum_of(std::as_bytes(std::span(ids)), before, comm);
}

StoredTracks read_track_file(const std::string& path, const Communicator& comm) {
  StoredTracks stored;
  std::vector<std::uint64_t> ids;
  collectively(comm, [&] {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Object tracks = file.group_of("Tracks", "tracks");
    read_numbers(tracks, stored);
    const std::vector<HeadRow> rows = read_heads(tracks);
    require_possible(rows, stored.memory, tracks.name());
    const auto ranks = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
    stored.memory.tracks = read_tracks(tracks, rows, rows.size() * rank / ranks, rows.size() * (rank + 1) / ranks);
    stored.checksum = checksum_before_ids(stored.memory, stored.time, rows);
    for (const Track& t : stored.memory.tracks) ids.insert(ids.end(), t.member.begin(), t.member.end());
  });
  stored.checksum = joined_checksum_of(std::as_bytes(std::span(ids)), stored.checksum, comm);
  return stored;
}

void remove_old_track_files(const std::string& directory, const Communicator& comm) {
  collectively(comm, [&] {
    if (!comm.root()) return;
    std::set<std::string> kept;
    for (const std::string& path : checkpoints_in(directory)) {
      std::string step = fs::path(path).stem().string();
      step.erase(0, step.find('_') + 1);
      kept.insert("tracks_" + step + ".hdf5");
    }
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("tracks_") && name.ends_with(".hdf5") && !kept.contains(name)) fs::remove(entry.path());
    }
  });
}

}  // namespace multiwalk
