// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <source_location>
#include <thread>
#include <utility>

#include "host/base/error.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

/// Messages are divided into pieces of at most this many bytes, which tests lower.
extern std::size_t largest_message;
std::size_t largest_message = std::size_t{1} << 30;

namespace {

std::atomic<std::uint64_t> sent_bytes{0};
constexpr int exchange_tag = 32767;
constexpr int gather_tag = 32766;

void check(int code, const char* call, const std::source_location& where = std::source_location::current()) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw Error(std::string(call) + ": " + line, where);
}

/// Calls act(offset, bytes) for every piece; an empty message is one empty piece.
template <class Act>
void for_each_chunk(std::size_t bytes, Act act) {
  std::size_t offset = 0;
  do {
    const std::size_t piece = std::min(bytes - offset, largest_message);
    act(offset, static_cast<int>(piece));
    offset += piece;
  } while (offset < bytes);
}

int wait_for(std::span<MPI_Request> requests) {
  PollBackoff patience;
  for (;;) {
    int code = MPI_SUCCESS, all = 0;
    const auto pause = patience.after(
        [&] { code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE); });
    if (code != MPI_SUCCESS || all != 0) return code;
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

/// Starts a collective call and waits for it.
template <class Begin>
void complete(const char* call, Begin begin, const std::source_location& where = std::source_location::current()) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(begin(&request), call, where);
  check(wait_for(std::span(&request, 1)), call, where);
}

}  // namespace

struct Communicator::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  unsigned forks = fork_count();

  [[nodiscard]] bool of_this_process() const { return forks == fork_count(); }

  explicit Handle(MPI_Comm owned) : comm(owned) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (!of_this_process()) return;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

Transfer& Transfer::operator=(Transfer&& other) noexcept {
  std::swap(requests_, other.requests_);
  return *this;
}

Transfer::~Transfer() {
  const bool give_up = std::uncaught_exceptions() > 0;
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    if (give_up) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    } else {
      wait_for(std::span(&request, 1));
    }
  }
}

bool Transfer::done() {
  if (requests_.empty()) return true;
  int all = 0;
  check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (all != 0) requests_.clear();
  return all != 0;
}

void Transfer::wait() {
  check(wait_for(requests_), "MPI_Testall");
  requests_.clear();
}

Communicator::Communicator(MPI_Comm parent) {
  MPI_Comm own = MPI_COMM_NULL;
  check(MPI_Comm_dup(parent, &own), "MPI_Comm_dup");
  handle_ = std::make_shared<const Handle>(own);
  check(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(own, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(own, &size_), "MPI_Comm_size");
}

MPI_Comm Communicator::native() const {
  if (!handle_) return MPI_COMM_NULL;
  if (!handle_->of_this_process()) throw Error(mpi_after_fork);
  return handle_->comm;
}

Communicator Communicator::split(int colour) const {
  if (!handle_) return {};
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(native(), colour, rank_, &part), "MPI_Comm_split");
  const Handle temporary(part);
  return Communicator(part);
}

Communicator Communicator::on_this_host() const {
  if (!handle_) return {};
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(native(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
  const Handle temporary(part);
  return Communicator(part);
}

void Communicator::barrier() const {
  if (!alone()) complete("MPI_Ibarrier", [&](MPI_Request* r) { return MPI_Ibarrier(native(), r); });
}

std::uint64_t Communicator::sum_before(std::uint64_t value) const {
  if (alone()) return 0;
  std::uint64_t before = 0;
  complete("MPI_Iexscan", [&](MPI_Request* request) {
    return MPI_Iexscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, native(), request);
  });
  return root() ? 0 : before;
}

std::string Communicator::broadcast(std::string text, int from) const {
  std::uint64_t length = text.size();
  broadcast(std::span<std::uint64_t>(&length, 1), from);
  text.resize(length);
  broadcast(std::span<char>(text), from);
  return text;
}

void Communicator::exchange_each_bytes(const void* values, std::size_t bytes, void* received) const {
  const auto n = static_cast<int>(bytes);
  complete("MPI_Ialltoall", [&](MPI_Request* request) {
    return MPI_Ialltoall(values, n, MPI_BYTE, received, n, MPI_BYTE, native(), request);
  });
}

std::uint64_t Communicator::bytes_sent() {
  return sent_bytes;
}

void Communicator::reduce(void* values, std::size_t count, MPI_Datatype type, std::size_t element,
                          MPI_Op operation) const {
  if (alone() || count == 0) return;
  const std::size_t whole = std::max<std::size_t>(largest_message / element, 1);
  for (std::size_t first = 0; first < count; first += whole) {
    const auto n = static_cast<int>(std::min(whole, count - first));
    void* piece = static_cast<std::byte*>(values) + first * element;
    complete("MPI_Iallreduce", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, piece, n, type, operation, native(), request);
    });
  }
}

