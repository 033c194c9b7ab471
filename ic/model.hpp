// SPDX-License-Identifier: GPL-3.0-or-later
// What can be simulated: options of every model and the one entry that makes its particles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "decomposition/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/load.hpp"
#include "ic/random.hpp"

namespace multiwalk {

/// kepler_disc and bodies are for direct summation: make_model knows them not.
enum class ModelKind { sphere, box, hubble_lattice, plummer, uniform, two_body, kepler_disc, bodies, file };

struct ModelOptions {
  ModelKind kind = ModelKind::sphere;
  std::uint64_t particles = 32768;   ///< isolated models
  double radius = 60;                ///< Mpc/h (sphere, hubble_lattice); model units (uniform)
  double box_size = 0;               ///< Mpc/h; side of the realisation. 0: 2 radius for a sphere
  bool allow_mass_mismatch = false;  ///< accept a snapshot whose masses contradict omega_m
  std::string file;                  ///< model.kind = "file": a snapshot; "bodies": a table of bodies
  std::uint64_t seed = 1;
  double eccentricity = 0.5;  ///< two_body
  double disc_mass = 0.01;    ///< kepler_disc: of all bodies but the central one, whose mass is 1
  double jitter = 0;          ///< hubble_lattice: greatest random shift along each axis, in spacings
};

struct IcOptions {
  double z_start = 24;
  std::uint32_t grid = 80;  ///< FFT cells a side of the realisation; so many particles, bcc: twice grid^3
  LoadKind load = LoadKind::grid;
  std::uint32_t glass_tiles = 0;  ///< copies of the glass a side; 0: as few as make it at most 32 particles a side
  int lpt_order = 2;              ///< 1: Zel'dovich, 2: 2LPT, 3: 3LPT
  ModeSource random = ModeSource::philox;
  bool fixed_amplitude = false;  ///< |delta_k| = sqrt(P/V) (Angulo & Pontzen 2016)
  bool paired = false;           ///< delta -> -delta
  std::string transfer_file;     ///< linear power table; empty: Eisenstein & Hu
};

/// What the making of particles tells: `progress(part, fraction)`, with 0 when a part begins and then how much of it is
/// done; a warning comes once, with a fraction below 0. Every rank calls it alike. May be null.
using ModelProgress = std::function<void(const std::string&, double)>;

/// Makes the particles of any kind but `kepler_disc`, `bodies` and `file`. Comoving models start at a = 1/(1 +
/// z_start), isolated ones at time 0 in units of G = 1, with total mass 1. Every rank gets a share of the particles:
/// those of its pencil of the mesh (comoving), an equal run of ids (isolated), two_body's on rank 0. A particle has the
/// same id, position, velocity and mass, bit for bit, whatever the number of ranks and threads. Collective. Throws
/// SharedError naming the key of an option that cannot be used.
ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const ModelProgress& progress = nullptr, const Communicator& comm = {});

/// Bytes that make_model needs at its peak on the fullest of `ranks`, the particles included (for `plan`).
double model_memory(const ModelOptions& model, const IcOptions& ic, int ranks = 1);

}  // namespace multiwalk
