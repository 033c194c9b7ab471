// What can be simulated: options of every model and the one entry that makes its particles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

enum class ModelKind { sphere, box, hubble_lattice, plummer, uniform, two_body, file };

struct ModelOptions {
  ModelKind kind = ModelKind::sphere;
  std::uint64_t particles = 32768;  ///< isolated models
  double radius = 60;               ///< Mpc/h (sphere, hubble_lattice); model units (uniform)
  double box_size = 0;              ///< Mpc/h; side of the realisation. 0: 2 radius for a sphere
  std::string file;                 ///< model.kind = "file": a snapshot
  std::uint64_t seed = 1;
  double eccentricity = 0.5;        ///< two_body
};

struct IcOptions {
  double z_start = 24;
  std::uint32_t grid = 80;          ///< particles and FFT cells a side of the realisation
  int lpt_order = 2;                ///< 1: Zel'dovich, 2: 2LPT
  bool fixed_amplitude = false;     ///< |delta_k| = sqrt(P/V) (Angulo & Pontzen 2016)
  bool paired = false;              ///< delta -> -delta
  std::string transfer_file;        ///< linear power table; empty: Eisenstein & Hu
};

/// Makes the particles of any kind but `file`. `progress(what, fraction)` may be null.
ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const std::function<void(const std::string&, double)>& progress = nullptr);

}  // namespace multiwalk
