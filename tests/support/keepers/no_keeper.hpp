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
  void copy_home(Copied) override { refuse(); }
  void forget() noexcept override {}
  void move(const Motion&) override { refuse(); }
  KickSums kick_and_sum(double, double) override { refuse(); }
  PerRung<std::uint64_t> assign_rungs(const RungCriterion&, double, int) override { refuse(); }
  std::optional<ShellSums> sum_shells(double, const ShellOptions&, TreeExchange*) override { return std::nullopt; }
  std::shared_ptr<const PassingParticles> find_passing(const Passage&) override { return nullptr; }
  PackedStrays pack_strays(const Box&, const DomainCuts&, bool) override { refuse(); }
  bool open_strays(std::span<const StrayAddress>, std::size_t) override { refuse(); }
  StrayMessages strays_through_host(std::size_t) override { refuse(); }
  void follow_exchange(const StoreChange&, std::span<const StrayBlock>) override { refuse(); }

 protected:
  ~NoKeeper() = default;

 private:
  [[noreturn]] static void refuse() { throw Error("this keeper keeps nothing"); }
};

}  // namespace multiwalk::test
