// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/time/block_ticks.hpp"
#include "host/time/rungs.hpp"
#include "run/snapshots/checkpoint_file.hpp"

namespace multiwalk {

namespace {

namespace fs = std::filesystem;
using namespace checkpoint_format;

constexpr std::string_view prefix = "checkpoint_", extension = ".mwc", part_mark = ".part";

/// Rank 0's file for part 0.
std::string part_path(const std::string& directory, std::uint64_t step, int part) {
  const std::string stem = fmt::format("{}/{}{:08}", directory, prefix, step);
  return part == 0 ? fmt::format("{}{}", stem, extension)
                   : fmt::format("{}{}{:05}{}", stem, part_mark, part, extension);
}

/// The parts of one of our file names; `part` 0: rank 0's file.
struct Name {
  std::uint64_t step, part;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 19 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::stoull(std::string(text));
}

std::optional<Name> parse(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(extension)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(std::min(name.size(), extension.size()));
  const std::size_t mark = name.find(part_mark);
  const auto step = whole_number(name.substr(0, mark));
  const auto part =
      mark == name.npos ? std::optional<std::uint64_t>(0) : whole_number(name.substr(mark + part_mark.size()));
  if (!step || !part || (mark != name.npos && *part == 0)) return std::nullopt;
  return Name{*step, *part};
}

/// Calls act(path, name, parsed name or nothing) for every file of a directory.
template <class Act>
void for_each_file(const std::string& directory, Act act) {
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(directory, status)) {
    std::error_code unknown;
    if (!entry.is_regular_file(unknown)) continue;
    const std::string name = entry.path().filename();
    act(entry.path().string(), name, parse(name));
  }
}

/// Finished checkpoints of a directory by step, the newest first.
std::map<std::uint64_t, std::string, std::greater<>> by_step(const std::string& directory) {
  std::map<std::uint64_t, std::string, std::greater<>> found;
  for_each_file(directory, [&](const std::string& path, const std::string&, const std::optional<Name>& name) {
    if (name && name->part == 0) found[name->step] = path;
  });
  return found;
}

/// Leaves the checkpoint just written and the newest before it, `most` in all; parts go after the file that makes them
/// a checkpoint. Best effort: files that cannot be removed do no harm.
void remove_all_but(std::size_t most, const std::string& directory, std::uint64_t written, std::uint64_t parts) {
  std::vector<std::string> superfluous;
  std::vector<std::uint64_t> kept;
  for (const auto& [step, path] : by_step(directory)) {
    if (step > written || kept.size() == most) {
      superfluous.push_back(path);
    } else {
      kept.push_back(step);
    }
  }
  for_each_file(directory, [&](const std::string& path, const std::string& file, const std::optional<Name>& name) {
    const bool leftover = file.starts_with(prefix) && file.ends_with(PartialFile::suffix);
    const bool orphan =
        name && name->part > 0 &&
        (std::ranges::find(kept, name->step) == kept.end() || (name->step == written && name->part >= parts));
    if (leftover || orphan) superfluous.push_back(path);
  });
  std::error_code status;
  for (const std::string& path : superfluous) fs::remove(path, status);
}

SystemRecord record_of(const CheckpointView& run) {
  const ParticleSystem& system = run.system;
  return {run.bodies != nullptr ? run.bodies->size() : system.particles.size(),
          run.step,
          static_cast<std::int32_t>(system.frame),
          static_cast<std::int32_t>(system.boundary),
          system.time,
          system.box_size,
          system.spacing,
          system.sphere_radius};
}

SystemRecord read_record(CheckpointReader& reader) {
  const auto records = reader.block<SystemRecord>("system");
  if (records.size() != 1) reader.damaged("has a block system of another size");
  return records.front();
}

std::string read_text(CheckpointReader& reader, const std::string& name) {
  const auto text = reader.block<char>(name);
  return {text.begin(), text.end()};
}

/// Whether these numbers describe a possible system.
bool describes_a_system(const SystemRecord& record) {
  const auto length = [](double x) { return std::isfinite(x) && x >= 0; };
  if (record.frame < 0 || record.frame > 1 || record.boundary < 0 || record.boundary > 1) return false;
  if (!std::isfinite(record.time) || !length(record.box_size) || !length(record.spacing) ||
      !length(record.sphere_radius)) {
    return false;
  }
  const bool comoving = static_cast<Frame>(record.frame) == Frame::comoving;
  const bool periodic = static_cast<Boundary>(record.boundary) == Boundary::periodic;
  return (!comoving || record.time > 0) && (!periodic || record.box_size > 0);
}

/// Everything but the particles, and the particles of each part.
Checkpoint read_main(const std::string& path, std::vector<PartRecord>& parts) {
  CheckpointReader reader(path);
  const SystemRecord record = read_record(reader);
  parts = {{record.particles, reader.data_crc("parts"), 0}};
  if (reader.has("parts")) parts = reader.block<PartRecord>("parts");
  if (parts.empty() || parts[0].particles != record.particles) reader.damaged("has a damaged block parts");
  if (!describes_a_system(record)) {
    reader.damaged("describes a system that cannot be (its frame, boundary, time or size)");
  }
  Checkpoint checkpoint;
  checkpoint.step = record.step;
  checkpoint.ranks = static_cast<int>(parts.size());
  checkpoint.parameters = read_text(reader, "parameters");
  checkpoint.state = read_text(reader, "state");
  if (reader.has("jerk")) checkpoint.direct.emplace();
  ParticleSystem& system = checkpoint.system;
  system.frame = static_cast<Frame>(record.frame);
  system.boundary = static_cast<Boundary>(record.boundary);
  system.time = record.time;
  system.box_size = record.box_size;
  system.spacing = record.spacing;
  system.sphere_radius = record.sphere_radius;
  return checkpoint;
}

CheckpointBlobs read_blobs(const std::string& path) {
  CheckpointReader reader(path);
  CheckpointBlobs blobs;
  for (const std::string& name : reader.names()) {
    if (name.starts_with(blob_mark)) blobs[name.substr(1)] = reader.block<std::byte>(name);
  }
  return blobs;
}

/// Appends the part's rows [first, first + count) to a ParticleStore or IntegratedBodies. An array that the part lacks
/// stays empty, except `work`, which is newer than the format and becomes zeros.
template <class Rows>
void append_rows(const std::string& path, const PartRecord& part, std::uint64_t step, std::uint64_t first,
                 std::uint64_t count, Rows& rows) {
  CheckpointReader reader(path);
  const SystemRecord record = read_record(reader);
  if (reader.data_crc("parts") != part.data_crc || record.particles != part.particles || record.step != step)
    reader.damaged("belongs to another checkpoint than the file of rank 0");
  if constexpr (requires { rows.set_rungs(true); }) rows.set_rungs(reader.has("rung"));
  rows.for_each_array([&]<class Array>(const std::string& name, Array& values) {
    if (name == "work" && !reader.has(name)) {
      values.resize(values.size() + count, {});
      return;
    }
    const std::uint64_t stored = reader.count<typename Array::value_type>(name);
    if (stored != 0 && stored != record.particles) reader.damaged("has a block " + name + " of the wrong length");
    if (name == "position" && stored != record.particles) reader.damaged("lacks positions");
    reader.append(name, stored == 0 ? 0 : first, stored == 0 ? 0 : count, values);
  });
}

/// This rank's rows: its own part if there are as many parts as ranks, otherwise an equal share of all.
template <class Rows>
Rows read_share(const std::string& path, std::uint64_t step, const std::vector<PartRecord>& parts,
                const Communicator& comm) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string directory = folder.empty() ? "." : folder.string();
  const auto rank = static_cast<std::uint64_t>(comm.rank()), ranks = static_cast<std::uint64_t>(comm.size());
  Rows rows;
  const auto append = [&](std::uint64_t part, std::uint64_t first, std::uint64_t count) {
    const std::string file = part == 0 ? path : part_path(directory, step, static_cast<int>(part));
    append_rows(file, parts[part], step, first, count, rows);
  };
  if (parts.size() == ranks) {
    append(rank, 0, parts[rank].particles);
    return rows;
  }
  std::uint64_t total = 0;
  for (const PartRecord& part : parts) total += part.particles;
  const auto begin_of = [&](std::uint64_t r) { return total / ranks * r + std::min(r, total % ranks); };
  const std::uint64_t begin = begin_of(rank), end = begin_of(rank + 1);
  std::uint64_t before = 0;
  for (std::uint64_t k = 0; k < parts.size(); before += parts[k].particles, ++k) {
    const std::uint64_t from = std::max(begin, before), to = std::min(end, before + parts[k].particles);
    if (from < to) append(k, from - before, to - from);
  }
  return rows;
}

