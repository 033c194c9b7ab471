// SPDX-License-Identifier: GPL-3.0-or-later
// Masses and radii of spheres of given mean density around centres (Lacey & Cole 1994), including all particles.
#pragma once

#include <span>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "analysis/halos/sphere_sample.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Mean comoving densities, 1e10 Msun/h / (Mpc/h)^3.
struct OverdensityThresholds {
  double crit200, crit500, mean200, virial;
};

/// At expansion factor a. Virial: virial_overdensity times the critical density.
OverdensityThresholds overdensity_thresholds(const Expansion& expansion, double a);

/// Given samples by rising distance, the largest radius R at which the mass within R is `density` times the sphere's
/// volume: at R the sphere contains exactly the samples that are nearer. Zero if there is none.
SphericalMass find_sphere(std::span<const SphereSample> samples, double density);

/// Given samples by rising distance, the sphere with the largest mass / radius among those through a sample at most
/// `farthest` away that contain at least 20 samples, since fewer are too noisy. Zero if there is none.
SphericalMass find_peak(std::span<const SphereSample> samples, double farthest);

/// Fills the spheres of each of this rank's halos from the particles of all ranks (each in its rank's domain), and what
/// follows from them: v_max, concentration and spin. The peak is searched within the largest of the other spheres. The
/// search extends to 1.2 times the radius that the halo's mass would have at the lowest of the densities. While the
/// mean density there is still above it, the radius is doubled, up to half the period. Memory: the particles of a few
/// spheres, or at least those of the largest (48 bytes each). The same for any number of ranks. Collective.
void measure_spheres(std::span<Halo> halos, const ParticleSystem& system, const DomainMap& domains,
                     const Expansion& expansion, const Communicator& comm = {});

}  // namespace multiwalk
