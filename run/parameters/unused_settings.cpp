// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/unused_settings.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "run/parameters/parameter_table.hpp"
#include "run/parameters/parameter_value.hpp"
#include "run/parameters/power_facts.hpp"

namespace multiwalk {

namespace {

/// The facts that decide whether a parameter has an effect.
struct Scene {
  const Parameters& p;
  bool comoving, periodic;
  double time;  ///< of the system

  [[nodiscard]] bool kind(std::initializer_list<ModelKind> kinds) const {
    return std::ranges::find(kinds, p.model.kind) != kinds.end();
  }
  [[nodiscard]] bool direct() const { return is_direct(p); }
  [[nodiscard]] bool hermite() const { return direct() && p.time.integrator == DirectScheme::hermite; }
  [[nodiscard]] bool walks() const { return !direct() && p.run.backend != "direct" && p.run.backend != "ewald"; }
  [[nodiscard]] bool splits() const { return periodic && walks(); }
  [[nodiscard]] bool criterion_is_free() const {
    return walks() && (!periodic || p.box_force.accuracy == Accuracy::custom);
  }
  /// Draws particles to measure errors or count interactions.
  [[nodiscard]] bool samples() const {
    return !direct() && (p.output.error_sample > 0 || p.output.final_error_sample > 0 || p.output.census_epochs > 0);
  }
  /// A snapshot of the redshift ic.z_start.
  [[nodiscard]] bool starts_there() const {
    return kind({ModelKind::file}) && comoving && std::fabs(time * (1 + p.ic.z_start) - 1) < 1e-6;
  }
  [[nodiscard]] bool realises() const { return kind({ModelKind::sphere, ModelKind::box}); }
};

struct Scope {
  std::vector<std::string_view> keys;  ///< "section.key", or "section." for all of it
  bool (*has_effect)(const Scene&);
  std::string_view what;  ///< the runs that use them

  [[nodiscard]] bool covers(std::string_view name) const {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return key == name || (key.ends_with('.') && name.starts_with(key)); });
  }
};

using K = ModelKind;
using Seen = const Scene&;