/// Whether a value may occur in the block `name`; `deepest`: the last rung.
bool is_possible(const std::string& name, double value, int) {
  const bool weight = name == "mass" || name == "work";
  return std::isfinite(value) && (!weight || value >= 0);
}
template <class T>
bool is_possible(const std::string& name, const Vec3<T>& value, int deepest) {
  return is_possible(name, value.x, deepest) && is_possible(name, value.y, deepest) &&
         is_possible(name, value.z, deepest);
}
bool is_possible(const std::string&, std::uint8_t rung, int deepest) {
  return rung <= deepest;
}
bool is_possible(const std::string&, std::uint64_t, int) {
  return true;
}

/// Refuses rows of a ParticleStore or IntegratedBodies with which a run cannot continue. Potentials are only reported,
/// and may have any value.
template <class Rows>
void check_rows(const Rows& rows, const std::string& path) {
  constexpr bool bodies = std::is_same_v<Rows, IntegratedBodies>;
  constexpr int deepest = bodies ? BlockTicks::deepest : deepest_rung;
  std::size_t number = 0;
  rows.for_each_array([&]<class Array>(const std::string& name, const Array& values) {
    if (name == "position") number = values.size();
    const bool needed = name == "velocity" || name == "mass" || name == "id" || (bodies && name != "rung");
    if (values.size() != number && (needed || !values.empty())) {
      throw InputError("checkpoint " + path + ": its block " + name + " has the wrong length");
    }
    const auto possible = [&](const auto& value) { return name == "potential" || is_possible(name, value, deepest); };
    if (!std::ranges::all_of(values, possible)) {
      throw InputError("checkpoint " + path + " has impossible values in its block " + name);
    }
  });
}

