// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/kept_sky.hpp"

#include <algorithm>
#include <bit>

#include "device/backends/kept_store.hpp"
#include "device/base/fetch.cuh"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_copies = 4096;                     ///< on the device at a time
constexpr std::uint32_t most_in_doubt = 65536;                ///< crossings: usually 4 in a million are in doubt
constexpr std::size_t pixels_at_once = std::size_t{1} << 20;  ///< on their way to the host

}  // namespace

std::size_t KeptSky::bytes_of_map() const {
  return pixels() * (sizeof(std::uint32_t) + (form_.velocities ? sizeof(std::int64_t) : 0));
}

/// Evaluations so far needed at most peak() bytes, which include the maps of that time.
bool KeptSky::fits(std::size_t more) const {
  const DeviceMemory& memory = devices_.first().memory;
  const std::size_t all = memory.available() + memory.used();
  const std::size_t evaluation = memory.peak() - std::min(memory.peak(), most_bytes_);
  return maps_.size() * bytes_of_map() + more <= all - std::min(all, evaluation);
}

bool KeptSky::make_map(const SkyRange& range) {
  WalkDevice& device = devices_.first();
  const cudaStream_t stream = device.stream.get();
  Map map{range, DeviceBuffer<std::uint32_t>(device.memory), DeviceBuffer<unsigned long long>(device.memory)};
  if (!map.counts.reserve(pixels(), device.stream) ||
      (form_.velocities && !map.velocities.reserve(pixels(), device.stream))) {
    release(map);
    return false;
  }
  check_cuda(cudaMemsetAsync(map.counts.data(), 0, pixels() * sizeof(std::uint32_t), stream), "cudaMemsetAsync");
  if (form_.velocities) {
    check_cuda(cudaMemsetAsync(map.velocities.data(), 0, pixels() * sizeof(std::int64_t), stream), "cudaMemsetAsync");
  }
  maps_.push_back(std::move(map));
  most_bytes_ = std::max(most_bytes_, maps_.size() * bytes_of_map());
  return true;
}

void KeptSky::release(Map& map) const {
  map.counts.release(devices_.first().stream);
  map.velocities.release(devices_.first().stream);
}

bool KeptSky::open(std::span<const SkyRange> shells, const SkyForm& form) {
  require(maps_.empty() || (form.nside == form_.nside && form.velocities == form_.velocities),
          "maps of another form are open");
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  form_ = form;
  std::vector<SkyRange> missing;
  for (const SkyRange& shell : shells) {
    const bool there = std::ranges::any_of(maps_, [&](const Map& map) { return map.range.number == shell.number; });
    if (!there) missing.push_back(shell);
  }
  if (missing.empty()) return true;
  if (maps_.size() + missing.size() > most_sky_maps || !fits(missing.size() * bytes_of_map())) return false;
  const std::size_t before = maps_.size();
  bool made = copies_.reserve(most_copies, device.stream) && in_doubt_.reserve(most_in_doubt, device.stream) &&
              number_.reserve(2, device.stream);
  for (std::size_t k = 0; k < missing.size() && made; ++k) made = make_map(missing[k]);
  if (made) return true;
  for (std::size_t k = before; k < maps_.size(); ++k) release(maps_[k]);
  maps_.erase(maps_.begin() + static_cast<std::ptrdiff_t>(before), maps_.end());
  return false;
}

CrossingCount KeptSky::described(const SkySearch& search) const {
  CrossingCount count{.position = nullptr,
                      .velocity = nullptr,
                      .n = 0,
                      .rules = search.rules,
                      .copy = copies_.data(),
                      .copies = 0,
                      .map = {},
                      .maps = static_cast<unsigned>(maps_.size()),
                      .side = form_.nside,
                      .order = std::countr_zero(form_.nside),
                      .only_in_doubt = false,
                      .count_fast = false,
                      .uncounted = {in_doubt_.data(), most_in_doubt, number_.data()}};
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    count.map[k] = {maps_[k].range.near, maps_[k].range.far, maps_[k].counts.data(), maps_[k].velocities.data()};
  }
  return count;
}

