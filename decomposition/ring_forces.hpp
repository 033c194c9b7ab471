// Direct summation over the bodies of all ranks on a ring: targets stay, sources travel (Schive et al. 2008), but the
// few targets of a block step travel to the sources.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/time/direct_forces.hpp"

namespace multiwalk {

/// Every rank sums over its own sources while it sends them to the next rank and receives those of the one before; then
/// over the received ones while these travel on, and so on round the ring. With less than a quarter as many targets as
/// sources on all ranks, every rank gets all targets instead, and sends the sums over its sources back. A target's
/// parts are added in an order fixed by the ranks, so a number of ranks repeats bit for bit; different numbers agree to
/// rounding. Any number of bodies on a rank, none too. Memory: two blocks of the most sources a rank has.
class RingForces : public DirectForces {
 public:
  /// `backend` must outlive this; large sums call it from another thread, so that messages move on meanwhile.
  RingForces(DirectBackend& backend, const Communicator& comm) : backend_(backend), comm_(comm) {}

  void sum(const DirectTask& task) override;
  double min(double value) override { return comm_.min(value); }

 private:
  /// One rank's sources.
  struct Sources {
    std::span<const Vec3d> position, velocity;
    std::span<const double> mass;
  };
  /// Memory for those of another rank.
  struct Travellers {
    std::vector<Vec3d> position, velocity;
    std::vector<double> mass;
  };

  /// A target on its way to other ranks, and what each of them sends back.
  struct Visitor {
    Vec3d position, velocity;
  };
  struct PartialSum {
    Vec3d acceleration, jerk;
    double potential;
  };

  /// What every rank must know of every other before bodies travel.
  struct Announcement {
    std::uint64_t sources, targets, velocities;
  };

  void move_sources(const DirectTask& task, const std::vector<Announcement>& announced, bool velocities);
  void move_targets(const DirectTask& task, bool velocities);
  /// Calls act() and counts its time as waiting.
  template <class Act>
  auto wait_for(const Act& act);
  /// Starts to receive `count` sources from the previous rank.
  Sources receive(Travellers& into, std::size_t count, bool velocities, std::vector<Transfer>& transfers) const;
  /// Starts to send them to the next rank.
  void send(const Sources& sources, bool velocities, std::vector<Transfer>& transfers) const;
  /// Over this rank's sources; jerks if there are velocities.
  std::vector<PartialSum> sums_on(std::span<const Visitor> visitors, const DirectTask& task, bool velocities);
  /// Adds the sums over another rank's sources to the task's results.
  void add(const DirectTask& task, const Sources& sources, std::vector<Transfer>& transfers);
  /// Fills the results, and drives the transfers meanwhile.
  void evaluate(const DirectTask& task, std::vector<Transfer>& transfers);

  DirectBackend& backend_;
  Communicator comm_;
  std::array<Travellers, 2> travellers_;
  std::vector<Vec3d> acceleration_, jerk_;
  std::vector<double> potential_;
};

}  // namespace multiwalk
