// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a run writes at times of its own, with nothing to remember in between.
#pragma once

#include <string>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "run/outputs/output.hpp"

namespace multiwalk {

/// This rank's particles of a periodic box at one time.
struct MappedMatter {
  double time = 1;              ///< expansion factor
  PeriodicParticles particles;  ///< Mpc/h
  MassSums masses;              ///< of all ranks
};

/// A restart writes the files of later times, and again those that were written after its checkpoint.
class TimedOutput : public Output {
 public:
  /// `planned`: at whose times steps end, rising. `next`: the least number of its files, so that a restart with another
  /// list does not write over earlier ones.
  TimedOutput(OwnTimes planned, std::size_t next, Communicator comm);

  [[nodiscard]] bool due(double time) const override;
  nlohmann::json write(const OutputMoment& moment) override;
  [[nodiscard]] std::optional<OwnTimes> own_times() const override { return planned_; }
  std::string finish() override;

 protected:
  /// Writes the files of the time with this number, from 0, and returns their paths. Collective.
  virtual std::vector<std::string> make(const MappedMatter& matter, std::size_t number) = 0;
  [[nodiscard]] const Communicator& comm() const { return comm_; }

 private:
  /// The time's place in the list, or their number.
  [[nodiscard]] std::size_t number_of(double time) const;

  OwnTimes planned_;
  std::size_t next_;
  Communicator comm_;
  std::size_t files_ = 0;  ///< since this start
};

/// The expansion factors of these redshifts, at which steps then end; without redshifts those of the run's outputs.
/// `key`: that of the redshifts. Throws SharedError if one is before the start, or if the particles are in no periodic
/// box.
std::vector<double> map_times(const OutputSetup& setup, const char* key, const std::vector<double>& redshifts);

}  // namespace multiwalk
