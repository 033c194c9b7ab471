// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that leave for other ranks, and those that arrive.
#include <algorithm>
#include <bit>
#include <cstring>

#include "device/backends/kept_store.hpp"
#include "device/base/fetch.cuh"
#include "device/particles/step_kernels.cuh"
#include "device/particles/strays.cuh"
#include "device/tree/sort_particles.cuh"

namespace multiwalk {

namespace {

constexpr std::size_t least_shared = 16384;  // strays for which there is room, so that addresses seldom change

/// More elements than n, since the number of particles changes from step to step.
std::size_t spare_for(std::size_t n) {
  return n / 16 + 4096;
}

void enqueue_copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (bytes > 0) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
}

}  // namespace

bool KeptStore::reserve_search(std::size_t n) {
  const Stream& stream = devices_.first().stream;
  std::size_t bytes = 0;
  check_cuda(select_strays(nullptr, bytes, {nullptr, n, {}}, nullptr, nullptr, stream), "CUB's working memory");
  return searching_.reserve_keeping(bytes + 1, 0, 0, stream) && stray_count_.reserve(1, stream);
}

/// Returns the number of kept particles outside the domain; places() begins with theirs, rising.
std::size_t KeptStore::find_strays(const Box& domain) {
  const Stream& stream = devices_.first().stream;
  const StoreCopy& kept = devices_.first().tree.input();
  std::size_t bytes = searching_.capacity();
  check_cuda(select_strays(searching_.data(), bytes, {kept.position.data(), store_->size(), domain}, places(),
                           stray_count_.data(), stream),
             "CUB");
  return fetch(stray_count_.data(), stream);
}

KeptStore::StrayLists KeptStore::lists() const {
  const std::size_t n = strays_;
  std::uint32_t* const index = sorting_.data();
  std::uint32_t* const first = index + 2 * n;
  std::uint32_t* const rest = first + ranks_ + 2;
  return {index, index + n, first, rest, rest + n, rest + 2 * n, rest + 3 * n};
}

StrayArrays KeptStore::stray_arrays() {
  const StoreCopy& kept = devices_.first().tree.input();
  return {kept.position.data(),
          kept.velocity.data(),
          kept.acceleration.data(),
          kept.mass.data(),
          kept.rungs ? kept.long_range.data() : nullptr,
          kept.rungs ? kept.rung.data() : nullptr};
}

/// False: the device has no room to sort the strays.
bool KeptStore::reserve_lists(const DomainCuts& cuts) {
  const Stream& stream = devices_.first().stream;
  std::size_t bytes = 0;
  check_cuda(sort_strays(nullptr, bytes, {nullptr, nullptr, nullptr, nullptr, strays_}, stream),
             "CUB's working memory");
  return sorting_.reserve_growing(6 * strays_ + ranks_ + 2, 3 * strays_, stream) &&
         searching_.reserve_keeping(bytes + 1, 0, 0, stream) && cuts_.reserve(cuts.nx * cuts.ny * cuts.nz, stream);
}

void KeptStore::sort(const StrayOrder& order) {
  std::size_t bytes = searching_.capacity();
  check_cuda(sort_strays(searching_.data(), bytes, order, devices_.first().stream), "CUB");
}

/// Copies the cuts to cuts_; returns a view of them there.
DomainCuts KeptStore::upload(const DomainCuts& cuts) {
  const Stream& stream = devices_.first().stream;
  const std::size_t x = cuts.nx - 1, y = cuts.nx * (cuts.ny - 1), z = cuts.nx * cuts.ny * (cuts.nz - 1);
  DomainCuts there{cuts.nx, cuts.ny, cuts.nz, cuts_.data(), cuts_.data() + x, cuts_.data() + x + y};
  enqueue_copy(cuts_.data(), cuts.x, x * sizeof(double), stream);
  enqueue_copy(cuts_.data() + x, cuts.y, y * sizeof(double), stream);
  enqueue_copy(cuts_.data() + x + y, cuts.z, z * sizeof(double), stream);
  return there;
}

/// Enqueues the lists of the strays at places(), and their copies to lists_; there is room for both.
void KeptStore::make_lists(const DomainCuts& cuts) {
  const Stream& stream = devices_.first().stream;
  const StoreCopy& kept = devices_.first().tree.input();
  const std::size_t n = strays_;
  const StrayLists list = lists();
  std::uint32_t* const index = list.owner_by_rank;  // until the second sort
  gather(places(), n, kept.index.data(), index, stream);
  sort({index, places(), list.index, list.place, n});
  find_owners(kept.position.data(), list.place, n, upload(cuts), list.owner, stream);
  sort({list.owner, list.place, list.owner_by_rank, list.place_by_rank, n, static_cast<int>(std::bit_width(ranks_))});
  find_first(list.owner_by_rank, n, ranks_, list.first, stream);
  gather(list.place_by_rank, n, kept.index.data(), list.index_by_rank, stream);
  enqueue_copy(lists_.data(), list.index, (2 * n + ranks_ + 2) * sizeof(std::uint32_t), stream);
  enqueue_copy(lists_.data() + 2 * n + ranks_ + 2, places(), n * sizeof(std::uint32_t), stream);
}

