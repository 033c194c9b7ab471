// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/lens_plane.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>

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

/// The indices of the particles, slab by slab.
struct SlabOrder {
  std::vector<std::uint32_t> index;
  std::vector<std::size_t> first;  ///< (slabs + 1) where each slab begins in index
};

SlabOrder order_by_slab(const PeriodicParticles& particles, const SlabOptions& options) {
  constexpr std::size_t part_size = std::size_t{1} << 16;
  const std::size_t n = particles.position.size(), parts = (n + part_size - 1) / part_size, slabs = options.slabs;
  std::vector<std::size_t> place(parts * slabs);  // for each part and slab; at first the number of particles
  const auto for_each_part = [&](auto act) {
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t i = p * part_size; i < std::min(n, (p + 1) * part_size); ++i) {
        const double coordinate = particles.position[i][options.normal];
        act(i, place[p * slabs + slab_of(coordinate / particles.box_size, options.slabs)]);
      }
    }
  };
  for_each_part([](std::size_t, std::size_t& number) { ++number; });
  SlabOrder order{std::vector<std::uint32_t>(n), {0}};
  std::size_t next = 0;
  for (std::size_t s = 0; s < slabs; ++s) {
    for (std::size_t p = 0; p < parts; ++p) next += std::exchange(place[p * slabs + s], next);
    order.first.push_back(next);
  }
  for_each_part([&](std::size_t i, std::size_t& at) { order.index[at++] = static_cast<std::uint32_t>(i); });
  return order;
}

/// The share of all mass in each pixel, in units of share_unit.
std::vector<std::int64_t> add_shares(const PeriodicParticles& particles, std::span<const std::uint32_t> index,
                                     double all_mass, const SlabOptions& options) {
  const std::uint32_t pixels = options.pixels;
  const int first = options.normal == 0 ? 1 : 0, second = options.normal == 2 ? 1 : 2;
  std::vector<std::int64_t> sums(std::size_t{pixels} * pixels);
  const double share_of_mass = 1 / (all_mass * share_unit), side = particles.box_size;
  with_order(options.assignment, [&](auto order) {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < index.size(); ++k) {
      const std::uint32_t i = index[k];
      const Vec3d at = particles.position[i];
      const double x = mesh_place(at[first] / side, pixels, 0.5), y = mesh_place(at[second] / side, pixels, 0.5);
      add_cloud<order()>(sums, pixels, x, y, share_of_mass * static_cast<double>(particles.mass[i]));
    }
  });
  return sums;
}

ProjectedSlab density_of(const std::vector<std::int64_t>& sums, std::uint64_t particles, const SlabOptions& options) {
  ProjectedSlab result;
  result.particles = particles;
  const double density_of_share = share_unit * options.slabs * static_cast<double>(options.pixels) * options.pixels;
  for (const std::int64_t sum : sums) result.density.push_back(static_cast<double>(sum) * density_of_share);
  return result;
}

}  // namespace

void project_slabs(const PeriodicParticles& particles, const MassSums& masses, const SlabOptions& options,
                   const Communicator& comm, const std::function<void(std::uint32_t, const ProjectedSlab&)>& take) {
  const SlabOrder order = collectively(comm, [&] { return order_by_slab(particles, options); });
  for (std::uint32_t s = 0; s < options.slabs; ++s) {
    const auto index = std::span(order.index).subspan(order.first[s], order.first[s + 1] - order.first[s]);
    std::vector<std::int64_t> sums =
        collectively(comm, [&] { return add_shares(particles, index, masses.sum * masses.heaviest, options); });
    comm.sum(std::span(sums));
    const std::uint64_t number = comm.sum(static_cast<std::uint64_t>(index.size()));
    take(s, collectively(comm, [&] { return density_of(sums, number, options); }));
  }
}

double plane_convergence(const Expansion& expansion, double distance, double thickness, double a) {
  return 1.5 * expansion.parameters().omega_m * std::pow(expansion.hubble0() / units::speed_of_light, 2) * distance *
         thickness / a;
}

}  // namespace multiwalk
