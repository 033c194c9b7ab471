// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of file that a run writes at its output times. A new kind is one class and one line in output_kinds.cpp.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/halos/halo_finder.hpp"
#include "analysis/pictures/body_trails.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/motion/particle_view.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// The state of a run on one rank when an output is due.
struct OutputMoment {
  const Communicator& comm;
  const Parameters& parameters;          ///< with the mesh and walks that the run chose itself
  ParticleView particles;                ///< this rank's
  const HaloCatalogue* halos = nullptr;  ///< with output.halos
  const BodyTrails* trails = nullptr;    ///< of few bodies, which images show as orbits
  double softening = 0;                  ///< comoving, internal length, without its physical cap
  double background = 0;                 ///< 1/2 Omega_m H0^2 of a comoving sphere in vacuum
  std::uint32_t force_mesh = 0;          ///< cells per side; 0: forces need no mesh
  SnapshotAttributes run = {};           ///< how the run made these particles
  std::size_t number = 0;                ///< of this output, from 0

  /// run.directory/STEM_NNN
  [[nodiscard]] std::string path(std::string_view stem) const;
};

class OutputKind {
 public:
  virtual ~OutputKind() = default;
  /// Key of its entry in an output of report.json.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Regular expression for the names of its files, without directory: --overwrite removes these files.
  [[nodiscard]] virtual std::string_view files() const = 0;
  /// Writes the files if the parameters ask for them and returns the entry: their paths under `file`, `snapshot`,
  /// `images` or as text, and figures; without files an empty value. `earlier`: entries of the kinds before it.
  /// Collective. Throws SharedError if a file cannot be written.
  virtual nlohmann::json write(const OutputMoment& moment, const nlohmann::json& earlier) const = 0;
};

using OutputKinds = std::vector<std::unique_ptr<const OutputKind>>;

/// All kinds, in the order in which they are written.
const OutputKinds& output_kinds();

/// Writes all kinds. Collective.
OutputRecord write_output(const OutputMoment& moment);

}  // namespace multiwalk
