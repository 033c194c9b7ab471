// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/halo_mass_functions.hpp"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>

#include "analysis/halos/mass_function.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr int bins_per_decade = 5;
constexpr double msun = 1e10;  ///< per internal unit of mass

/// dn/dlnM of a mass in 1e10 Msun/h.
using Fit = std::function<double(double)>;

double volume_of(const ParticleSystem& system) {
  if (system.boundary == Boundary::periodic || !(system.sphere_radius > 0)) return std::pow(system.box_size, 3);
  return 4 * std::numbers::pi / 3 * std::pow(system.sphere_radius, 3);
}

json binned(const std::vector<MassBin>& bins, const char* name, const Fit& fit) {
  json rows = json::array();
  for (const MassBin& bin : bins) {
    rows.push_back({{"low", bin.low * msun},
                    {"high", bin.high * msun},
                    {"mass", bin.mass * msun},
                    {"count", bin.count},
                    {"density", bin.density},
                    {"error", bin.error},
                    {"fitted", fit(bin.mass)}});
  }
  return {{"fit", name}, {"bins", rows}};
}

}  // namespace

json halo_mass_functions(std::span<const Halo> halos, const ParticleSystem& system,
                         const CosmologyParameters& cosmology, const std::string& transfer_file,
                         std::uint64_t min_particles, const Communicator& comm) {
  const LinearPower power = LinearPower::of(cosmology, transfer_file);
  const Growth growth(Expansion(cosmology), system.time);
  const double scale = growth.factor(system.time) / growth.factor(1), z = 1 / system.time - 1;
  const double mean = cosmology.omega_m * units::critical_density, volume = volume_of(system);
  // Half a particle below, for rounding.
  const double lowest = (static_cast<double>(min_particles) - 0.5) * mean * std::pow(system.spacing, 3);
  const auto sigma = [&](double radius) { return scale * power.sigma(radius); };
  const Fit jenkins = [&](double mass) { return fitted_mass_function(mass, mean, sigma, jenkins_multiplicity); };
  const Fit tinker = [&](double mass) {
    return fitted_mass_function(mass, mean, sigma, [z](double s) { return tinker_multiplicity(s, z); });
  };
  std::vector<double> fof, mean200;
  for (const Halo& halo : halos) {
    fof.push_back(halo.mass);
    mean200.push_back(halo.mean200.mass);
  }
  return {{"redshift", z},
          {"volume", volume},
          {"fof",
           binned(measure_mass_function(fof, volume, lowest, bins_per_decade, comm), "Jenkins et al. (2001)", jenkins)},
          {"mean200", binned(measure_mass_function(mean200, volume, 2 * lowest, bins_per_decade, comm),
                             "Tinker et al. (2008)", tinker)}};
}

}  // namespace multiwalk
