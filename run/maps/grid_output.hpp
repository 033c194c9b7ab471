// SPDX-License-Identifier: GPL-3.0-or-later
// The density of a periodic box on a cubic grid.
#pragma once

#include <string>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "run/maps/timed_output.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Attributes of a grid file.
struct GridMoment {
  double time = 1;      ///< expansion factor
  double box_size = 0;  ///< comoving Mpc/h
  double mass = 0;      ///< of all particles, 1e10 Msun/h
  CosmologyParameters cosmology = {};
};

/// Writes the values of a density mesh as the dataset Density (N, N, N) in single precision. Collective; one rank
/// writes and holds one plane of the grid. Throws SharedError; then no file is left under the final name.
void write_grid(const std::string& path, const PencilMesh& density, Assignment assignment, const GridMoment& moment);

/// grid_NNN.hdf5.
class GridOutput final : public TimedOutput {
 public:
  /// `next`: as TimedOutput.
  GridOutput(const Parameters& parameters, std::vector<double> times, Communicator comm, std::size_t next = 0);

  static constexpr const char* stem = "grid_";

  /// Regular expression for the names of its files, without directory.
  static constexpr std::string_view files = R"(grid_\d+\.hdf5)";

 private:
  std::vector<std::string> make(const MappedMatter& matter, std::size_t number) override;

  GridParameters parameters_;
  std::string directory_;
  CosmologyParameters cosmology_;
};

/// Null without [grids]. Collective. Throws SharedError if the particles are in no periodic box.
std::unique_ptr<Output> make_grid_output(const OutputSetup& setup);

}  // namespace multiwalk
