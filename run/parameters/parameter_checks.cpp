// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameter_checks.hpp"

#include "analysis/halos/virial_overdensity.hpp"

namespace multiwalk {

void Checks::complain(Names keys, const std::string& text) const {
  for (const std::string_view key : keys)
    if (const auto at = parameters_.given.find(key); at != parameters_.given.end())
      throw InputError(at->second.where + ": " + text);
  throw InputError(text);
}

void Checks::in_run(std::string_view key, const std::vector<double>& redshifts) const {
  const double last = parameters_.time.z_end, first = parameters_.ic.z_start;
  for (const double z : redshifts) {
    (*this)(z >= last, {key, "time.z_end"}, "{}: {} is outside the run, which ends at z = {}", key, z, last);
    (*this)(z <= first || parameters_.model.kind == ModelKind::file, {key, "ic.z_start"},
            "{}: {} is outside the run, which starts at z = {}", key, z, first);
  }
}

void check_geometry(const Parameters& p) {
  if (is_newtonian(p.model.kind)) return;
  if (p.lightcone.wanted()) require_flat(p.cosmology, "lightcone.shells and particles are");
  if (p.planes.wanted()) require_flat(p.cosmology, "lens planes (planes.pixels) are");
  if (!p.output.halos && !p.trees.wanted()) return;
  if (!has_virial_overdensity(p.cosmology)) {
    throw InputError(
        "output.halos and [trees]: the virial masses of a curved universe are known with a cosmological constant only: "
        "leave out cosmology.w0 and wa, or choose omega_m and omega_lambda that add up to 1");
  }
}

void check_conflicts(const Parameters& parameters) {
  parameters.check(Checks(parameters));
  if (parameters.model.kind != ModelKind::file) check_geometry(parameters);
}

}  // namespace multiwalk
