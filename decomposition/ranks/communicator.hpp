// SPDX-License-Identifier: GPL-3.0-or-later
// The one MPI wrapper: typed spans, any count, every return code checked.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/base/error.hpp"

namespace multiwalk {

/// How to wait for messages. They advance only inside calls of MPI, large ones piece by piece: a call that took long
/// has advanced one, so the next call follows at once. While nothing advances, the thread first yields its processor
/// and later sleeps between calls, since ranks may share processors and MPI's own waits never release them.
class PollBackoff {
 public:
  /// Calls MPI by act(); returns how long to pause afterwards, an eighth of the time in which nothing advanced (at most
  /// 1 ms), so that waiting takes little longer than necessary. The shortest sleep takes 60 us, longer than most
  /// collective calls, so for the first 200 us the thread only yields.
  template <class Act>
  std::chrono::microseconds after(const Act& act) {
    using namespace std::chrono;
    constexpr microseconds idle_call{5}, at_once{20}, offered{200}, most{1000};
    const auto called = steady_clock::now();
    act();
    const auto now = steady_clock::now();
    if (now - called > idle_call) moved_ = now;
    const auto idle = duration_cast<microseconds>(now - moved_);
    if (idle > offered) return std::min(idle / 8, most);
    if (idle > at_once) std::this_thread::yield();
    return microseconds(0);
  }

 private:
  std::chrono::steady_clock::time_point moved_ = std::chrono::steady_clock::now();
};

/// A non-blocking message in progress. Waits when it goes out of scope, so that the data outlives the message; abandons
/// the message when an exception ends the scope, since the other side may never call.
class Transfer {
 public:
  Transfer() = default;
  Transfer(Transfer&& other) noexcept : requests_(std::exchange(other.requests_, {})) {}
  Transfer& operator=(Transfer&& other) noexcept;
  ~Transfer();

  /// True once it is complete; advances messages.
  bool done();
  void wait();

