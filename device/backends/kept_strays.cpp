// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that leave for other ranks, and those that arrive.
#include <algorithm>

#include "device/backends/kept_store.hpp"
#include "device/backends/sections.hpp"
#include "device/base/fetch.cuh"
#include "device/base/too_small.hpp"
#include "device/particles/step_kernels.cuh"
#include "device/particles/strays.cuh"
#include "device/tree/sort_particles.cuh"

namespace multiwalk {

namespace {

constexpr std::size_t few = 4096;  // particles that one thread copies as fast as all
constexpr std::size_t most_sections = 10;
/// Index, place, position; velocity, acceleration, long_range; mass, potential, work; rung.
constexpr std::size_t stray_bytes =
    2 * sizeof(std::uint32_t) + sizeof(Vec3d) + 3 * sizeof(Vec3f) + 3 * sizeof(float) + sizeof(std::uint8_t);

/// Particles whose arrays fit into this memory.
std::size_t most_at_once(std::size_t bytes) {
  return (bytes - most_sections * Sections::alignment) / stray_bytes;
}

/// More elements than n, since the number of particles changes from step to step.
std::size_t spare_for(std::size_t n) {
  return n / 16 + 4096;
}

void enqueue_copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
}

}  // namespace

bool KeptStore::reserve_search(std::size_t n) {
  const Stream& stream = devices_.first().stream;
  std::size_t bytes = 0;
  check_cuda(select_strays(nullptr, bytes, {nullptr, n, {}}, nullptr, nullptr, stream), "CUB's working memory");
  return searching_.reserve_keeping(bytes + 1, 0, 0, stream) && stray_count_.reserve(1, stream);
}

/// Returns the number of kept particles outside the domain; places() begins with theirs, by rising index.
std::size_t KeptStore::find_strays(const Box& domain) {
  const Stream& stream = devices_.first().stream;
  const StoreCopy& kept = devices_.first().tree.input();
  std::size_t bytes = searching_.capacity();
  check_cuda(select_strays(searching_.data(), bytes, {kept.position.data(), store_->size(), domain}, places(),
                           stray_count_.data(), stream),
             "CUB");
  const std::size_t n = fetch(stray_count_.data(), stream);
  stray_places_.resize(n);
  enqueue_copy(stray_places_.data(), places(), n * sizeof(std::uint32_t), stream);
  if (n > 0) sort_by_index(n);
  return n;
}

/// Sorts the first n of places() by the indices of their particles.
void KeptStore::sort_by_index(std::size_t n) {
  const Stream& stream = devices_.first().stream;
  StrayOrder order{nullptr, places(), nullptr, nullptr, n};
  std::size_t bytes = 0;
  check_cuda(sort_strays(nullptr, bytes, order, stream), "CUB's working memory");
  if (!sorting_.reserve_growing(3 * n, n, stream) || !searching_.reserve_keeping(bytes + 1, 0, 0, stream)) {
    throw too_small(devices_.first().memory, "it has no room to sort " + std::to_string(n) + " particles that leave");
  }
  order.index = sorting_.data();
  order.sorted_index = sorting_.data() + n;
  order.sorted_place = sorting_.data() + 2 * n;
  gather(places(), n, devices_.first().tree.input().index.data(), sorting_.data(), stream);
  bytes = searching_.capacity();
  check_cuda(sort_strays(searching_.data(), bytes, order, stream), "CUB");
  enqueue_copy(places(), order.sorted_place, n * sizeof(std::uint32_t), stream);
}

/// Brings the particles at places()[first ...] to the store and notes their indices in strays_[first ...].
void KeptStore::fetch_strays(std::size_t first, std::size_t count) {
  WalkDevice& device = devices_.first();
  const Stream& stream = device.stream;
  const std::uint32_t* const place = places() + first;
  const auto for_each_result = [&](const auto& act) {
    for_each_changing(act);
    if (results_there_) act(device.arrays.potential, store_->potential);
    if (results_there_) act(device.arrays.work, store_->work);
  };
  Sections there(in_store_order_.data());
  gather(place, count, device.tree.input().index.data(), there.next<std::uint32_t>(count), stream);
  for_each_result([&]<class T>(const DeviceBuffer<T>& from, auto&) {
    gather(place, count, from.data(), there.next<T>(count), stream);
  });
  Sections here(staged_.reserve(there.bytes()));
  enqueue_copy(staged_.data(), in_store_order_.data(), there.bytes(), stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "copying strays to the host");
  const std::uint32_t* const index = here.next<std::uint32_t>(count);
  for (std::size_t k = 0; k < count; ++k) strays_[first + k] = index[k];
#pragma omp parallel if (count > few)
  {
    Sections mine = here;
    for_each_result([&]<class T>(const DeviceBuffer<T>&, auto& to) {
      const T* const part = mine.next<T>(count);
#pragma omp for schedule(static) nowait
      for (std::size_t k = 0; k < count; ++k) to[index[k]] = part[k];
    });
  }
}