/// Room for the strays where other ranks can read them; null: there is none, or it is not wanted.
PackedStray* KeptStore::reserve_shared(bool shared) {
  if (!shared) return nullptr;
  const std::size_t needed = std::max(strays_, least_shared) * sizeof(PackedStray);
  if (needed > half_) {
    const std::size_t half = 3 * needed / 2 / alignof(PackedStray) * alignof(PackedStray);
    if (!outgoing_.reserve(2 * half)) return nullptr;
    half_ = half;
  }
  second_half_ = !second_half_;
  return reinterpret_cast<PackedStray*>(outgoing_.data() + (second_half_ ? half_ : 0));
}

void KeptStore::pack_through_host() {
  const Stream& stream = devices_.first().stream;
  auto* const staged = reinterpret_cast<PackedStray*>(in_store_order_.data());
  std::byte* const home = leaving_.reserve(strays_ * sizeof(PackedStray));
  for (std::size_t first = 0; first < strays_; first += most_packed()) {
    const std::size_t count = std::min(most_packed(), strays_ - first);
    multiwalk::pack_strays(stray_arrays(), lists().place_by_rank + first, count, staged, stream);
    enqueue_copy(home + first * sizeof(PackedStray), staged, count * sizeof(PackedStray), stream);
  }
}

PackedStrays KeptStore::pack_strays(const Box& domain, const DomainCuts& cuts, bool shared) {
  require(store_ != nullptr, "no particles are kept");
  const Stream& stream = devices_.first().stream;
  devices_.first().memory.make_current();
  strays_ = find_strays(domain);
  ranks_ = cuts.ranks();
  if (strays_ > 0 && !reserve_lists(cuts)) return {.fit = false};
  packed_ = reserve_shared(shared);
  const std::size_t n = strays_, firsts = ranks_ + 2;
  std::uint32_t* const list = lists_.reserve(3 * n + firsts);
  std::fill_n(list + 2 * n, firsts, 0);
  if (n > 0) {
    make_lists(cuts);
    if (packed_ != nullptr) multiwalk::pack_strays(stray_arrays(), lists().place_by_rank, n, packed_, stream);
    if (packed_ == nullptr) pack_through_host();
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "packing particles that leave");
  PackedStrays result{.index = {list, n}, .by_rank = {list + n, n}, .first = {list + 2 * n, firsts}};
  result.each = sizeof(PackedStray);
  if (packed_ == nullptr) return result;
  static_assert(sizeof(PeerAddress) <= sizeof(StrayAddress));
  std::memcpy(result.address.data(), &outgoing_.address(), sizeof(PeerAddress));
  result.offset = second_half_ ? half_ : 0;
  return result;
}

StrayMessages KeptStore::strays_through_host(std::size_t arriving) {
  const std::size_t bytes = strays_ * sizeof(PackedStray), room = arriving * sizeof(PackedStray);
  if (packed_ != nullptr) {
    const Stream& stream = devices_.first().stream;
    enqueue_copy(leaving_.reserve(bytes), packed_, bytes, stream);
    check_cuda(cudaStreamSynchronize(stream.get()), "copying particles that leave to the host");
  }
  return {{leaving_.data(), bytes}, {arriving_.reserve(room), room}};
}

bool KeptStore::open_strays(std::span<const StrayAddress> addresses, std::size_t rank) {
  devices_.first().memory.make_current();
  peer_.resize(addresses.size());
  opened_.assign(addresses.size(), nullptr);
  bool all = true;
  for (std::size_t r = 0; r < addresses.size(); ++r) {
    if (r == rank) continue;
    PeerAddress address;
    std::memcpy(&address, addresses[r].data(), sizeof address);
    opened_[r] = peer_[r].open(address);
    all = all && opened_[r] != nullptr;
  }
  return all;
}

/// Room for change.after particles; those that are kept stay where they are. False: the device is full.
bool KeptStore::make_room(const StoreChange& change) {
  const Stream& stream = devices_.first().stream;
  StoreCopy& kept = devices_.first().tree.input();
  const std::size_t n = change.after;
  kept.spare = spare_for(n);
  const auto grow = [&](auto& array) { return array.reserve_keeping(n, change.before, kept.spare, stream); };
  const auto renew = [&](auto& array, std::size_t size) { return array.reserve_keeping(size, 0, 0, stream); };
  bool fits = grow(kept.mass) && grow(kept.index);
  for_each_changing([&](auto& array, auto&) { fits = fits && grow(array); });
  return fits && kept.next_index.reserve_keeping(n, change.left.size(), kept.spare, stream) &&
         renew(parts_, 1 + parts_of_kick(n)) && renew(in_store_order_, bytes_in_order(n)) && reserve_search(n);
}

