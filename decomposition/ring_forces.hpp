// Direct summation over the bodies of all ranks on a ring: targets stay, sources travel (Schive et al. 2008).
#pragma once

#include <array>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/time/direct_forces.hpp"

namespace multiwalk {

/// Every rank sums over its own sources while it sends them to the next rank and receives those of the one before; then
/// over the received ones while these travel on, and so on round the ring. A target's parts are added in the order of
/// the ring, so a number of ranks repeats bit for bit; different numbers agree to rounding. Any number of bodies on a
/// rank, none too. Memory: two blocks of the most sources a rank has.
class RingForces : public DirectForces {
 public:
  /// `backend` must outlive this. Collective.
  RingForces(DirectBackend& backend, const Communicator& comm) : backend_(backend), comm_(comm) {}

  void sum(const DirectTask& task) override;
  double min(double value) override { return comm_.min(value); }

 private:
  /// One rank's sources on their way.
  struct Travellers {
    std::vector<Vec3d> position, velocity;
    std::vector<double> mass;
  };

  DirectBackend& backend_;
  Communicator comm_;
  std::array<Travellers, 2> travellers_;
  std::vector<Vec3d> acceleration_, jerk_;
  std::vector<double> potential_;
};

}  // namespace multiwalk
