#include "run/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include "host/base/error.hpp"
#include "run/checkpoint_format.hpp"
#include "run/partial_file.hpp"

namespace multiwalk {

namespace {

namespace fs = std::filesystem;
using namespace checkpoint_format;

std::uint32_t crc_of(const void* data, std::size_t bytes, std::uint32_t start = 0) {
  return static_cast<std::uint32_t>(crc32_z(start, static_cast<const Bytef*>(data), bytes));
}

/// Covers the header with its own CRC field zero, then the table.
std::uint32_t table_crc(Header header, const std::vector<BlockEntry>& table) {
  header.table_crc = 0;
  return crc_of(table.data(), table.size() * sizeof(BlockEntry), crc_of(&header, sizeof header));
}

class CheckpointWriter {
 public:
  void add(std::string_view name, const void* data, std::size_t bytes, std::size_t element_bytes) {
    BlockEntry entry{};
    name.copy(entry.name.data(), entry.name.size());
    entry.bytes = bytes;
    entry.element_bytes = static_cast<std::uint32_t>(element_bytes);
    entry.crc = crc_of(data, bytes);
    table_.push_back(entry);
    data_.push_back(data);
  }

  void write(const std::string& path) const {
    Header header{magic, endianness_mark, version, static_cast<std::uint32_t>(table_.size()), 0, 0};
    header.file_bytes = sizeof header + table_.size() * sizeof(BlockEntry);
    for (const BlockEntry& entry : table_) header.file_bytes += entry.bytes;
    header.table_crc = table_crc(header, table_);
    PartialFile file(path);
    FileDescriptor descriptor = FileDescriptor::create(file.partial_path());
    descriptor.write(&header, sizeof header);
    descriptor.write(table_.data(), table_.size() * sizeof(BlockEntry));
    for (std::size_t i = 0; i < table_.size(); ++i) descriptor.write(data_[i], table_[i].bytes);
    descriptor.close();
    file.commit();
  }

 private:
  std::vector<BlockEntry> table_;
  std::vector<const void*> data_;
};

class CheckpointReader {
 public:
  explicit CheckpointReader(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {
    if (!file_) damaged("cannot be opened");
    std::error_code status;
    const std::uint64_t bytes = fs::file_size(path_, status);
    Header header{};
    if (status || bytes < sizeof header) damaged("is too short");
    read_raw(&header, sizeof header);
    check(header, bytes);
    table_.resize(header.blocks);
    read_raw(table_.data(), table_.size() * sizeof(BlockEntry));
    if (table_crc(header, table_) != header.table_crc) damaged("has a damaged header or block table");
    index_blocks(bytes);
  }

  template <class T>
  [[nodiscard]] std::vector<T> block(const std::string& name) {
    const auto found = blocks_.find(name);
    if (found == blocks_.end()) damaged("lacks the block " + name);
    const BlockEntry& entry = found->second.entry;
    if (entry.element_bytes != sizeof(T) || entry.bytes % sizeof(T) != 0)
      damaged("has a block " + name + " of another type");
    std::vector<T> values(entry.bytes / sizeof(T));
    file_.seekg(static_cast<std::streamoff>(found->second.offset));
    read_raw(values.data(), entry.bytes);
    if (crc_of(values.data(), entry.bytes) != entry.crc) damaged("has a damaged block " + name + " (CRC-32)");
    return values;
  }

  [[noreturn]] void damaged(const std::string& what) const { throw InputError("checkpoint " + path_ + " " + what); }

 private:
  struct Block {
    BlockEntry entry;
    std::uint64_t offset;
  };

  void read_raw(void* data, std::size_t bytes) {
    if (!file_.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes))) damaged("is truncated");
  }

  void check(const Header& header, std::uint64_t bytes) const {
    if (header.magic_bytes != magic) damaged("is not a Multiwalk checkpoint");
    if (header.endianness != endianness_mark)
      damaged("was written on a machine of the other byte order, or is damaged");
    if (header.format_version != version)
      damaged(fmt::format("has format version {}, this program reads {}", header.format_version, version));
    if (header.file_bytes != bytes) damaged(fmt::format("is {} bytes long instead of {}", bytes, header.file_bytes));
    if (header.blocks > (bytes - sizeof header) / sizeof(BlockEntry)) damaged("has a damaged block count");
  }

