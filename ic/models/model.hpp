// SPDX-License-Identifier: GPL-3.0-or-later
// Options of every model, and the one entry point that makes its particles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/fields/random.hpp"
#include "ic/galaxies/galaxy_options.hpp"
#include "ic/galaxies/galaxy_system.hpp"
#include "ic/loads/load.hpp"

namespace multiwalk {

/// kepler_disc and bodies are for direct summation; make_model does not make them.
enum class ModelKind {
  sphere,
  box,
  hubble_lattice,
  plummer,
  uniform,
  two_body,
  galaxy,
  galaxy_pair,
  kepler_disc,
  bodies,
  file
};

struct ModelOptions {
  ModelKind kind = ModelKind::sphere;
  std::uint64_t particles = 32768;   ///< isolated models
  double radius = 60;                ///< Mpc/h (sphere, hubble_lattice); model units (uniform)
  double box_size = 0;               ///< Mpc/h; side of the realisation. 0: 2 radius for a sphere
  bool allow_mass_mismatch = false;  ///< for a snapshot whose masses contradict omega_m
  std::string file;                  ///< model.kind = "file": a snapshot; "bodies": a table of bodies
  std::uint64_t seed = 1;
  double eccentricity = 0.5;  ///< two_body
  double disc_mass = 0.01;    ///< kepler_disc: mass of all bodies except the central one, whose mass is 1
  double jitter = 0;          ///< hubble_lattice: greatest random shift along each axis, in spacings
  GalaxyOptions galaxy;       ///< galaxy, and both of galaxy_pair
  GalaxyPairOptions pair;     ///< galaxy_pair
};

struct IcOptions {
  double z_start = 24;
  std::uint32_t grid = 80;  ///< FFT cells per side; as many particles, bcc: twice grid^3
  LoadKind load = LoadKind::grid;
  std::uint32_t glass_tiles = 0;  ///< copies of the glass per side; 0: as few as leave it at most 32 particles per side
  int lpt_order = 2;              ///< 1: Zel'dovich, 2: 2LPT, 3: 3LPT
  ModeSource random = ModeSource::philox;
  bool fixed_amplitude = false;  ///< |delta_k| = sqrt(P/V) (Angulo & Pontzen 2016)
  bool paired = false;           ///< delta -> -delta
  std::string transfer_file;     ///< linear power table; empty: Eisenstein & Hu
};

/// Reports progress while particles are made: `progress(part, fraction)`, with 0 when a part begins and then the
/// fraction that is done; a warning is reported once, with a negative fraction, and a remark with one above 1. Every
/// rank calls it in the same way. May be null.
using ModelProgress = std::function<void(const std::string&, double)>;

/// Makes the particles of any kind except `kepler_disc`, `bodies` and `file`. Comoving models start at a = 1/(1 +
/// z_start), isolated ones at time 0 in units of G = 1, with total mass 1. Every rank gets a share of the particles:
/// those of its pencil of the mesh (comoving), or an equal run of ids (isolated); those of two_body are on rank 0. A
/// particle has the same id, position, velocity and mass, bit for bit, for any number of ranks and threads. Collective.
/// Throws SharedError that names the key of an option that cannot be used.
ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const ModelProgress& progress = nullptr, const Communicator& comm = {});

/// Ids of the stars of a galaxy or a pair, without their halos; of other models none.
std::vector<IdRange> stars_of(const ModelOptions& model);

}  // namespace multiwalk
