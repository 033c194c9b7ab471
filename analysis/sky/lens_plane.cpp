// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/lens_plane.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

constexpr double share_unit = 0x1p-60;  ///< of all mass

/// Adds the particle's shares of all mass to the pixels.
template <int order>
void add_cloud(std::vector<std::int64_t>& sums, std::uint32_t pixels, double x, double y, double share) {
  const auto along_x = cloud_shares<order>(x), along_y = cloud_shares<order>(y);
  const auto rows = touched(along_x, pixels), columns = touched(along_y, pixels);
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < order; ++j) {
      const std::int64_t part = std::llrint(share * along_x.weight[i] * along_y.weight[j]);
      std::atomic_ref(sums[std::size_t{rows[i]} * pixels + columns[j]]).fetch_add(part, std::memory_order_relaxed);
    }
  }
}

/// The slab that a coordinate lies in.
std::uint32_t slab_of(double turns, std::uint32_t slabs) {
  const double place = (turns - std::floor(turns)) * slabs;
  return std::min(static_cast<std::uint32_t>(place), slabs - 1);
}

}  // namespace

ProjectedSlab project_slab(const PeriodicParticles& particles, const MassSums& masses, const SlabOptions& options,
                           std::uint32_t slab, const Communicator& comm) {
  const std::uint32_t pixels = options.pixels;
  const int first = options.normal == 0 ? 1 : 0, second = options.normal == 2 ? 1 : 2;
  std::vector<std::int64_t> sums =
      collectively(comm, [&] { return std::vector<std::int64_t>(std::size_t{pixels} * pixels); });
  const double share_of_mass = 1 / (masses.sum * masses.heaviest * share_unit), side = particles.box_size;
  std::uint64_t number = 0;
  with_order(options.assignment, [&](auto order) {
#pragma omp parallel for schedule(static) reduction(+ : number)
    for (std::size_t i = 0; i < particles.position.size(); ++i) {
      const Vec3d at = particles.position[i];
      if (slab_of(at[options.normal] / side, options.slabs) != slab) continue;
      const auto place = [&](int axis) { return mesh_place(at[axis] / side, pixels, 0.5); };
      add_cloud<order()>(sums, pixels, place(first), place(second),
                         share_of_mass * static_cast<double>(particles.mass[i]));
      ++number;
    }
  });
  comm.sum(std::span(sums));
  number = comm.sum(number);
  return collectively(comm, [&] {
    ProjectedSlab result;
    result.particles = number;
    const double density_of_share = share_unit * options.slabs * static_cast<double>(pixels) * pixels;
    for (const std::int64_t sum : sums) result.density.push_back(static_cast<double>(sum) * density_of_share);
    return result;
  });
}

double plane_convergence(const Expansion& expansion, double distance, double thickness, double a) {
  return 1.5 * expansion.parameters().omega_m * std::pow(expansion.hubble0() / units::speed_of_light, 2) * distance *
         thickness / a;
}

}  // namespace multiwalk