 private:
  friend class Communicator;
  std::vector<MPI_Request> requests_;
};

/// The result of an all-to-all: the senders' parts in rank order.
template <class T>
struct Received {
  std::vector<T> data;
  std::vector<std::uint64_t> count;  ///< (ranks) elements from each
};

/// The message about a communicator in a forked process.
inline constexpr const char* mpi_after_fork =
    "MPI was started before this process was forked and can be used only by its parent: work without a communicator "
    "here, or start processes by the method \"spawn\"";

/// A set of ranks that work together. Default-constructed: one rank alone, without MPI. Copies share one MPI
/// communicator. Elements are trivially copyable and travel as bytes; counts may exceed 2^31. All communication except
/// send and receive is collective: every rank calls it in the same order. One thread at a time may call
/// (MPI_THREAD_SERIALIZED). Throws Error with MPI's own text.
class Communicator {
 public:
  Communicator() = default;
  /// A separate communicator over the ranks of `parent`.
  explicit Communicator(MPI_Comm parent);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool root() const { return rank_ == 0; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  /// For parallel HDF5; MPI_COMM_NULL for a default-constructed one. Throws Error in a process forked from the one that
  /// made it, as all calls between ranks do.
  [[nodiscard]] MPI_Comm native() const;

  /// The ranks with the same colour, in their present order.
  [[nodiscard]] Communicator split(int colour) const;
  /// The ranks of this host.
  [[nodiscard]] Communicator on_this_host() const;

  void barrier() const;
  /// Element by element over all ranks; T: double, float, int, (u)int32_t, (u)int64_t. Every rank gets the result.
  template <class T>
  [[nodiscard]] T sum(T value) const {
    sum(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  [[nodiscard]] T min(T value) const {
    min(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  [[nodiscard]] T max(T value) const {
    max(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  void sum(std::span<T> values) const {
    reduce(values.data(), values.size(), number_type<T>(), sizeof(T), MPI_SUM);
  }
  template <class T>
  void min(std::span<T> values) const {
    reduce(values.data(), values.size(), number_type<T>(), sizeof(T), MPI_MIN);
  }
  template <class T>
  void max(std::span<T> values) const {
    reduce(values.data(), values.size(), number_type<T>(), sizeof(T), MPI_MAX);
  }
  /// True if it holds on every (on any) rank.
  [[nodiscard]] bool all(bool holds) const { return min(static_cast<int>(holds)) != 0; }
  [[nodiscard]] bool any(bool holds) const { return max(static_cast<int>(holds)) != 0; }
  /// Sum of the values of all lower ranks.
  [[nodiscard]] std::uint64_t sum_before(std::uint64_t value) const;

  template <class T>
  void broadcast(std::span<T> values, int from = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(values.data(), values.size_bytes(), from);
  }
  /// The sender's text on every rank.
  [[nodiscard]] std::string broadcast(std::string text, int from = 0) const;

  /// (ranks) every rank's value.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(static_cast<std::size_t>(size_));
    all_gather_bytes(&value, sizeof(T), values.data());
    return values;
  }
  /// (ranks, n) every rank's n values; n is the same on all ranks.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size_) * values.size());
    all_gather_bytes(values.data(), values.size_bytes(), all.data());
    return all;
  }
  /// Every rank's values in rank order, on the rank `to` only (empty elsewhere).
  template <class T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> values, int to = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::uint64_t> counts = gather_counts(values.size(), to);
    std::vector<T> all(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    gather_bytes(reinterpret_cast<const std::byte*>(values.data()), values.size_bytes(), counts,
                 reinterpret_cast<std::byte*>(all.data()), sizeof(T), to);
    return all;
  }
  /// All-to-all: the first counts[0] elements go to rank 0, the next counts[1] to rank 1, ...
  template <class T>
  [[nodiscard]] Received<T> exchange(std::span<const T> data, std::span<const std::uint64_t> counts) const {
    static_assert(std::is_trivially_copyable_v<T>);
    require(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == data.size(), "counts and data differ");
    Received<T> received;
    received.count = exchange_counts(counts);
    received.data.resize(std::accumulate(received.count.begin(), received.count.end(), std::uint64_t{0}));
    exchange_bytes(reinterpret_cast<const std::byte*>(data.data()), counts,
                   reinterpret_cast<std::byte*>(received.data.data()), received.count, sizeof(T));
    return received;
  }
  /// (ranks) element r is what rank r has at this rank's place.
  [[nodiscard]] std::vector<std::uint64_t> exchange_counts(std::span<const std::uint64_t> counts) const {
    return exchange_each(counts);
  }
  /// The same for any small values.
  template <class T>
  [[nodiscard]] std::vector<T> exchange_each(std::span<const T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    require(values.size() == static_cast<std::size_t>(size_), "one value per rank");
    std::vector<T> received(values.begin(), values.end());
    if (!alone()) exchange_each_bytes(values.data(), sizeof(T), received.data());
    return received;
  }

  /// Non-blocking messages; the data must stay where they are until the transfer is done. Tags: 0 to 32765.
  template <class T>
  [[nodiscard]] Transfer send(std::span<const T> data, int to, int tag) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return send_bytes(reinterpret_cast<const std::byte*>(data.data()), data.size_bytes(), to, tag);
  }
  template <class T>
  [[nodiscard]] Transfer receive(std::span<T> data, int from, int tag) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return receive_bytes(reinterpret_cast<std::byte*>(data.data()), data.size_bytes(), from, tag);
  }
  /// Bytes passed to send, exchange and gather by this process so far, excluding those to itself.
  [[nodiscard]] static std::uint64_t bytes_sent();

 private:
  struct Handle;

  template <class T>
  static MPI_Datatype number_type() {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "double, float, (u)int32, (u)int64");
    if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? MPI_DOUBLE : MPI_FLOAT;
    if constexpr (std::is_signed_v<T>) return sizeof(T) == 8 ? MPI_INT64_T : MPI_INT32_T;
    return sizeof(T) == 8 ? MPI_UINT64_T : MPI_UINT32_T;
  }
  void reduce(void* values, std::size_t count, MPI_Datatype type, std::size_t element, MPI_Op operation) const;
  void broadcast_bytes(void* data, std::size_t bytes, int from) const;
  void all_gather_bytes(const void* mine, std::size_t bytes, void* all) const;
  void exchange_each_bytes(const void* values, std::size_t bytes, void* received) const;
  /// (ranks) on `to`, empty elsewhere.
  [[nodiscard]] std::vector<std::uint64_t> gather_counts(std::uint64_t count, int to) const;
  void gather_bytes(const std::byte* mine, std::size_t bytes, std::span<const std::uint64_t> counts, std::byte* all,
                    std::size_t element, int to) const;
  void exchange_bytes(const std::byte* data, std::span<const std::uint64_t> counts, std::byte* received,
                      std::span<const std::uint64_t> received_counts, std::size_t element) const;
  [[nodiscard]] Transfer send_bytes(const std::byte* data, std::size_t bytes, int to, int tag) const;
  [[nodiscard]] Transfer receive_bytes(std::byte* data, std::size_t bytes, int from, int tag) const;

  std::shared_ptr<const Handle> handle_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace multiwalk
