// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between ranks whose devices work together: they cut parts of their trees for each other and add up meshes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace multiwalk {

/// Counts of what this rank has sent and received in an evaluation.
struct ExchangedParts {
  std::uint64_t nodes_sent = 0, particles_sent = 0, bytes_sent = 0;
  std::uint64_t nodes_received = 0, particles_received = 0, bytes_received = 0;
};

/// All functions but the first three and record are collective.
class TreeExchange {
 public:
  virtual ~TreeExchange() = default;

  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t ranks() const = 0;
  /// Whether all ranks run on one host, where one process may read another's device memory.
  [[nodiscard]] virtual bool on_one_host() const = 0;
  /// (ranks) every rank's bytes.
  virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) = 0;
  /// (ranks x bytes) every rank's bytes, whose number is the same on all ranks.
  virtual std::vector<std::byte> all_gather_same(std::span<const std::byte> mine) = 0;
  /// Sends out[r] to rank r and fills in[r] with what that rank sends; the sizes agree, and those of this rank are 0.
  virtual void transfer(std::span<const std::span<const std::byte>> out, std::span<const std::span<std::byte>> in) = 0;
  /// For the report.
  virtual void record(const ExchangedParts& parts) = 0;

  /// (ranks) every rank's array; T: trivially copyable.
  template <class T>
  std::vector<std::vector<T>> gather_arrays(std::span<const T> mine) {
    std::vector<std::vector<T>> arrays;
    for (const std::vector<std::byte>& bytes : all_gather(std::as_bytes(mine))) {
      arrays.emplace_back(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(arrays.back().data(), bytes.data(), bytes.size());
    }
    return arrays;
  }
  /// (ranks, n) every rank's n values; n is the same on all ranks. T as above.
  template <class T>
  std::vector<T> gather_rows(std::span<const T> mine) {
    const std::vector<std::byte> bytes = all_gather_same(std::as_bytes(mine));
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// (ranks) every rank's value.
  template <class T>
  std::vector<T> gather(const T& mine) {
    return gather_rows(std::span<const T>(&mine, 1));
  }
};

/// (ranks) every rank's value; others: null if there is one rank. Collective.
template <class T>
std::vector<T> of_all_ranks(const T& mine, TreeExchange* others) {
  return others != nullptr ? others->gather(mine) : std::vector<T>{mine};
}
/// Whether this holds on all ranks. As above.
inline bool on_all_ranks(bool mine, TreeExchange* others) {
  return std::ranges::all_of(of_all_ranks(static_cast<char>(mine), others), [](char one) { return one != 0; });
}

}  // namespace multiwalk
