// SPDX-License-Identifier: GPL-3.0-or-later
// The first rank writes; the others send it their rows piece by piece.
#include <algorithm>
#include <optional>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/hdf5/hdf5_shared_file.hpp"

namespace multiwalk::hdf5 {

namespace {

constexpr int rows_tag = 5;

void send_rows(const Communicator& comm, const RowSource& source, std::uint64_t first, std::uint64_t rows) {
  std::vector<std::byte> buffer(std::min(rows, rows_per_piece) * source.row_bytes);
  for (std::uint64_t done = 0; done < rows; done += rows_per_piece) {
    const std::uint64_t piece = std::min(rows - done, rows_per_piece);
    source.make(first + done, piece, buffer.data());
    comm.send(std::span<const std::byte>(buffer.data(), piece * source.row_bytes), 0, rows_tag).wait();
  }
}

/// Receives everything even after a failure, so that the senders come through; what failed is returned.
std::optional<std::string> write_received(const Communicator& comm, const Object& dataset, const RowSource& source,
                                          const std::vector<std::uint64_t>& rows) {
  std::optional<std::string> failure;
  std::vector<std::byte> buffer(std::min(*std::ranges::max_element(rows), rows_per_piece) * source.row_bytes);
  std::uint64_t at = rows[0];
  for (int from = 1; from < comm.size(); ++from) {
    const std::uint64_t count = rows[static_cast<std::size_t>(from)];
    for (std::uint64_t done = 0; done < count; done += rows_per_piece) {
      const std::uint64_t piece = std::min(count - done, rows_per_piece);
      comm.receive(std::span<std::byte>(buffer.data(), piece * source.row_bytes), from, rows_tag).wait();
      try {
        if (!failure) dataset.write_made_rows(source, buffer.data(), piece, at + done);
      } catch (const std::exception& error) {
        failure = error.what();
      }
    }
    at += count;
  }
  try {
    dataset.finish_rows();
  } catch (const std::exception& error) {
    if (!failure) failure = error.what();
  }
  return failure;
}

}  // namespace

SharedFile::SharedFile(std::string path, Communicator comm) : comm_(std::move(comm)) {
  collectively(comm_, [&] {
    if (comm_.root()) file_.emplace(File::open_to_fill(path));
  });
}

SharedFile::~SharedFile() = default;

void SharedFile::write(const std::string& group, const RowSource& source, std::uint64_t first, std::uint64_t rows) {
  const std::vector<std::uint64_t> all_rows = comm_.all_gather(rows);
  std::optional<Object> dataset;
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    dataset.emplace(file_->dataset(group + "/" + source.link));
    dataset->write_rows(source, first, rows, 0);
  });
  std::optional<std::string> failure;
  if (dataset) {
    failure = write_received(comm_, *dataset, source, all_rows);
  } else {
    send_rows(comm_, source, first, rows);
  }
  agree_on_success(comm_, failure);
}

void SharedFile::close() {
  collectively(comm_, [&] {
    if (file_) file_->close();
  });
}

}  // namespace multiwalk::hdf5
