// SPDX-License-Identifier: GPL-3.0-or-later
// A keeper in host memory, for tests without a GPU. What is out of date in the store is NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/base/error.hpp"
#include "host/time/leapfrog.hpp"
#include "host/time/rungs.hpp"
#include "tests/support/keepers/no_keeper.hpp"
#include "tests/support/sky/passing_on_host.hpp"

namespace multiwalk::test {

class HostKeeper final : public NoKeeper {
 public:
  bool refuses = false;
  bool has_room = true;  ///< to sort strays
  bool finds_passing = true;
  std::filesystem::path file;  ///< if it is given, other ranks read from it what this one has packed
  int times_read = 0;          ///< how often others' files were read
  int times_kept = 0, times_assigned = 0;
  std::uint64_t strays = 0;  ///< found so far

  bool keep(ParticleStore& particles) override {
    if (keeps(particles)) return true;
    require(store_ == nullptr, "for one store at a time");
    if (refuses) return false;
    ++times_kept;
    store_ = &particles;
    kept_ = particles;
    return true;
  }
  [[nodiscard]] bool keeps(const ParticleStore& particles) const override { return store_ == &particles; }
  void move(const Motion& motion) override {
    poison();
    struct Mover {
      ParticleStore& kept;
      void operator()(const KickAndDrift& by) { kick_and_drift(kept, by.kick, by.background, by.drift); }
      void operator()(const DriftAlone& by) { drift(kept, by.factor); }
      void operator()(const WrapIntoBox& by) { wrap(kept, by.side); }
      void operator()(const KickRungs& by) { kick_rungs(kept, by.factor, by.background, by.least); }
      void operator()(const KickLongRange& by) { kick_long_range(kept, by.factor); }
    };
    std::visit(Mover{kept_}, motion);
  }
  PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised) override {
    poison();
    ++times_assigned;
    std::ranges::fill(kept_.work, NAN);  // a device knows it no longer when the next tree grows
    return multiwalk::assign_rungs(kept_, criterion, background, synchronised);
  }

