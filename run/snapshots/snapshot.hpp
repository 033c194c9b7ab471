// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots in GADGET-4's HDF5 layout (kpc/h, 1e10 Msun/h, km/s), and those of other codes; readers undo units and
// shifts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/power/linear_power.hpp"
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

/// Provenance written to /Run, /Code, /Parameters: name -> value.
using SnapshotAttributes = std::map<std::string, ParameterData>;

struct SnapshotOptions {
  int files = 1;
  std::string extension = ".hdf5";
  bool accelerations = false;  ///< write them too
  double background = 0;       ///< of a vacuum sphere: background_term, which adds to them
  bool single_precision_positions = false;
  std::optional<PowerFacts> power;    ///< for /Cosmology; none: everything in CosmologyParameters is stated
  SnapshotAttributes parameters;      ///< /Parameters, besides those that the format requires
  SnapshotAttributes run;             ///< /Run
  SnapshotAttributes code;            ///< /Code
  double softening = 0;               ///< comoving, internal length unit
  double softening_max_physical = 0;  ///< internal length unit; 0: none
};

struct SnapshotInfo {
  std::string layout;  ///< "gadget", "monofonic", "swift"; binary: "gadget1", "gadget2"
  std::uint64_t particles = 0;
  int files = 1;
  CosmologyParameters cosmology;
  PowerFacts power;       ///< as the file states them
  double softening = -1;  ///< comoving, internal length, physical cap applied; < 0: not stated
  /// For a comoving box or a sphere of known radius: total mass / mass expected from omega_m - 1. If masses differ,
  /// only read_snapshot knows it.
  double excess_mass = 0;
  double mass_scatter = 0;  ///< the part of excess_mass that cutting a sphere from a lattice explains
  std::string doubt;        ///< read_snapshot: about the unit of the coordinates (BoxFilling); empty: none
  ParticleSystem system;    ///< particles left empty by read_snapshot_info
};

/// Whether the particles have about the mass that omega_m gives the box.
bool has_mass_of_box(const SnapshotInfo& info);

/// A warning if the masses contradict omega_m by more than 1e-3 + mass_scatter, since gravity would be that much too
/// strong, or if there is a doubt; empty if all is well. From 1e-2 + mass_scatter on, throws a SharedError that says
/// how to allow it, unless `allowed`.
std::string judge_contents(const SnapshotInfo& info, const std::string& path, bool allowed);

/// Rank 0 writes the warning to standard error, for commands that only read.
void warn_of_contents(const SnapshotInfo& info, const std::string& path, const Communicator& comm = {});

/// The cube [0, side) of a snapshot's coordinates, which are the positions + shift along every axis: a periodic
/// system's box as it is; in vacuum the origin is put into the middle, and side is box_size or, if that is too small
/// for the particles, what just holds them. Mpc/h or the system's unit.
struct SnapshotBox {
  double side = 0, shift = 0;
};
/// Collective.
SnapshotBox snapshot_box(const ParticleSystem& system, const Communicator& comm = {});

/// Writes `base` + the extension (or ".K" before it, K = 0 .. files - 1), particles in the order of ranks and their
/// stores, each file under a temporary name, fsynced; all are renamed when all are complete. With more ranks than files
/// contiguous ranks share a file, all writing their rows (such files lack the Fletcher-32 checksums); else a rank
/// writes whole files. A potential that is not all zero is written too. Collective. Throws SharedError with nothing
/// left behind. Returns the paths of the set.
std::vector<std::string> write_snapshot(const std::string& base, const ParticleSystem& system,
                                        const CosmologyParameters& cosmology, const SnapshotOptions& options,
                                        const Communicator& comm = {});

/// Header of one file, checked against the extents of its data. What it does not state is taken from `unsaid`: other
/// codes' headers lack n_s, sigma8, radiation and, except for SWIFT's, w0 and wa; some lack units.
SnapshotInfo read_snapshot_info(const std::string& path, const Unsaid& unsaid = {});

/// How a snapshot is treated in which several particles have the same id.
enum class RepeatedIds { refused, warned_of };

/// Particles, in the order of the files, and header. `named` is any file of the set, or as first_of_set takes it.
/// Newtonian systems keep their units, vacuum systems are centred on the origin again. Each rank gets an equal share of
/// the rows, lower ranks the earlier ones, and reads no others. Collective. Throws SharedError on anything that cannot
/// be trusted.
SnapshotInfo read_snapshot(const std::string& named, const Communicator& comm = {}, const Unsaid& unsaid = {},
                           RepeatedIds repeated = RepeatedIds::refused);

/// read_snapshot for commands that do not start a run, with warn_of_contents. Collective.
SnapshotInfo look_at_snapshot(const std::string& path, const Communicator& comm = {}, const Unsaid& unsaid = {},
                              RepeatedIds repeated = RepeatedIds::refused);

}  // namespace multiwalk