std::vector<std::uint32_t> KeptStore::bring_strays_home(const Box& domain) {
  require(store_ != nullptr, "no particles are kept");
  devices_.first().memory.make_current();
  strays_.resize(find_strays(domain));
  const std::size_t most = most_at_once(in_store_order_.capacity());
  for (std::size_t first = 0; first < strays_.size(); first += most) {
    fetch_strays(first, std::min(most, strays_.size() - first));
  }
  return strays_;
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
  return fits && kept.next_index.reserve_keeping(n, 0, kept.spare, stream) && renew(parts_, 1 + parts_of_kick(n)) &&
         renew(in_store_order_, bytes_in_order(n)) && reserve_search(n);
}

/// Particles arrive in the store at `index`, and go to `place` on the device.
void KeptStore::place_arrivals(std::span<const std::uint32_t> index, std::span<const std::uint32_t> place) {
  const Stream& stream = devices_.first().stream;
  StoreCopy& kept = devices_.first().tree.input();
  const std::size_t count = index.size();
  const auto for_each_array = [&](const auto& act) {
    act(kept.mass, store_->mass);
    for_each_changing(act);
  };
  Sections here(staged_.reserve(count * stray_bytes + most_sections * Sections::alignment));
  std::ranges::copy(index, here.next<std::uint32_t>(count));
  std::ranges::copy(place, here.next<std::uint32_t>(count));
#pragma omp parallel if (count > few)
  {
    Sections mine = here;
    for_each_array([&]<class T>(const DeviceBuffer<T>&, const auto& from) {
      T* const part = mine.next<T>(count);
#pragma omp for schedule(static) nowait
      for (std::size_t k = 0; k < count; ++k) part[k] = from[index[k]];
    });
  }
  for_each_array([&]<class T>(const DeviceBuffer<T>&, const auto&) { here.next<T>(count); });
  enqueue_copy(in_store_order_.data(), staged_.data(), here.bytes(), stream);
  Sections there(in_store_order_.data());
  const std::uint32_t* const indices = there.next<std::uint32_t>(count);
  const std::uint32_t* const places = there.next<std::uint32_t>(count);
  scatter(places, count, indices, kept.index.data(), stream);
  for_each_array([&]<class T>(DeviceBuffer<T>& to, const auto&) {
    scatter(places, count, static_cast<const T*>(there.next<T>(count)), to.data(), stream);
  });
  check_cuda(cudaStreamSynchronize(stream.get()), "copying particles from other ranks to the device");
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

void KeptStore::follow_exchange(const StoreChange& change) {
  require(store_ != nullptr && change.after == store_->size(), "the exchange is of another store");
  require(change.left == strays_, "others than the strays have left");
  if (change.left.empty() && change.arrived.empty()) return;
  devices_.first().memory.make_current();
  results_there_ = false;
  const bool fits = make_room(change);
  std::vector<std::uint32_t> free = std::move(stray_places_);
  strays_.clear();
  for (std::size_t p = change.before; fits && p < change.after; ++p) free.push_back(static_cast<std::uint32_t>(p));
  const std::span<const std::uint32_t> places(free), arrived(change.arrived);
  const std::size_t taken = std::min(places.size(), arrived.size());
  const std::size_t most = most_at_once(in_store_order_.capacity());
  for (std::size_t first = 0; first < taken; first += most) {
    const std::size_t count = std::min(most, taken - first);
    place_arrivals(arrived.subspan(first, count), places.subspan(first, count));
  }
  if (change.after < change.before) close_up(places.subspan(taken), change);
  if (fits && change.after >= least_on_device) return;
  if (!at_home_) copy_first_home(fits ? change.after : std::min(change.before, change.after));
  forget();
}

}  // namespace multiwalk