void Communicator::broadcast_bytes(void* data, std::size_t bytes, int from) const {
  if (alone()) return;
  for_each_chunk(bytes, [&](std::size_t offset, int piece) {
    complete("MPI_Ibcast", [&](MPI_Request* request) {
      return MPI_Ibcast(static_cast<std::byte*>(data) + offset, piece, MPI_BYTE, from, native(), request);
    });
  });
}

void Communicator::all_gather_bytes(const void* mine, std::size_t bytes, void* all) const {
  if (alone()) {
    std::memcpy(all, mine, bytes);
    return;
  }
  const auto n = static_cast<int>(bytes);
  complete("MPI_Iallgather", [&](MPI_Request* request) {
    return MPI_Iallgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, native(), request);
  });
}

std::vector<std::uint64_t> Communicator::gather_counts(std::uint64_t count, int to) const {
  if (alone()) return {count};
  std::vector<std::uint64_t> counts(rank_ == to ? static_cast<std::size_t>(size_) : 0);
  complete("MPI_Igather", [&](MPI_Request* request) {
    return MPI_Igather(&count, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, to, native(), request);
  });
  return counts;
}

void Communicator::gather_bytes(const std::byte* mine, std::size_t bytes, std::span<const std::uint64_t> counts,
                                std::byte* all, std::size_t element, int to) const {
  std::vector<Transfer> transfers;
  if (rank_ != to && bytes > 0) transfers.push_back(send_bytes(mine, bytes, to, gather_tag));
  for (int from = 0; from < static_cast<int>(counts.size()); ++from) {
    const std::size_t part = counts[static_cast<std::size_t>(from)] * element;
    if (part > 0 && from == rank_) std::memcpy(all, mine, part);
    if (part > 0 && from != rank_) transfers.push_back(receive_bytes(all, part, from, gather_tag));
    all += part;
  }
  for (Transfer& transfer : transfers) transfer.wait();
}

void Communicator::exchange_bytes(const std::byte* data, std::span<const std::uint64_t> counts, std::byte* received,
                                  std::span<const std::uint64_t> received_counts, std::size_t element) const {
  std::vector<std::size_t> offset(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) offset[r + 1] = offset[r] + counts[r] * element;
  std::vector<Transfer> transfers;
  std::byte* into = received;
  for (int from = 0; from < size_; ++from) {
    const std::size_t bytes = received_counts[static_cast<std::size_t>(from)] * element;
    if (bytes > 0 && from == rank_) std::memcpy(into, data + offset[static_cast<std::size_t>(rank_)], bytes);
    if (bytes > 0 && from != rank_) transfers.push_back(receive_bytes(into, bytes, from, exchange_tag));
    into += bytes;
  }
  // Each rank starts with the next one, so that not all ranks send to the same one at once.
  for (int step = 1; step < size_; ++step) {
    const auto to = static_cast<std::size_t>((rank_ + step) % size_);
    const std::size_t bytes = offset[to + 1] - offset[to];
    if (bytes > 0) transfers.push_back(send_bytes(data + offset[to], bytes, static_cast<int>(to), exchange_tag));
  }
  for (Transfer& transfer : transfers) transfer.wait();
}

Transfer Communicator::send_bytes(const std::byte* data, std::size_t bytes, int to, int tag) const {
  require(handle_ != nullptr, "a single rank cannot send");
  Transfer transfer;
  for_each_chunk(bytes, [&](std::size_t offset, int piece) {
    check(MPI_Isend(data + offset, piece, MPI_BYTE, to, tag, native(),
                    &transfer.requests_.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Isend");
  });
  if (to != rank_) sent_bytes += bytes;
  return transfer;
}

Transfer Communicator::receive_bytes(std::byte* data, std::size_t bytes, int from, int tag) const {
  require(handle_ != nullptr, "a single rank cannot receive");
  Transfer transfer;
  for_each_chunk(bytes, [&](std::size_t offset, int piece) {
    check(MPI_Irecv(data + offset, piece, MPI_BYTE, from, tag, native(),
                    &transfer.requests_.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Irecv");
  });
  return transfer;
}

}  // namespace multiwalk
