// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <span>

#include "device/base/blocks_for.cuh"
#include "device/mesh/sum_over_ranks.cuh"

namespace multiwalk {

namespace {

using Number = SumOverRanks::Number;
constexpr unsigned sum_threads = 256;

__global__ void add_kernel(Number* sum, const Number* other, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * sum_threads + threadIdx.x;
  if (i < n) sum[i] += other[i];
}

void add(Number* sum, const Number* other, std::size_t n, const Stream& stream) {
  if (n == 0) return;
  add_kernel<<<blocks_for(n, sum_threads), sum_threads, 0, stream.get()>>>(sum, other, n);
  check_cuda(cudaGetLastError(), "add_kernel");
}

void copy_numbers(Number* to, const Number* from, std::size_t n, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, n * sizeof(Number), cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
}

/// All ranks have come so far, and what they had to do on their devices is done.
void wait_for_all(TreeExchange& ranks, const Stream& stream) {
  check_cuda(cudaStreamSynchronize(stream.get()), "a sum over ranks");
  ranks.gather(char{});
}

}  // namespace

/// The part of a piece that each rank adds up.
struct SumOverRanks::Slices {
  std::size_t count, most, own;

  Slices(std::size_t numbers, const TreeExchange& ranks)
      : count(numbers), most((numbers + ranks.ranks() - 1) / ranks.ranks()), own(ranks.rank()) {}
  [[nodiscard]] std::size_t first(std::size_t rank) const { return std::min(count, rank * most); }
  [[nodiscard]] std::size_t size(std::size_t rank) const { return first(rank + 1) - first(rank); }
};

bool SumOverRanks::prepare(TreeExchange& ranks) {
  struct Shown {
    PeerAddress address;
    bool room = false;
  } mine;
  mine.room = shown_.reserve((piece + piece / ranks.ranks() + 1) * sizeof(Number));
  mine.address = shown_.address();
  const std::vector<Shown> all = ranks.gather(mine);
  shown_by_.clear();
  if (!std::ranges::all_of(all, &Shown::room)) return false;
  peers_.resize(ranks.ranks());
  bool opened = ranks.on_one_host();
  for (std::size_t r = 0; opened && r < ranks.ranks(); ++r) {
    const std::byte* const there = r == ranks.rank() ? shown_.data() : peers_[r].open(all[r].address);
    shown_by_.push_back(reinterpret_cast<const Number*>(there));
    opened = there != nullptr;
  }
  for (const char other : ranks.gather(static_cast<char>(opened))) opened = opened && other != 0;
  if (opened) return true;
  shown_by_.clear();
  leaving_.reserve(piece);
  coming_.reserve(piece + ranks.ranks());
  return true;
}

void SumOverRanks::add_up(Number* numbers, std::size_t n, TreeExchange& ranks, const Stream& stream) {
  for (std::size_t first = 0; first < n; first += piece) {
    const Slices slices(std::min(piece, n - first), ranks);
    if (shown_by_.empty()) {
      add_sent(slices, numbers + first, ranks, stream);
    } else {
      add_shown(slices, numbers + first, ranks, stream);
    }
  }
  wait_for_all(ranks, stream);  // others have read what this rank showed
}

void SumOverRanks::add_shown(const Slices& slices, Number* numbers, TreeExchange& ranks, const Stream& stream) {
  copy_numbers(shown(), numbers, slices.count, stream);
  wait_for_all(ranks, stream);
  const std::size_t own = slices.own, begin = slices.first(own);
  for (std::size_t r = 0; r < ranks.ranks(); ++r) {
    if (r != own) add(numbers + begin, shown_by_[r] + begin, slices.size(own), stream);
  }
  copy_numbers(shown() + piece, numbers + begin, slices.size(own), stream);
  wait_for_all(ranks, stream);
  for (std::size_t r = 0; r < ranks.ranks(); ++r) {
    if (r != own) copy_numbers(numbers + slices.first(r), shown_by_[r] + piece, slices.size(r), stream);
  }
}

void SumOverRanks::add_sent(const Slices& slices, Number* numbers, TreeExchange& ranks, const Stream& stream) {
  const std::size_t own = slices.own, begin = slices.first(own), mine = slices.size(own);
  Number *const leaving = leaving_.data(), *const coming = coming_.data();
  std::vector<std::span<const std::byte>> out(ranks.ranks());
  std::vector<std::span<std::byte>> in(ranks.ranks());
  const auto transfer = [&](auto&& sent, auto&& received) {
    check_cuda(cudaStreamSynchronize(stream.get()), "a sum over ranks");
    for (std::size_t r = 0; r < ranks.ranks(); ++r) {
      if (r == own) continue;
      out[r] = std::as_bytes(sent(r));
      in[r] = std::as_writable_bytes(received(r));
    }
    ranks.transfer(out, in);
  };
  copy_numbers(leaving, numbers, slices.count, stream);
  transfer([&](std::size_t r) { return std::span<const Number>(leaving + slices.first(r), slices.size(r)); },
           [&](std::size_t r) { return std::span(coming + r * mine, mine); });
  for (std::size_t r = 0; r < ranks.ranks(); ++r) {
    if (r == own) continue;
    copy_numbers(shown(), coming + r * mine, mine, stream);
    add(numbers + begin, shown(), mine, stream);
  }
  copy_numbers(leaving, numbers + begin, mine, stream);
  transfer([&](std::size_t /*r*/) { return std::span<const Number>(leaving, mine); },
           [&](std::size_t r) { return std::span(coming + slices.first(r), slices.size(r)); });
  for (std::size_t r = 0; r < ranks.ranks(); ++r) {
    if (r != own) copy_numbers(numbers + slices.first(r), coming + slices.first(r), slices.size(r), stream);
  }
}

}  // namespace multiwalk
