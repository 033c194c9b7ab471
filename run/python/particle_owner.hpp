// SPDX-License-Identifier: GPL-3.0-or-later
// Owners of particles as Python knows them: runs, initial conditions, snapshots.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "host/threads/fair_lock.hpp"
#include "host/threads/fork.hpp"
#include "run/python/lent_arrays.hpp"
#include "run/python/measured_system.hpp"
#include "run/python/threads/turns.hpp"

namespace multiwalk {

class ParticleOwner {
 public:
  explicit ParticleOwner(const Communicator& comm) : comm_(comm) {}
  virtual ~ParticleOwner() = default;
  ParticleOwner(const ParticleOwner&) = delete;
  ParticleOwner& operator=(const ParticleOwner&) = delete;
  /// The particles as they are now, for a thread whose turn it is. Throws InputError if the owner was closed.
  /// Collective where there are other ranks.
  virtual MeasuredSystem measured() = 0;

  /// Returns act() of this object, called without the interpreter's lock when no other thread uses it. Nobody may wait
  /// for a turn with the interpreter's lock, since the thread whose turn it is may need that to print.
  template <class Act>
  auto in_turn(const Act& act) {
    const nanobind::gil_scoped_release others_run;
    const Turn turn(turns_);
    const MpiTurn mpi(comm_);
    return act();
  }
  /// Increases whenever particles move: arrays of an earlier generation are stale.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  LentArrays& lent() { return lent_; }

 protected:
  [[nodiscard]] const Communicator& comm() const { return comm_; }
  /// Whether this object was made before this process was forked.
  [[nodiscard]] bool inherited() const { return forks_ != fork_count(); }
  /// Call before particles move or are freed.
  void begin_generation() {
    ++generation_;
    lent_.leave();
  }

 private:
  Communicator comm_;
  FairLock turns_;
  unsigned forks_ = fork_count();
  std::atomic<std::uint64_t> generation_ = 0;
  LentArrays lent_;
};

/// Particles that stay as they are.
class StillParticles final : public ParticleOwner {
 public:
  StillParticles(ParticleSystem system, const CosmologyParameters& cosmology, std::string transfer_file = "",
                 const Communicator& comm = {})
      : ParticleOwner(comm),
        system_(std::move(system)),
        cosmology_(cosmology),
        transfer_file_(std::move(transfer_file)) {}
  ~StillParticles() override { begin_generation(); }

  MeasuredSystem measured() override { return {system_, cosmology_, transfer_file_, {}, 0, comm()}; }

 private:
  ParticleSystem system_;
  CosmologyParameters cosmology_;
  std::string transfer_file_;
};

}  // namespace multiwalk
