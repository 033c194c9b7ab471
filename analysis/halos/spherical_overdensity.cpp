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
#include "analysis/halos/virial_overdensity.hpp"
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

void sort_samples(std::vector<SphereSample>& samples) {
  std::sort(samples.begin(), samples.end(), nearer);
}

/// Finds the particles of spheres, and asks the other ranks whose domains the spheres overlap.
class SampleExchange {
 public:
  SampleExchange(const ParticleStore& particles, const DomainMap& domains, double period, const Communicator& comm)
      : particles_(particles), own_(particles.position, period), domains_(domains), period_(period), comm_(comm) {}

  /// Whether the sphere overlaps the domain of no other rank. `ranks`: working memory.
  [[nodiscard]] bool only_here(const Sphere& sphere, std::vector<int>& ranks) const {
    if (comm_.alone()) return true;
    find_ranks(sphere, ranks);
    return std::ranges::all_of(ranks, [this](int rank) { return rank == comm_.rank(); });
  }

  /// Appends this rank's samples in no particular order.
  void add_own(const Sphere& sphere, std::vector<SphereSample>& samples) const {
    own_.for_each_within(sphere.centre, sphere.radius, [&](double square, std::uint32_t i) {
      samples.push_back({square, static_cast<double>(particles_.mass[i]),
                         static_cast<Vec3f>(separation(sphere.centre, particles_.position[i], period_)),
                         particles_.velocity[i], particles_.id[i]});
    });
  }

