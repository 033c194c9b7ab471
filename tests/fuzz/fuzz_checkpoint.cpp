// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint: the bytes as they are and with correct checksums; its parameters; and the record in its state, as a
// restart reads it and a report shows it.
#include <zlib.h>

#include <cstring>
#include <vector>

#include "run/files/json_input.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/step_history.hpp"
#include "run/report/report.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/checkpoint_format.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/json_mutator.hpp"

using namespace multiwalk;
using namespace multiwalk::checkpoint_format;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace {

std::uint32_t crc_of(const std::uint8_t* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes));
}

/// Checksums, length and marks as a forger would write them.
std::vector<std::uint8_t> forged(const std::uint8_t* data, std::size_t bytes) {
  std::vector<std::uint8_t> file(data, data + bytes);
  Header header{};
  if (bytes < sizeof header) return file;
  std::memcpy(&header, data, sizeof header);
  header.magic_bytes = magic;
  header.endianness = endianness_mark;
  header.format_version = version;
  header.file_bytes = bytes;
  header.table_crc = 0;
  const std::size_t rows = (bytes - sizeof header) / sizeof(BlockEntry);
  const std::size_t table = std::min<std::size_t>(header.blocks, rows) * sizeof(BlockEntry);
  std::size_t offset = sizeof header + table;
  for (std::size_t at = sizeof header; at < sizeof header + table; at += sizeof(BlockEntry)) {
    BlockEntry entry;
    std::memcpy(&entry, &file[at], sizeof entry);
    entry.bytes = std::min<std::uint64_t>(entry.bytes, bytes - offset);
    entry.crc = crc_of(file.data() + offset, entry.bytes);
    offset += entry.bytes;
    std::memcpy(&file[at], &entry, sizeof entry);
  }
  file.resize(offset);
  header.file_bytes = offset;
  std::memcpy(file.data(), &header, sizeof header);
  header.table_crc = crc_of(file.data(), sizeof header + table);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

/// The file with one value of its state changed; empty if its state is not JSON.
std::string with_other_state(const std::string& file, std::minstd_rand& random) {
  Header header{};
  if (file.size() < sizeof header) return "";
  std::memcpy(&header, file.data(), sizeof header);
  std::size_t at = sizeof header, offset = sizeof header + std::size_t{header.blocks} * sizeof(BlockEntry);
  for (; at + sizeof(BlockEntry) <= file.size() && offset < file.size(); at += sizeof(BlockEntry)) {
    BlockEntry entry;
    std::memcpy(&entry, &file[at], sizeof entry);
    const std::size_t bytes = std::min<std::uint64_t>(entry.bytes, file.size() - offset);
    if (std::strncmp(entry.name.data(), "state", entry.name.size()) == 0) {
      const std::string state = fuzz::changed_json(file.substr(offset, bytes), random);
      if (state.empty()) return "";
      std::string other = file.substr(0, offset) + state + file.substr(offset + bytes);
      entry.bytes = state.size();
      std::memcpy(&other[at], &entry, sizeof entry);
      return other;
    }
    offset += bytes;
  }
  return "";
}

void go_on_from(const Checkpoint& checkpoint) {
  try {
    const Parameters parameters = parse_parameters(checkpoint.parameters, "checkpoint");
    RunRecord record = record_from_json(parse_json(checkpoint.state, "state").at("record"));
    add_step(record, StepRecord{});
    report_html(report_json(record, parameters), "no such directory");
  } catch (const nlohmann::json::exception&) {  // the program turns it into one message
  }
}

void read(const std::uint8_t* data, std::size_t bytes) {
  const fuzz::MemoryFile file(data, bytes);
  fuzz::expect_input_error_at_most([&] { go_on_from(read_checkpoint(file.path())); });
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::string file;
  if (random() % 2 == 0) file = with_other_state({reinterpret_cast<const char*>(data), bytes}, random);
  if (file.empty() || file.size() > most) return LLVMFuzzerMutate(data, bytes, most);
  file.copy(reinterpret_cast<char*>(data), file.size());
  return file.size();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  read(data, bytes);
  const std::vector<std::uint8_t> file = forged(data, bytes);
  read(file.data(), file.size());
  return 0;
}