  PackedStrays pack_strays(const Box& domain, const DomainCuts& cuts, bool shared) override {
    if (!has_room) return {.fit = false};
    const auto ranks = static_cast<std::uint32_t>(cuts.ranks());
    std::vector<std::vector<std::uint32_t>> of_rank(ranks + 1);
    found_.clear();
    for (std::uint32_t i = 0; i < kept_.size(); ++i) {
      const Vec3d x = kept_.position[i];
      if (lies_in(domain, x)) continue;
      found_.push_back(i);
      of_rank[is_finite(x) ? cuts.owner(x) : ranks].push_back(i);
    }
    strays += found_.size();
    by_rank_.clear();
    first_.assign(1, 0);
    for (const std::vector<std::uint32_t>& some : of_rank) {
      by_rank_.insert(by_rank_.end(), some.begin(), some.end());
      first_.push_back(static_cast<std::uint32_t>(by_rank_.size()));
    }
    packed_.resize(by_rank_.size());
    for (std::size_t k = 0; k < by_rank_.size(); ++k) packed_[k] = pack(by_rank_[k]);
    PackedStrays result{.index = found_, .by_rank = by_rank_, .first = first_};
    result.each = sizeof(Packed);
    if (shared && !file.empty()) write_file(result);
    return result;
  }
  bool open_strays(std::span<const StrayAddress> addresses, std::size_t /*rank*/) override {
    opened_.clear();
    for (const StrayAddress& address : addresses) opened_.emplace_back(reinterpret_cast<const char*>(address.data()));
    return std::ranges::none_of(opened_, &std::string::empty);
  }
  StrayMessages strays_through_host(std::size_t arriving) override {
    arriving_.resize(arriving);
    return {std::as_bytes(std::span(packed_)), std::as_writable_bytes(std::span(arriving_))};
  }
  void follow_exchange(const StoreChange& change, std::span<const StrayBlock> blocks) override {
    if (!blocks.empty()) read_files(blocks);
    if (change.arrived.empty()) arriving_.clear();
    require(change.left == found_, "others than the strays have left");
    require(change.before == kept_.size() && change.after == store_->size(), "wrong numbers of particles");
    require(change.arrived.size() == arriving_.size(), "others than those that arrive were received");
    for (std::size_t k = 0; k < change.moved_from.size(); ++k) {
      move_element(change.moved_from[k], change.moved_to[k]);
    }
    kept_.resize(change.after);
    for (std::size_t k = 0; k < arriving_.size(); ++k) unpack(arriving_[k], change.arrived[k]);
    found_.clear();
    poison();
  }
  void copy_home(Copied what) override {
    if (what == Copied::motion) {
      store_->position = kept_.position;
      store_->velocity = kept_.velocity;
      return;
    }
    require(kept_.id == store_->id && kept_.mass == store_->mass, "the keeper has other particles than the store");
    for (std::size_t i = 0; i < kept_.size(); ++i) copy_element(kept_, i, *store_, i);
  }
  std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) override {
    return finds_passing ? passing_on_host(passage, kept_) : nullptr;
  }
  void forget() noexcept override { store_ = nullptr; }

 private:
  /// What changes while the particles are kept.
  static void copy_element(const ParticleStore& from, std::size_t i, ParticleStore& to, std::size_t j) {
    to.position[j] = from.position[i];
    to.velocity[j] = from.velocity[i];
    to.acceleration[j] = from.acceleration[i];
    to.potential[j] = from.potential[i];
    to.work[j] = from.work[i];
    to.key[j] = from.key[i];
    if (!from.has_rungs()) return;
    to.long_range[j] = from.long_range[i];
    to.rung[j] = from.rung[i];
  }

  /// Appends, since other ranks may still read what was written before.
  void write_file(PackedStrays& result) const {
    const std::string name = file.string();
    require(name.size() < result.address.size(), "the name is too long");
    std::memcpy(result.address.data(), name.c_str(), name.size() + 1);
    std::ofstream out(file, std::ios::binary | std::ios::app);
    result.offset = static_cast<std::uint64_t>(out.tellp());
    out.write(reinterpret_cast<const char*>(packed_.data()),
              static_cast<std::streamsize>(packed_.size() * sizeof(Packed)));
    require(out.flush().good(), "the packed particles were not written");
  }
  void read_files(std::span<const StrayBlock> blocks) {
    ++times_read;
    arriving_.clear();
    for (const StrayBlock& block : blocks) {
      std::vector<Packed> part(block.count);
      std::ifstream in(opened_.at(block.rank), std::ios::binary);
      in.seekg(static_cast<std::streamoff>(block.offset));
      in.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(block.count * sizeof(Packed)));
      require(in.good(), "another rank has packed fewer particles");
      arriving_.insert(arriving_.end(), part.begin(), part.end());
    }
  }

  /// With the id, to compare it with that of the store.
  struct Packed {
    Vec3d position;
    Vec3f velocity, acceleration, long_range;
    float mass, potential, work;
    std::uint64_t id, key;
    std::uint8_t rung;
  };
  [[nodiscard]] Packed pack(std::uint32_t i) const {
    const bool rungs = kept_.has_rungs();
    return {kept_.position[i],     kept_.velocity[i],
            kept_.acceleration[i], rungs ? kept_.long_range[i] : Vec3f{},
            kept_.mass[i],         kept_.potential[i],
            kept_.work[i],         kept_.id[i],
            kept_.key[i],          rungs ? kept_.rung[i] : std::uint8_t{0}};
  }
  void unpack(const Packed& one, std::uint32_t i) {
    kept_.position[i] = one.position;
    kept_.velocity[i] = one.velocity;
    kept_.acceleration[i] = one.acceleration;
    kept_.mass[i] = one.mass;
    kept_.potential[i] = one.potential;
    kept_.work[i] = one.work;
    kept_.id[i] = one.id;
    kept_.key[i] = one.key;
    if (!kept_.has_rungs()) return;
    kept_.long_range[i] = one.long_range;
    kept_.rung[i] = one.rung;
  }

  void move_element(std::size_t from, std::size_t to) {
    kept_.for_each_array([&](const char*, auto& values) { values[to] = values[from]; });
  }

  void poison() {
    const Vec3f bad{NAN, NAN, NAN};
    std::ranges::fill(store_->position, Vec3d{NAN, NAN, NAN});
    std::ranges::fill(store_->velocity, bad);
    std::ranges::fill(store_->acceleration, bad);
    std::ranges::fill(store_->potential, NAN);
    std::ranges::fill(store_->work, NAN);
    std::ranges::fill(store_->long_range, bad);
    std::ranges::fill(store_->rung, std::uint8_t{255});
  }

  ParticleStore* store_ = nullptr;
  ParticleStore kept_;
  std::vector<std::uint32_t> found_, by_rank_, first_;
  std::vector<Packed> packed_, arriving_;
  std::vector<std::string> opened_;  ///< (ranks) the files with the particles that they have packed
};

}  // namespace multiwalk::test
