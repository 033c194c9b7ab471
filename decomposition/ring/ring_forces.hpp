// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation over the bodies of all ranks on a ring (Schive et al. 2008): targets stay and sources travel, half
// the way round if sums can travel back. The few targets of a block step travel to the sources instead.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <semaphore>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ring/ring_messages.hpp"
#include "host/threads/worker.hpp"
#include "host/time/direct_forces.hpp"

namespace multiwalk {

/// Every rank sums over its own sources while it sends them to the next rank and receives those of the previous one;
/// then over the received ones while these travel on. If all bodies are also targets, a rank evaluates the forces
/// between its own and the received bodies in both directions and returns the sums on the latter, on a device during
/// the next sums. Sources then travel half the way round, and on a ring with an even number of ranks, opposite ranks
/// share their pairs. Otherwise sources travel all the way. With few targets (less than a quarter as many as sources,
/// and at most twice the maximum sources of a rank), every rank gets all of them instead, and returns the sums over its
/// sources. A target's parts are added in an order fixed by the ranks, so runs on the same number of ranks repeat bit
/// for bit; different numbers agree up to rounding. A rank may have any number of bodies, including none. Memory: three
/// blocks of the maximum sources of a rank, and five of its sums, or as much for all targets.
class RingForces : public DirectForces {
 public:
  /// A rank with fewer bodies sums over them at once; one with more saves some of them for the time when the last sums
  /// travel back.
  static constexpr std::size_t worth_splitting = 32768;

  /// `backend` must outlive this. While it sums over many bodies, another thread drives the messages. If that thread
  /// summed instead, it and the one that integrates would each have a team of OpenMP threads, and these would compete
  /// for processors.
  RingForces(DirectBackend& backend, const Communicator& comm) : backend_(backend), comm_(comm) {}

  void sum(const DirectTask& task) override;
  double min(double value) override { return comm_.min(value); }

 private:
  /// A target on its way to other ranks, and what each of them sends back.
  struct Visitor {
    Vec3d position, velocity;
  };
  struct PartialSum {
    Vec3d acceleration, jerk;
    double potential;
  };

  /// The facts that every rank must know about every other before bodies travel.
  struct Announcement {
    std::uint64_t sources, targets, accelerations, jerks, potentials;
    std::uint64_t apart;  ///< 1 if the targets are not all the sources
  };
  struct Announced {
    std::vector<std::uint64_t> sources;  ///< (ranks)
    Announcement all{};                  ///< summed over ranks
    WantedSums wanted;
  };
  /// The ranges of its own bodies and of the held ones between which a rank sums.
  struct Share {
    BodyRange own, held;
    [[nodiscard]] std::size_t pairs() const { return own.count * held.count; }
  };
  /// One sum of a rank while sources travel half way: where its results are, and how it is completed.
  struct Summation {
    std::uint64_t pairs = 0;  ///< 0: nothing to do
    Share share;
    RingSums own, held;
    std::function<std::function<void()>()> begin;
    std::function<void()> finish;
  };
  /// Sums on some of its own bodies that are being returned to a rank.
  struct Returning {
    BodyRange bodies;
    RingSums sums;
  };

  [[nodiscard]] Announced announce(const DirectTask& task);
  void move_sources(const DirectTask& task, const Announced& announced);
  void move_half_way(const DirectTask& task, const Announced& announced);
  void move_targets(const DirectTask& task, bool velocities);
  /// Steps in half a ring.
  [[nodiscard]] int last_step() const { return comm_.size() / 2; }
  /// The sums of `rank` when sources have travelled `step` places of half a ring: first over most of its own bodies;
  /// after the last step between these and the rest, and over the rest.
  [[nodiscard]] Share share(int rank, int step, const Announced& announced) const;
  Summation summation(int step, const DirectTask& task, const RingSources& held, const Announced& announced);
  /// The rank this many places further on, or back if negative.
  [[nodiscard]] int rank_at(int places) const { return (comm_.rank() + places + comm_.size()) % comm_.size(); }
  /// Calls act() and counts its time as waiting.
  template <class Act>
  auto wait_for(const Act& act);
  void wait_for_all(std::vector<Transfer>& transfers);
  /// Starts to receive the sources that have travelled `step` places, and to send those held.
  RingSources exchange_sources(int step, const RingSources& held, const Announced& announced,
                               std::vector<Transfer>& transfers);
  /// Starts to send the sums on the sources held in this step, and to receive those on its own from the rank that they
  /// have travelled to.
  Returning exchange_sums(int step, const RingSums& leaving, const Announced& announced,
                          std::vector<Transfer>& transfers);
  /// Sums over this rank's sources; jerks if there are velocities.
  std::vector<PartialSum> sums_on(std::span<const Visitor> visitors, const DirectTask& task, bool velocities);
  /// Adds the sums over another rank's sources to the task's results.
  void add(const DirectTask& task, const RingSources& sources, std::vector<Transfer>& transfers);
  /// Fills the results, and drives the transfers meanwhile.
  void evaluate(const DirectTask& task, std::vector<Transfer>& transfers);
  /// Calls act(), which may sum over `pairs` pairs, while the transfers are driven.
  template <class Act>
  void evaluate(std::size_t pairs, std::vector<Transfer>& transfers, const Act& act);
  template <class Act>
  void drive_beside(std::vector<Transfer>& transfers, const Act& act);
  /// Until all are complete, or the other thread is done.
  static void drive(std::vector<Transfer>& transfers, std::binary_semaphore& until);

  DirectBackend& backend_;
  Communicator comm_;
  std::array<SourceMemory, 3> travellers_;  ///< summed over, next, and on their way
  std::array<SumMemory, 2> part_, leaving_;
  SumMemory coming_;
  std::optional<Worker> worker_;
};

}  // namespace multiwalk
