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
  bool add_mesh_force(const PairLaw&, const MeshForceOptions&) override { return false; }
  std::optional<ShellSums> sum_shells(double, const ShellOptions&) override { return std::nullopt; }
  std::vector<std::uint32_t> bring_strays_home(const Box&) override { refuse(); }
  void follow_exchange(const StoreChange&) override { refuse(); }
  void copy_home() override { refuse(); }
  void forget() noexcept override {}

 private:
  [[noreturn]] static void refuse() { throw Error("this keeper keeps nothing"); }
};

}  // namespace multiwalk::test
