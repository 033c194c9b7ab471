// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/spherical_overdensity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>

#include "analysis/halos/halo_structure.hpp"
#include "analysis/halos/range_search.hpp"
#include "decomposition/domains/domain_search.hpp"
#include "host/base/error.hpp"
#include "host/base/separation.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

constexpr double sphere_volume = 4 * std::numbers::pi / 3;
constexpr double most_members = 1 << 20;  ///< of the halos whose spheres a rank holds in memory at once

struct Sphere {
  Vec3d centre;
  double radius;
};

/// A halo whose spheres have not been found yet.
struct Pending {
  std::size_t halo;
  double radius;
};

bool nearer(const SphereSample& a, const SphereSample& b) {
  return a.square != b.square ? a.square < b.square : a.id < b.id;
}

/// Asks the ranks whose domains the spheres overlap for the particles in them.
class SampleExchange {
 public:
  SampleExchange(const ParticleStore& particles, const DomainMap& domains, double period, const Communicator& comm)
      : particles_(particles), own_(particles.position, period), domains_(domains), period_(period), comm_(comm) {}

  /// (spheres.size()) samples of all ranks, by rising distance. Collective.
  [[nodiscard]] std::vector<std::vector<SphereSample>> collect(std::span<const Sphere> spheres) const {
    std::vector<std::vector<std::size_t>> asked(static_cast<std::size_t>(comm_.size()));
    std::vector<int> ranks;
    for (std::size_t s = 0; s < spheres.size(); ++s) {
      const double reach = spheres[s].radius * (1 + 1e-9);
      const Vec3d half{reach, reach, reach}, centre = spheres[s].centre;
      find_ranks_meeting(domains_, {centre - half, centre + half}, period_, ranks);
      for (const int rank : ranks) asked[static_cast<std::size_t>(rank)].push_back(s);
    }
    std::vector<Sphere> questions;
    std::vector<std::size_t> asker;
    std::vector<std::uint64_t> count;
    for (const std::vector<std::size_t>& of_rank : asked) {
      count.push_back(of_rank.size());
      for (const std::size_t s : of_rank) {
        questions.push_back(spheres[s]);
        asker.push_back(s);
      }
    }
    return merge(spheres.size(), asker, answer(questions, count));
  }

 private:
  struct Answers {
    std::vector<std::uint64_t> count;  ///< (questions)
    std::vector<SphereSample> sample;
  };

  [[nodiscard]] Answers answer(const std::vector<Sphere>& questions, const std::vector<std::uint64_t>& count) const {
    const Received<Sphere> heard = comm_.exchange(std::span<const Sphere>(questions), std::span(count));
    std::vector<std::vector<SphereSample>> found(heard.data.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t q = 0; q < found.size(); ++q) {
      const Vec3d centre = heard.data[q].centre;
      own_.for_each_within(centre, heard.data[q].radius, [&](double square, std::uint32_t i) {
        found[q].push_back({square, static_cast<double>(particles_.mass[i]),
                            static_cast<Vec3f>(separation(centre, particles_.position[i], period_)),
                            particles_.velocity[i], particles_.id[i]});
      });
    }
    std::vector<std::uint64_t> counts, per_rank;
    std::vector<SphereSample> samples;
    std::size_t q = 0;
    for (const std::uint64_t of_rank : heard.count) {
      const std::size_t before = samples.size();
      for (const std::size_t end = q + of_rank; q < end; ++q) {
        counts.push_back(found[q].size());
        samples.insert(samples.end(), found[q].begin(), found[q].end());
        std::vector<SphereSample>().swap(found[q]);
      }
      per_rank.push_back(samples.size() - before);
    }
    return {comm_.exchange(std::span<const std::uint64_t>(counts), std::span(heard.count)).data,
            comm_.exchange(std::span<const SphereSample>(samples), std::span<const std::uint64_t>(per_rank)).data};
  }

  static std::vector<std::vector<SphereSample>> merge(std::size_t spheres, const std::vector<std::size_t>& asker,
                                                      const Answers& answers) {
    std::vector<std::vector<SphereSample>> merged(spheres);
    std::size_t at = 0;
    for (std::size_t q = 0; q < asker.size(); ++q) {
      const std::span samples = std::span(answers.sample).subspan(at, answers.count[q]);
      merged[asker[q]].insert(merged[asker[q]].end(), samples.begin(), samples.end());
      at += answers.count[q];
    }
    require(at == answers.sample.size(), "spherical overdensity: answers without a question");
#pragma omp parallel for schedule(dynamic)
    for (std::size_t s = 0; s < spheres; ++s) std::sort(merged[s].begin(), merged[s].end(), nearer);
    return merged;
  }

  const ParticleStore& particles_;
  RangeSearch own_;
  const DomainMap& domains_;
  double period_;
  const Communicator& comm_;
};

/// As many of the last pending halos as fit into memory, but at least one.
std::vector<Pending> take_batch(std::vector<Pending>& pending, std::span<const Halo> halos) {
  std::vector<Pending> batch;
  for (double members = 0; !pending.empty() && members < most_members; pending.pop_back()) {
    batch.push_back(pending.back());
    members += static_cast<double>(halos[pending.back().halo].number);
  }
  return batch;
}

