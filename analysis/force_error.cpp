#include "analysis/force_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/sampling.hpp"
#include "host/force/direct_sum.hpp"

namespace multiwalk {

ErrorPercentiles percentiles(std::vector<double> errors) {
  if (errors.empty()) return {};
  for (double& e : errors) {
    if (std::isnan(e)) e = std::numeric_limits<double>::infinity();
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double fraction) {
    const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(errors.size())));
    return errors[std::max<std::size_t>(rank, 1) - 1];
  };
  return {at(0.5), at(0.9), at(0.99), errors.back(), errors.size()};
}

ForceError measure_force_error(const ParticleStore& particles, const PairLaw& law, std::uint64_t sample,
                               double background, std::uint64_t seed) {
  const std::vector<std::uint32_t> chosen = sample_by_id(particles.id, sample, seed);
  const std::vector<ForceSum<double>> truth = direct_sums(particles.position, particles.mass, chosen, law.softening);
  std::vector<double> total, peculiar;
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    const Vec3d exact = law.gravitational_constant * Vec3d{truth[s].x, truth[s].y, truth[s].z};
    const double error = norm(Vec3d(particles.acceleration[chosen[s]]) - exact);
    const double pull = norm(exact);
    const double peculiar_pull = norm(exact + background * particles.position[chosen[s]]);
    // Where nothing pulls, any error counts as infinite.
    const auto relative = [&](double scale) { return error > 0 ? error / scale : 0.0; };
    total.push_back(relative(pull));
    peculiar.push_back(relative(peculiar_pull));
  }
  return {percentiles(std::move(total)), percentiles(std::move(peculiar))};
}

}  // namespace multiwalk
