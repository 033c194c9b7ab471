// SPDX-License-Identifier: GPL-3.0-or-later
// A keeper that does nothing: tests override what they expect to be called.
#pragma once

#include "host/base/error.hpp"
#include "host/force/particle_keeper.hpp"

namespace multiwalk::test {

class NoKeeper : public ParticleKeeper {
 public:
  bool keep(ParticleStore&) override { return false; }
  [[nodiscard]] bool keeps(const ParticleStore&) const override { return false; }
  void kick_and_drift(double, double, double) override { refuse(); }
  KickSums kick_and_sum(double, double) override { refuse(); }
  void drift(double) override { refuse(); }
  void wrap(double) override { refuse(); }
  PerRung<std::uint64_t> assign_rungs(const RungCriterion&, double, int) override { refuse(); }
  void kick_rungs(const PerRung<double>&, double, int) override { refuse(); }
  void kick_long_range(double) override { refuse(); }
  bool add_mesh_force(const PairLaw&, const MeshForceOptions&, TreeExchange*) override { return false; }
  std::optional<ShellSums> sum_shells(double, const ShellOptions&) override { return std::nullopt; }
  PackedStrays pack_strays(const Box&, const DomainCuts&, bool) override { refuse(); }
  [[nodiscard]] std::size_t stray_bytes() const override { refuse(); }
  std::span<const std::byte> strays_on_host() override { refuse(); }
  bool open_strays(std::span<const StrayAddress>, std::size_t) override { refuse(); }
  std::span<std::byte> room_for_arrivals(std::size_t) override { refuse(); }
  void follow_exchange(const StoreChange&, std::span<const StrayBlock>) override { refuse(); }
  void copy_home() override { refuse(); }
  void forget() noexcept override {}

 private:
  [[noreturn]] static void refuse() { throw Error("this keeper keeps nothing"); }
};

}  // namespace multiwalk::test
