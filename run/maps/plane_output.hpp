// SPDX-License-Identifier: GPL-3.0-or-later
// Projected slabs of a periodic box as density planes of LensTools.
#pragma once

#include <string>
#include <vector>

#include "analysis/sky/lens_plane.hpp"
#include "run/maps/timed_output.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// snapN_densityPlaneS_normalA.fits, LensTools' name for slab S along axis A of output N.
class PlaneOutput final : public TimedOutput {
 public:
  /// `times`: all before a = 1, where planes have a distance.
  /// `next`: as TimedOutput.
  PlaneOutput(const Parameters& parameters, std::vector<double> times, Communicator comm, std::size_t next = 0);

  static constexpr const char* stem = "snap";

  /// Regular expression for the names of its files, without directory.
  static constexpr std::string_view files = R"(snap\d+_densityPlane\d+_normal\d\.fits)";

 private:
  std::vector<std::string> make(const MappedMatter& matter, std::size_t number) override;
  void write_plane(const std::string& path, const ProjectedSlab& slab, double time, double side) const;

  PlaneParameters parameters_;
  std::string directory_;
  Expansion expansion_;
};

/// Null without [planes]. Collective. Throws SharedError if the particles are in no periodic box.
std::unique_ptr<Output> make_plane_output(const OutputSetup& setup);

}  // namespace multiwalk