void add_blobs(const CheckpointView& run, CheckpointWriter& writer) {
  if (run.blobs == nullptr) return;
  for (const auto& [name, bytes] : *run.blobs) writer.add(blob_mark + name, bytes.data(), bytes.size(), 1);
}

}  // namespace

std::string write_checkpoint(const std::string& directory, const CheckpointView& run, const Communicator& comm) {
  const SystemRecord record = record_of(run);
  CheckpointWriter writer;
  writer.add("system", &record, sizeof record, sizeof record);
  if (comm.root()) {
    writer.add("parameters", run.parameters.data(), run.parameters.size(), 1);
    writer.add("state", run.state.data(), run.state.size(), 1);
    add_blobs(run, writer);
  }
  const auto add = [&]<class Array>(const char* name, const Array& values) {
    constexpr std::size_t element = sizeof(typename Array::value_type);
    writer.add(name, values.data(), values.size() * element, element);
  };
  if (run.bodies != nullptr) {
    for_each_body_array(*run.bodies, *run.rung, add);
  } else {
    run.system.particles.for_each_array(add);
  }
  const auto parts = comm.all_gather(PartRecord{record.particles, writer.data_crc(), 0});
  if (comm.root() && !comm.alone())
    writer.add("parts", parts.data(), parts.size() * sizeof(PartRecord), sizeof(PartRecord));
  PartialFile file(part_path(directory, run.step, comm.rank()));
  collectively(comm, [&] { writer.write(file); });
  collectively(comm, [&] {
    if (!comm.root()) file.commit();
  });
  collectively(comm, [&] {
    if (comm.root()) file.commit();
  });
  collectively(comm, [&] {
    if (comm.root()) remove_all_but(2, directory, run.step, parts.size());
  });
  return part_path(directory, run.step, 0);
}

std::vector<std::string> checkpoints_in(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& [step, path] : by_step(directory)) paths.push_back(path);
  return paths;
}

std::string checkpoint_parameters(const std::string& path) {
  CheckpointReader reader(path);
  return read_text(reader, "parameters");
}

std::uint64_t checkpoint_bytes(const std::string& path) {
  const fs::path main(path);
  const std::optional<Name> wanted = parse(main.filename().string());
  std::uint64_t bytes = 0;
  for_each_file(main.parent_path(), [&](const std::string& file, const std::string&, const std::optional<Name>& name) {
    std::error_code status;
    const std::uintmax_t size = wanted && name && name->step == wanted->step ? fs::file_size(file, status) : 0;
    if (!status) bytes += size;
  });
  return bytes;
}

void keep_one_checkpoint(const std::string& directory, std::uint64_t step, const Communicator& comm) {
  const auto parts = static_cast<std::uint64_t>(comm.size());
  collectively(comm, [&] {
    if (comm.root()) remove_all_but(1, directory, step, parts);
  });
}

Checkpoint read_checkpoint(const std::string& path, const Communicator& comm) {
  return collectively(comm, [&] {
    std::vector<PartRecord> parts;
    Checkpoint checkpoint = read_main(path, parts);
    if (comm.root()) checkpoint.blobs = read_blobs(path);
    if (checkpoint.direct) {
      checkpoint.direct = read_share<IntegratedBodies>(path, checkpoint.step, parts, comm);
      check_rows(*checkpoint.direct, path);
    } else {
      checkpoint.system.particles = read_share<ParticleStore>(path, checkpoint.step, parts, comm);
      check_rows(checkpoint.system.particles, path);
    }
    return checkpoint;
  });
}

Checkpoint read_newest_checkpoint(const std::string& directory, std::string& warning, const Communicator& comm) {
  warning.clear();
  const std::string listing = text_from_root(comm, [&] {
    std::string lines;
    for (const std::string& path : checkpoints_in(directory)) lines += path + '\0';
    return lines;
  });
  if (listing.empty()) throw SharedError(directory + ": no checkpoint to restart from");
  for (std::size_t at = 0; at < listing.size(); at = listing.find('\0', at) + 1) {
    try {
      return read_checkpoint(listing.substr(at, listing.find('\0', at) - at), comm);
    } catch (const SharedError& error) {
      warning += (warning.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  throw SharedError(directory + ": no usable checkpoint: " + warning);
}

}  // namespace multiwalk