  void index_blocks(std::uint64_t bytes) {
    std::uint64_t offset = sizeof(Header) + table_.size() * sizeof(BlockEntry);
    for (const BlockEntry& entry : table_) {
      if (entry.bytes > bytes - offset) damaged("has blocks that do not fit in it");
      const char* name = entry.name.data();
      blocks_[std::string(name, strnlen(name, entry.name.size()))] = {entry, offset};
      offset += entry.bytes;
    }
    if (offset != bytes) damaged("has bytes that belong to no block");
  }

  std::string path_;
  std::ifstream file_;
  std::vector<BlockEntry> table_;
  std::map<std::string, Block> blocks_;
};

constexpr std::string_view prefix = "checkpoint_", extension = ".mwc";

/// Finished checkpoints of a directory by step.
std::map<std::uint64_t, std::string> checkpoints_in(const std::string& directory) {
  std::map<std::uint64_t, std::string> found;
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(directory, status)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix) || !name.ends_with(extension)) continue;
    const std::string step = name.substr(prefix.size(), name.size() - prefix.size() - extension.size());
    if (step.empty() || step.size() > 19 || !std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    found[std::stoull(step)] = entry.path();
  }
  return found;
}

/// Best effort: what cannot be removed does no harm.
void remove_all_but_two(const std::string& directory, std::uint64_t written) {
  std::vector<std::string> superfluous;
  int kept = 0;
  const auto found = checkpoints_in(directory);
  for (auto it = found.rbegin(); it != found.rend(); ++it)
    if (it->first > written || ++kept > 2) superfluous.push_back(it->second);
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(directory, status)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(PartialFile::suffix)) superfluous.push_back(entry.path());
  }
  for (const std::string& path : superfluous) fs::remove(path, status);
}

}  // namespace

std::string write_checkpoint(const std::string& directory, const Checkpoint& checkpoint) {
  const ParticleSystem& system = checkpoint.system;
  const SystemRecord record{system.particles.size(),
                            checkpoint.step,
                            static_cast<std::int32_t>(system.frame),
                            static_cast<std::int32_t>(system.boundary),
                            system.time,
                            system.box_size,
                            system.spacing,
                            system.sphere_radius};
  CheckpointWriter writer;
  writer.add("system", &record, sizeof record, sizeof record);
  writer.add("parameters", checkpoint.parameters.data(), checkpoint.parameters.size(), 1);
  writer.add("state", checkpoint.state.data(), checkpoint.state.size(), 1);
  for_each_array(system.particles, [&]<class T>(const char* name, const std::vector<T>& values) {
    writer.add(name, values.data(), values.size() * sizeof(T), sizeof(T));
  });
  const std::string path = fmt::format("{}/{}{:08}{}", directory, prefix, checkpoint.step, extension);
  writer.write(path);
  remove_all_but_two(directory, checkpoint.step);
  return path;
}

Checkpoint read_checkpoint(const std::string& path) {
  CheckpointReader reader(path);
  const auto records = reader.block<SystemRecord>("system");
  if (records.size() != 1) reader.damaged("has a block system of another size");
  const SystemRecord& record = records.front();
  Checkpoint checkpoint;
  checkpoint.step = record.step;
  ParticleSystem& system = checkpoint.system;
  system.frame = static_cast<Frame>(record.frame);
  system.boundary = static_cast<Boundary>(record.boundary);
  system.time = record.time;
  system.box_size = record.box_size;
  system.spacing = record.spacing;
  system.sphere_radius = record.sphere_radius;
  const auto parameters = reader.block<char>("parameters");
  const auto state = reader.block<char>("state");
  checkpoint.parameters.assign(parameters.begin(), parameters.end());
  checkpoint.state.assign(state.begin(), state.end());
  for_each_array(system.particles, [&]<class T>(const char* name, std::vector<T>& values) {
    values = reader.block<T>(name);
    if (!values.empty() && values.size() != record.particles)
      reader.damaged(std::string("has a block ") + name + " of another length");
  });
  if (system.particles.size() != record.particles) reader.damaged("lacks positions");
  return checkpoint;
}

Checkpoint read_newest_checkpoint(const std::string& directory, std::string& warning) {
  warning.clear();
  const auto found = checkpoints_in(directory);
  if (found.empty()) throw InputError(directory + ": no checkpoint to restart from");
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    try {
      return read_checkpoint(it->second);
    } catch (const InputError& error) {
      warning += (warning.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  throw InputError(directory + ": no usable checkpoint: " + warning);
}

}  // namespace multiwalk