KeptSky::Numbers KeptSky::count_of(const SkySearch& search, std::size_t first, std::size_t n,
                                   bool only_in_doubt) const {
  const WalkDevice& device = devices_.first();
  const Stream& stream = device.stream;
  check_cuda(cudaMemsetAsync(number_.data(), 0, sizeof(Numbers), stream.get()), "cudaMemsetAsync");
  CrossingCount count = described(search);
  count.position = device.tree.input().position.data() + first;
  count.velocity = device.tree.input().velocity.data() + first;
  count.n = n;
  count.only_in_doubt = only_in_doubt;
  count.count_fast = !only_in_doubt;
  const std::span<const PassageCopy> copies(search.copies);
  for (std::size_t c = 0; c < copies.size(); c += most_copies) {
    const auto some = copies.subspan(c, std::min(most_copies, copies.size() - c));
    check_cuda(cudaMemcpyAsync(copies_.data(), some.data(), some.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
               "cudaMemcpyAsync");
    count.copies = static_cast<unsigned>(some.size());
    count_crossings(count, stream);
    count.count_fast = false;
  }
  return fetch(reinterpret_cast<const Numbers*>(number_.data()), stream);
}

void KeptSky::collect_in_doubt(const SkySearch& search, std::size_t first, std::size_t n, std::uint32_t number,
                               std::vector<Crossing>& found) const {
  if (number > most_in_doubt && n > 1) {
    for (const auto& [begin, end] : {std::pair{first, first + n / 2}, std::pair{first + n / 2, first + n}}) {
      collect_in_doubt(search, begin, end - begin, count_of(search, begin, end - begin, true)[0], found);
    }
    return;
  }
  require(number <= most_in_doubt, "a particle crosses the light in too many copies of the box");
  const std::size_t before = found.size();
  found.resize(before + number);
  const Stream& stream = devices_.first().stream;
  check_cuda(cudaMemcpyAsync(found.data() + before, in_doubt_.data(), number * sizeof(Crossing), cudaMemcpyDeviceToHost,
                             stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "counting crossings of the light");
}

UncountedCrossings KeptSky::count(const SkySearch& search) {
  require(store_ != nullptr, "no particles are kept");
  UncountedCrossings uncounted;
  if (maps_.empty() || search.copies.empty()) return uncounted;
  devices_.first().memory.make_current();
  const std::size_t n = store_->size();
  const Numbers numbers = count_of(search, 0, n, false);
  if (numbers[0] > 0) collect_in_doubt(search, 0, n, numbers[0], uncounted.in_doubt);
  if (numbers[1] > 0) {
    const auto passing = kept_.find_passing({search.rules.light, {search.copies.front()}});
    require(passing != nullptr, "particles faster than light are too many for the page-locked memory of this host");
    uncounted.fast.take_from(*passing, search.rules.light);
  }
  return uncounted;
}

bool KeptSky::take(std::uint32_t shell, const Piece& act) {
  const auto map = std::ranges::find_if(maps_, [&](const Map& m) { return m.range.number == shell; });
  if (map == maps_.end()) return false;
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  Event there[2];
  const auto fetch_piece = [&](std::size_t k) {
    const std::size_t first = k * pixels_at_once, n = std::min(pixels_at_once, pixels() - first);
    const auto bring = [&](auto* to, const auto* from) {
      check_cuda(cudaMemcpyAsync(to, from + first, n * sizeof *to, cudaMemcpyDeviceToHost, device.stream.get()),
                 "cudaMemcpyAsync");
    };
    bring(counts_home_[k % 2].reserve(std::min(pixels_at_once, pixels())), map->counts.data());
    if (form_.velocities)
      bring(velocities_home_[k % 2].reserve(std::min(pixels_at_once, pixels())), map->velocities.data());
    there[k % 2].record(device.stream);
  };
  const std::size_t pieces = (pixels() + pixels_at_once - 1) / pixels_at_once;
  fetch_piece(0);
  for (std::size_t k = 0; k < pieces; ++k) {
    there[k % 2].synchronize();
    if (k + 1 < pieces) fetch_piece(k + 1);
    const std::size_t first = k * pixels_at_once, n = std::min(pixels_at_once, pixels() - first);
    act(first, {counts_home_[k % 2].data(), n}, {velocities_home_[k % 2].data(), form_.velocities ? n : 0});
  }
  release(*map);
  maps_.erase(map);
  return true;
}

}  // namespace multiwalk