double total_mass(std::span<const SphereSample> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0,
                         [](double sum, const SphereSample& sample) { return sum + sample.mass; });
}

double circular_velocity(const SphericalMass& sphere, double a) {
  return sphere.radius > 0 ? std::sqrt(units::gravitational_constant * sphere.mass / (a * sphere.radius)) : 0;
}

/// `samples`: all that its spheres may contain, by rising distance.
void describe(std::span<const SphereSample> samples, const OverdensityThresholds& thresholds, double a, double hubble,
              Halo& halo) {
  halo.crit200 = find_sphere(samples, thresholds.crit200);
  halo.crit500 = find_sphere(samples, thresholds.crit500);
  halo.mean200 = find_sphere(samples, thresholds.mean200);
  halo.virial = find_sphere(samples, thresholds.virial);
  halo.peak = find_peak(samples, std::max({halo.crit200.radius, halo.mean200.radius, halo.virial.radius}));
  halo.v_max = circular_velocity(halo.peak, a);
  if (!(halo.crit200.radius > 0)) return;
  if (halo.v_max > 0) halo.concentration = nfw_concentration(halo.v_max / circular_velocity(halo.crit200, a));
  const double square = halo.crit200.radius * halo.crit200.radius;
  const auto beyond = [&](const SphereSample& sample) { return sample.square > square; };
  const auto inside = static_cast<std::size_t>(std::ranges::find_if(samples, beyond) - samples.begin());
  const HaloSpin spin = measure_spin(samples.first(inside), halo.crit200, a, hubble);
  halo.spin = spin.specific;
  halo.spin_peebles = spin.peebles;
  halo.spin_bullock = spin.bullock;
}

}  // namespace

OverdensityThresholds overdensity_thresholds(const Expansion& expansion, double a) {
  const double e = expansion.efunc(a);
  const double critical = units::critical_density * e * e * a * a * a;  // comoving
  const double x = expansion.omega_m(a) - 1;
  const double virial = 18 * std::numbers::pi * std::numbers::pi + 82 * x - 39 * x * x;
  const double mean = expansion.parameters().omega_m * units::critical_density;
  return {200 * critical, 500 * critical, 200 * mean, virial * critical};
}

SphericalMass find_sphere(std::span<const SphereSample> samples, double density) {
  double mass = total_mass(samples);
  double beyond = std::numeric_limits<double>::infinity();  // squared distance of the next sample
  for (std::size_t k = samples.size(); k > 0; --k) {
    const double radius = std::cbrt(mass / (sphere_volume * density)), square = radius * radius;
    if (square >= samples[k - 1].square && square < beyond) return {mass, radius};
    beyond = samples[k - 1].square;
    mass -= samples[k - 1].mass;
  }
  return {};
}

SphericalMass find_peak(std::span<const SphereSample> samples, double farthest) {
  constexpr std::size_t fewest = 20;
  SphericalMass peak;
  double mass = 0;
  for (std::size_t k = 0; k < samples.size() && samples[k].square <= farthest * farthest; ++k) {
    mass += samples[k].mass;
    const double radius = std::sqrt(samples[k].square);
    if (k + 1 < fewest || !(radius > 0)) continue;
    if (peak.radius == 0 || mass * peak.radius > peak.mass * radius) peak = {mass, radius};
  }
  return peak;
}

void measure_spheres(std::span<Halo> halos, const ParticleSystem& system, const DomainMap& domains,
                     const Expansion& expansion, const Communicator& comm) {
  const OverdensityThresholds thresholds = overdensity_thresholds(expansion, system.time);
  const double period = period_of(system), hubble = expansion.hubble(system.time);
  const SampleExchange exchange(system.particles, domains, period, comm);
  const double least = std::min({thresholds.crit200, thresholds.crit500, thresholds.mean200, thresholds.virial});
  const double farthest = period > 0 ? period / 2 : std::numeric_limits<double>::infinity();
  std::vector<Pending> pending;
  for (std::size_t h = 0; h < halos.size(); ++h) {
    if (!(halos[h].mass > 0)) continue;
    pending.push_back({h, std::min(1.2 * std::cbrt(halos[h].mass / (sphere_volume * least)), farthest)});
  }
  while (comm.any(!pending.empty())) {
    const std::vector<Pending> batch = take_batch(pending, halos);
    std::vector<Sphere> spheres;
    for (const Pending& p : batch) spheres.push_back({halos[p.halo].centre, p.radius});
    const std::vector<std::vector<SphereSample>> samples = exchange.collect(spheres);
    const auto reaches_further = [&](std::size_t s) {
      const double radius = batch[s].radius;
      return total_mass(samples[s]) > least * sphere_volume * radius * radius * radius && radius < farthest;
    };
    for (std::size_t s = 0; s < batch.size(); ++s) {
      if (reaches_further(s)) pending.push_back({batch[s].halo, std::min(2 * batch[s].radius, farthest)});
    }
#pragma omp parallel for schedule(dynamic)
    for (std::size_t s = 0; s < batch.size(); ++s) {
      if (!reaches_further(s)) describe(samples[s], thresholds, system.time, hubble, halos[batch[s].halo]);
    }
  }
}

}  // namespace multiwalk