const std::vector<Scope>& scopes() {
  static const std::vector<Scope> all{
      {{"model.particles"},
       [](Seen s) {
         return s.kind({K::plummer, K::uniform, K::galaxy, K::galaxy_pair, K::kepler_disc});
       },
       "for plummer, uniform, galaxy, galaxy_pair and kepler_disc"},
      {{"model.radius"},
       [](Seen s) {
         return s.kind({K::sphere, K::hubble_lattice, K::uniform});
       },
       "for sphere, hubble_lattice and uniform"},
      {{"model.box_size"},
       [](Seen s) {
         return s.kind({K::sphere, K::box, K::hubble_lattice});
       },
       "for sphere, box and hubble_lattice"},
      {{"model.seed"},
       [](Seen s) {
         return !s.kind({K::two_body, K::bodies, K::file}) || s.samples();
       },
       "for random models and samples"},
      {{"model.eccentricity"}, [](Seen s) { return s.kind({K::two_body}); }, "for two_body"},
      {{"model.disc_mass"}, [](Seen s) { return s.kind({K::kepler_disc}); }, "for kepler_disc"},
      {{"model.jitter"}, [](Seen s) { return s.kind({K::hubble_lattice}); }, "for hubble_lattice"},
      {{"galaxy."},
       [](Seen s) {
         return s.kind({K::galaxy, K::galaxy_pair});
       },
       "for galaxy and galaxy_pair"},
      {{"pair."}, [](Seen s) { return s.kind({K::galaxy_pair}); }, "for galaxy_pair"},
      {{"model.units.length", "model.units.mass", "model.units.velocity"},
       [](Seen s) { return s.kind({K::file}); },
       "for files"},
      {{"ic.z_start"},
       [](Seen s) { return s.realises() || s.kind({K::hubble_lattice}) || s.starts_there(); },
       "for sphere, box, hubble_lattice and files that state no redshift"},
      {{"ic.grid", "ic.load", "ic.glass_tiles"},
       [](Seen s) { return s.realises() || s.kind({K::hubble_lattice}); },
       "for sphere, box and hubble_lattice"},
      {{"ic.lpt_order", "ic.random", "ic.fixed_amplitude", "ic.paired"},
       [](Seen s) { return s.realises(); },
       "for sphere and box"},
      {{"cosmology.", "time.z_end", "time.max_dlna", "output.redshifts", "output.halos", "output.halo_images", "trees.",
        "force.softening_max_physical"},
       [](Seen s) { return s.comoving; },
       "for comoving runs"},
      {{"time.t_end", "time.max_dt", "output.times"}, [](Seen s) { return !s.comoving; }, "for Newtonian runs"},
      {{"force.accumulation", "force.splitting", "output.diagnostics_every"},
       [](Seen s) { return s.direct(); },
       "for direct summation"},
      // Interactions are counted with theta for any back end.
      {{"force.theta"}, [](Seen s) { return !s.direct() && (s.walks() || s.p.output.census_epochs > 0); }, "for trees"},
      {{"force.alpha", "force.mac", "force.multipole", "force.group_size", "force.leaf_size", "force.expansion"},
       [](Seen s) { return s.walks(); },
       "for trees"},
      {{"force.accuracy", "force.mesh", "force.split", "force.cutoff"},
       [](Seen s) { return s.splits(); },
       "for trees in periodic boxes"},
      {{"time.min_step", "output.error_sample", "output.final_error_sample", "output.census_epochs", "decomposition."},
       [](Seen s) { return !s.direct(); },
       "not for direct summation"},
      {{"time.iterations", "time.eta_start"}, [](Seen s) { return s.hermite(); }, "for hermite"},
      {{"time.eta"},
       [](Seen s) {
         return s.direct() ? direct_options(s.p).steps != DirectSteps::fixed : s.p.softening.softening != 0;
       },
       "not for fixed steps, nor for point masses in trees"},
      {{"force.alpha", "force.mac", "force.multipole"},
       [](Seen s) { return s.criterion_is_free(); },
       "chosen by force.accuracy in periodic boxes unless that is \"custom\""},
      {{"force.alpha"}, [](Seen s) { return s.periodic || s.p.force.relative(); }, "for force.mac = \"relative\""},
      {{"output.files_per_snapshot"}, [](Seen s) { return s.p.output.snapshots; }, "output.snapshots is false"},
      {{"output.image_stars"},
       [](Seen s) {
         return s.kind({K::galaxy, K::galaxy_pair});
       },
       "for galaxy and galaxy_pair"},
      {{"output.image_pixels", "output.image_width", "output.image_centre", "output.image_slab", "output.image_axis",
        "output.image_colours", "output.image_range", "output.image_labels", "output.image_stars",
        "output.halo_images"},
       [](Seen s) { return s.p.output.images; },
       "output.images is false"},
      {{"output.halo_images"}, [](Seen s) { return s.p.output.halos; }, "for output.halos"},
      {{"lightcone.nside", "lightcone.shell_count", "lightcone.shell_redshifts", "lightcone.shell_distances"},
       [](Seen s) { return s.p.lightcone.shells; },
       "for lightcone.shells"},
      {{"lightcone.replica_seed"},
       [](Seen s) { return s.p.lightcone.rotate_replicas || s.p.lightcone.shift_replicas; },
       "for lightcone.rotate_replicas and shift_replicas"},
      {{"lightcone.axis", "lightcone.half_angle"},
       [](Seen s) { return s.p.lightcone.opening == SkyOpening::cone; },
       "for lightcone.opening = \"cone\""},
      {{"lightcone."}, [](Seen s) { return s.p.lightcone.wanted(); }, "for lightcone.particles and lightcone.shells"},
      {{"grids.assignment", "grids.redshifts"}, [](Seen s) { return s.p.grids.wanted(); }, "for grids.cells above 0"},
      {{"planes.assignment", "planes.slabs", "planes.normals", "planes.redshifts"},
       [](Seen s) { return s.p.planes.wanted(); },
       "for planes.pixels above 0"},
      {{"trees.min_particles"}, [](Seen s) { return s.p.trees.wanted(); }, "for trees.outputs or trees.redshifts"},
      {{"trees.first_redshift"}, [](Seen s) { return s.p.trees.outputs > 0; }, "for trees.outputs"},
  };
  return all;
}

std::string_view why_idle(std::string_view name, const Scene& scene) {
  for (const Scope& scope : scopes()) {
    if (scope.covers(name) && !scope.has_effect(scene)) return scope.what;
  }
  return "";
}

}  // namespace

std::string idle_settings(const Parameters& asked, const Parameters& used, const ParticleSystem& system) {
  const Scene scene{asked, system.frame == Frame::comoving, system.boundary == Boundary::periodic, system.time};
  const Parameters defaults;
  std::string text;
  std::string_view last;
  for (const ParameterKey& row : parameter_table()) {
    const std::string value = format_parameter(row, asked);
    const bool replaced = value != format_parameter(row, used), is_default = value == format_parameter(row, defaults);
    const bool may_follow = row.name == "force.mac" || row.name == "output.final_error_sample";  // theta, error_sample
    const bool follows = may_follow && !asked.given.contains(row.name);
    if (follows || (is_default && !(replaced && asked.given.contains(row.name)))) continue;
    std::string_view why = why_idle(row.name, scene);
    if (why.empty() && is_idle_power_key(used, row.name)) why = "this linear power does not depend on it";
    if (why.empty() && replaced) why = "the snapshot states its own";
    if (why.empty()) continue;
    // Consecutive keys with the same reason share its text.
    if (why == last) text.erase(text.size() - why.size() - 3);
    text += (text.empty() ? "" : ", ") + std::string(row.name) + " (" + std::string(why) + ")";
    last = why;
  }
  return text;
}

}  // namespace multiwalk