  /// (spheres.size()) samples of all ranks, by rising distance. Collective.
  [[nodiscard]] std::vector<std::vector<SphereSample>> collect(std::span<const Sphere> spheres) const {
    std::vector<std::vector<std::size_t>> asked(static_cast<std::size_t>(comm_.size()));
    std::vector<int> ranks;
    for (std::size_t s = 0; s < spheres.size(); ++s) {
      find_ranks(spheres[s], ranks);
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

  void find_ranks(const Sphere& sphere, std::vector<int>& ranks) const {
    const double reach = sphere.radius * (1 + 1e-9);
    const Vec3d half{reach, reach, reach};
    find_ranks_meeting(domains_, {sphere.centre - half, sphere.centre + half}, period_, ranks);
  }

  [[nodiscard]] Answers answer(const std::vector<Sphere>& questions, const std::vector<std::uint64_t>& count) const {
    const Received<Sphere> heard = comm_.exchange(std::span<const Sphere>(questions), std::span(count));
    std::vector<std::vector<SphereSample>> found(heard.data.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t q = 0; q < found.size(); ++q) add_own(heard.data[q], found[q]);
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
    for (std::size_t s = 0; s < spheres; ++s) sort_samples(merged[s]);
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

/// Measures halos from the particles in spheres about them.
class HaloMeasurer {
 public:
  HaloMeasurer(const Expansion& expansion, double a, double period)
      : thresholds_(overdensity_thresholds(expansion, a)),
        least_(std::min({thresholds_.crit200, thresholds_.crit500, thresholds_.mean200, thresholds_.virial})),
        farthest_(period > 0 ? period / 2 : std::numeric_limits<double>::infinity()),
        a_(a),
        hubble_(expansion.hubble(a)) {}

  [[nodiscard]] double first_radius(const Halo& halo) const {
    return std::min(1.2 * std::cbrt(halo.mass / (sphere_volume * least_)), farthest_);
  }

  /// `samples`: all within `radius` by rising distance. If the halo may extend beyond it, doubles the radius and
  /// returns false.
  bool measure(std::span<const SphereSample> samples, double& radius, Halo& halo) const {
    if (total_mass(samples) > least_ * sphere_volume * radius * radius * radius && radius < farthest_) {
      radius = std::min(2 * radius, farthest_);
      return false;
    }
    describe(samples, halo);
    return true;
  }

 private:
  void describe(std::span<const SphereSample> samples, Halo& halo) const {
    halo.crit200 = find_sphere(samples, thresholds_.crit200);
    halo.crit500 = find_sphere(samples, thresholds_.crit500);
    halo.mean200 = find_sphere(samples, thresholds_.mean200);
    halo.virial = find_sphere(samples, thresholds_.virial);
    halo.peak = find_peak(samples, std::max({halo.crit200.radius, halo.mean200.radius, halo.virial.radius}));
    halo.v_max = circular_velocity(halo.peak, a_);
    if (!(halo.crit200.radius > 0)) return;
    if (halo.v_max > 0) halo.concentration = nfw_concentration(halo.v_max / circular_velocity(halo.crit200, a_));
    const double square = halo.crit200.radius * halo.crit200.radius;
    const auto beyond = [&](const SphereSample& sample) { return sample.square > square; };
    const auto inside = static_cast<std::size_t>(std::ranges::find_if(samples, beyond) - samples.begin());
    const HaloSpin spin = measure_spin(samples.first(inside), halo.crit200, a_, hubble_);
    halo.spin = spin.specific;
    halo.spin_peebles = spin.peebles;
    halo.spin_bullock = spin.bullock;
  }

  OverdensityThresholds thresholds_;
  double least_, farthest_, a_, hubble_;
};

/// Measures the halos whose spheres overlap no other rank's domain, without waiting for any, and returns the others.
std::vector<Pending> measure_own(std::vector<Pending> pending, std::span<Halo> halos, const HaloMeasurer& measurer,
                                 const SampleExchange& exchange) {
  std::vector<std::uint8_t> done(pending.size(), 0);
#pragma omp parallel
  {
    std::vector<SphereSample> samples;
    std::vector<int> ranks;
#pragma omp for schedule(dynamic, 8)
    for (std::size_t p = 0; p < pending.size(); ++p) {
      Halo& halo = halos[pending[p].halo];
      for (double& radius = pending[p].radius; done[p] == 0 && exchange.only_here({halo.centre, radius}, ranks);) {
        samples.clear();
        exchange.add_own({halo.centre, radius}, samples);
        sort_samples(samples);
        done[p] = measurer.measure(samples, radius, halo) ? 1 : 0;
      }
    }
  }
  std::vector<Pending> others;
  for (std::size_t p = 0; p < pending.size(); ++p)
    if (done[p] == 0) others.push_back(pending[p]);
  return others;
}

/// Measures some halos from the particles of all ranks and returns those that need larger spheres. Collective.
std::vector<Pending> measure_batch(std::vector<Pending> batch, std::span<Halo> halos, const HaloMeasurer& measurer,
                                   const SampleExchange& exchange) {
  std::vector<Sphere> spheres;
  for (const Pending& p : batch) spheres.push_back({halos[p.halo].centre, p.radius});
  const std::vector<std::vector<SphereSample>> samples = exchange.collect(spheres);
  std::vector<std::uint8_t> done(batch.size(), 0);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < batch.size(); ++s)
    done[s] = measurer.measure(samples[s], batch[s].radius, halos[batch[s].halo]) ? 1 : 0;
  std::vector<Pending> larger;
  for (std::size_t s = 0; s < batch.size(); ++s)
    if (done[s] == 0) larger.push_back(batch[s]);
  return larger;
}

}  // namespace

OverdensityThresholds overdensity_thresholds(const Expansion& expansion, double a) {
  const double e = expansion.efunc(a);
  const double critical = units::critical_density * e * e * a * a * a;  // comoving
  const double mean = expansion.parameters().omega_m * units::critical_density;
  return {200 * critical, 500 * critical, 200 * mean, virial_overdensity(expansion, a) * critical};
}

SphericalMass find_sphere(std::span<const SphereSample> samples, double density) {
  double mass = total_mass(samples);
  for (std::size_t k = samples.size(); k > 0; --k) {
    // Short of the next sample, because a larger mass than this one did not reach that.
    const double radius = std::cbrt(mass / (sphere_volume * density));
    if (radius * radius >= samples[k - 1].square) return {mass, radius};
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
  const double period = period_of(system);
  const SampleExchange exchange(system.particles, domains, period, comm);
  const HaloMeasurer measurer(expansion, system.time, period);
  std::vector<Pending> pending;
  for (std::size_t h = 0; h < halos.size(); ++h)
    if (halos[h].mass > 0) pending.push_back({h, measurer.first_radius(halos[h])});
  pending = measure_own(std::move(pending), halos, measurer, exchange);
  while (comm.any(!pending.empty())) {
    const std::vector<Pending> larger = measure_batch(take_batch(pending, halos), halos, measurer, exchange);
    pending.insert(pending.end(), larger.begin(), larger.end());
  }
}

}  // namespace multiwalk