/// Enqueues copies of arrivals first ... first + count - 1 to `to`, on the device or in page-locked memory.
void KeptStore::copy_arrivals(std::span<const StrayBlock> blocks, std::size_t first, std::size_t count,
                              PackedStray* to) {
  const Stream& stream = devices_.first().stream;
  constexpr std::size_t each = sizeof(PackedStray);
  if (blocks.empty()) return enqueue_copy(to, arriving_.data() + first * each, count * each, stream);
  std::size_t before = 0;
  for (const StrayBlock& block : blocks) {
    const std::size_t begin = std::max(first, before), end = std::min(first + count, before + block.count);
    if (begin < end) {
      const std::byte* const from = opened_.at(block.rank) + block.offset + (begin - before) * each;
      enqueue_copy(to + (begin - first), from, (end - begin) * each, stream);
    }
    before += block.count;
  }
}

/// Enqueues the copies of the first arrivals to their places.
void KeptStore::place_arrivals(const StoreChange& change, std::size_t taken, std::span<const StrayBlock> blocks) {
  const Stream& stream = devices_.first().stream;
  auto* const staged = reinterpret_cast<PackedStray*>(in_store_order_.data());
  const ArrivalPlaces to{places(), lists().index, strays_, change.before};
  for (std::size_t first = 0; first < taken; first += most_packed()) {
    const std::size_t count = std::min(most_packed(), taken - first);
    copy_arrivals(blocks, first, count, staged);
    unpack_strays({staged, count}, first, to, stray_arrays(), devices_.first().tree.input().index.data(), stream);
  }
}

/// The arrivals from `first` on go to the store.
void KeptStore::bring_arrivals_home(const StoreChange& change, std::size_t first, std::span<const StrayBlock> blocks) {
  const Stream& stream = devices_.first().stream;
  const std::size_t count = change.arrived.size() - first;
  const std::byte* home = arriving_.data() + first * sizeof(PackedStray);
  if (!blocks.empty()) {
    std::byte* const to = arriving_.reserve(count * sizeof(PackedStray));
    copy_arrivals(blocks, first, count, reinterpret_cast<PackedStray*>(to));
    check_cuda(cudaStreamSynchronize(stream.get()), "copying particles from other ranks to the host");
    home = to;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < count; ++k) {
    PackedStray one;
    std::memcpy(&one, home + k * sizeof one, sizeof one);
    const std::uint32_t i = change.arrived[first + k];
    store_->position[i] = one.position;
    store_->velocity[i] = one.velocity;
    store_->acceleration[i] = one.acceleration;
    if (!store_->has_rungs()) continue;
    store_->long_range[i] = one.long_range;
    store_->rung[i] = static_cast<std::uint8_t>(one.rung);
  }
}

/// The last places move to `holes` (rising), and particles get the indices to which the store has moved them.
void KeptStore::close_up(std::span<const std::uint32_t> holes, const StoreChange& change) {
  const Stream& stream = devices_.first().stream;
  StoreCopy& kept = devices_.first().tree.input();
  const std::vector<std::uint32_t> from = fillers(holes, change.after, change.before);
  const std::size_t count = from.size(), bytes = count * sizeof(std::uint32_t);
  std::uint32_t* const sources = places();
  std::uint32_t* const targets = sources + count;
  enqueue_copy(sources, from.data(), bytes, stream);
  enqueue_copy(targets, holes.data(), bytes, stream);
  const auto move = [&](auto& array) { move_elements(sources, targets, count, array.data(), stream); };
  move(kept.mass);
  move(kept.index);
  for_each_changing([&](auto& array, auto&) { move(array); });
  std::vector<std::uint32_t> next(change.before - change.after);
  for (std::size_t k = 0; k < change.moved_from.size(); ++k) {
    next[change.moved_from[k] - change.after] = change.moved_to[k];
  }
  enqueue_copy(places(), next.data(), next.size() * sizeof(std::uint32_t), stream);
  renumber(kept.index.data(), change.after, static_cast<std::uint32_t>(change.after), places(), stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "moving particles on the device");
}

void KeptStore::follow_exchange(const StoreChange& change, std::span<const StrayBlock> blocks) {
  require(store_ != nullptr && change.after == store_->size(), "the exchange is of another store");
  require(std::ranges::equal(change.left, std::span(lists_.data(), strays_)),
          "the particles that left are not the strays");
  if (change.left.empty() && change.arrived.empty()) return;
  devices_.first().memory.make_current();
  results_there_ = false;
  at_home_ = false;
  const bool fits = make_room(change);
  const std::size_t taken = fits ? change.arrived.size() : std::min(strays_, change.arrived.size());
  place_arrivals(change, taken, blocks);
  if (taken < change.arrived.size()) bring_arrivals_home(change, taken, blocks);
  if (change.after < change.before) {
    close_up(std::span(lists_.data() + 2 * strays_ + ranks_ + 2, strays_).subspan(taken), change);
  }
  if (fits && change.after >= least_on_device) return;
  copy_first_home(fits ? change.after : std::min(change.before, change.after));
  forget();
}

}  // namespace multiwalk
