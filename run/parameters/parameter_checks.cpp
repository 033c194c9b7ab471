// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameter_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>

#include "analysis/halos/virial_overdensity.hpp"
#include "host/base/error.hpp"
#include "ic/fields/seeded_modes.hpp"
#include "ic/models/make_load.hpp"

namespace multiwalk {

namespace {

struct Checker {
  const Parameters& p;
  const GivenAt& given_at;

  /// Unless `ok`, complains at the first of `keys` that the user gave.
  void expect(bool ok, std::initializer_list<std::string_view> keys, const std::string& what) const {
    if (ok) return;
    for (const std::string_view key : keys)
      if (const std::string where = given_at(key); !where.empty()) throw InputError(where + ": " + what);
    throw InputError(what);
  }

  void cosmology() const {
    const CosmologyParameters& c = p.cosmology;
    expect(c.a_s == 0 || given_at("cosmology.sigma8").empty(), {"cosmology.a_s", "cosmology.sigma8"},
           "cosmology.a_s and cosmology.sigma8 are both given: keep one of them");
    expect(c.shape_gamma == 0 || p.ic.transfer_file.empty(), {"cosmology.shape_gamma", "cosmology.transfer_file"},
           "cosmology.shape_gamma and cosmology.transfer_file are both given: keep one of them");
    expect(
        c.omega_b <= c.omega_m, {"cosmology.omega_b", "cosmology.omega_m"},
        fmt::format("cosmology.omega_b = {} is more than omega_m = {}, of which it is a part", c.omega_b, c.omega_m));
  }

  void flatness() const {
    const CosmologyParameters& c = p.cosmology;
    const bool matter = !given_at("cosmology.omega_m").empty(), dark = !given_at("cosmology.omega_lambda").empty();
    if (matter == dark || is_newtonian(p.model.kind) || p.model.kind == ModelKind::file) return;
    const auto key = [](bool of_matter) { return of_matter ? "omega_m" : "omega_lambda"; };
    const double other = dark ? c.omega_m : c.omega_lambda;
    expect(
        is_flat(c), {"cosmology.omega_m", "cosmology.omega_lambda"},
        fmt::format("cosmology.{} = {:g} and the default cosmology.{} = {:g} leave a curvature of {:.3g} that nobody "
                    "asked for: give also {} = {:.8g} for a flat universe, or {} = {:g} for this curved one",
                    key(matter), matter ? c.omega_m : c.omega_lambda, key(dark), other, curvature(c), key(dark),
                    other + curvature(c), key(dark), other));
  }

  void model() const {
    const ModelOptions& m = p.model;
    const bool from_file = m.kind == ModelKind::file || m.kind == ModelKind::bodies;
    expect(!from_file || !m.file.empty(), {"model.kind"}, "model.kind = \"file\" or \"bodies\" needs model.file");
    expect(from_file || m.file.empty(), {"model.file"},
           "model.file is given but model.kind is not \"file\" or \"bodies\"");
    const FileUnitParameters& u = p.file_units;
    const int units = !u.length.empty() + !u.mass.empty() + !u.velocity.empty();
    expect(units == 0 || units == 3, {"model.units.length", "model.units.mass", "model.units.velocity"},
           "model.units needs length, mass and velocity: give all three or none");
    expect(m.kind != ModelKind::box || m.box_size > 0, {"model.box_size", "model.kind"},
           "model.kind = \"box\" needs model.box_size");
    expect(
        m.kind != ModelKind::sphere || m.box_size == 0 || m.box_size >= 2 * m.radius,
        {"model.box_size", "model.radius"},
        fmt::format("model.box_size = {} Mpc/h is too small for a sphere of radius {} Mpc/h: it must be at least twice "
                    "the radius",
                    m.box_size, m.radius));
  }

  void galaxies() const {
    const ModelKind kind = p.model.kind;
    if (kind != ModelKind::galaxy && kind != ModelKind::galaxy_pair) return;
    try {
      check_galaxy(p.model.galaxy);
    } catch (const InputError& error) {
      expect(false, {"galaxy.disc_mass", "galaxy.bulge_mass"}, error.what());
    }
    if (kind == ModelKind::galaxy) return;
    try {
      check_galaxy_pair(p.model.pair);
    } catch (const InputError& error) {
      expect(false, {"pair.separation", "pair.pericentre", "pair.eccentricity"}, error.what());
    }
  }

  void initial_conditions() const {
    expect(p.ic.load == LoadKind::glass || p.ic.glass_tiles == 0, {"ic.glass_tiles"},
           "ic.glass_tiles is given but ic.load is not \"glass\"");
    expect(p.ic.random == ModeSource::philox || p.model.seed <= largest_table_seed, {"model.seed", "ic.random"},
           fmt::format("model.seed must be at most {} with ic.random other than philox", largest_table_seed));
    if (p.ic.load != LoadKind::glass) return;
    try {
      (void)glass_tiles(p.ic);
    } catch (const InputError& error) {
      expect(false, {"ic.glass_tiles", "ic.grid", "ic.load"}, error.what());
    }
  }

  void comoving_span() const {
    const double start = p.ic.z_start;
    expect(
        p.time.z_end <= start, {"time.z_end", "ic.z_start"},
        fmt::format("time.z_end = {} lies before ic.z_start = {}: redshift decreases with time", p.time.z_end, start));
    for (const double z : p.output.redshifts)
      expect(z >= p.time.z_end && z <= start, {"output.redshifts", "time.z_end", "ic.z_start"},
             fmt::format("output.redshifts: {} is outside the run, which goes from z = {} to z = {}", z, start,
                         p.time.z_end));
  }

  void decomposition() const {
    const std::size_t sides = p.decomposition.grid.size();
    expect(sides == 0 || sides == 3, {"decomposition.grid"},
           "decomposition.grid needs three numbers of domains, along x, y and z, such as [8, 4, 4]");
  }

  void tree() const {
    const ModelKind kind = p.model.kind;
    expect(p.time.integrator == DirectScheme::leapfrog, {"time.integrator", "force.method"},
           "time.integrator other than leapfrog needs direct summation: leave out force.method = \"tree\"");
    expect(p.time.steps != Steps::fixed, {"time.steps"},
           "time.steps = \"fixed\" is for direct summation: set force.method = \"direct\"");
    expect(kind != ModelKind::kepler_disc, {"model.kind"},
           "model.kind = \"kepler_disc\" is for direct summation: set time.integrator = \"hermite\" or force.method = "
           "\"direct\"");
  }

  void direct() const {
    expect(is_newtonian(p.model.kind) || p.model.kind == ModelKind::file,
           {"model.kind", "time.integrator", "force.method"},
           "direct summation is for Newtonian models: plummer, uniform, two_body, galaxy, galaxy_pair, kepler_disc, "
           "bodies "
           "or file");
    expect(p.softening.softening >= 0, {"force.softening", "time.integrator", "force.method"},
           "direct summation needs force.softening; 0: point masses");
    const bool hermite = p.time.integrator == DirectScheme::hermite;
    expect(hermite || p.time.steps == Steps::automatic || p.time.steps == Steps::fixed, {"time.steps"},
           "time.steps must be \"fixed\" with direct summation unless time.integrator is \"hermite\"");
    expect((hermite && p.time.steps != Steps::fixed) || p.time.max_dt > 0,
           {"time.max_dt", "time.steps", "time.integrator", "force.method"},
           "fixed steps need their length, time.max_dt");
  }

  void light_cone() const {
    const LightConeParameters& l = p.lightcone;
    expect(l.shells || !l.shell_velocities, {"lightcone.shell_velocities", "lightcone.shells"},
           "lightcone.shell_velocities needs lightcone.shells = true");
    expect(l.particles || !l.halos, {"lightcone.halos", "lightcone.particles"},
           "lightcone.halos needs lightcone.particles = true");
    if (!l.wanted()) return;
    expect(!is_newtonian(p.model.kind), {"lightcone.particles", "lightcone.shells"},
           "light cones are for comoving runs: this model is Newtonian");
    const auto direction = [&](const std::vector<double>& v) {
      return v.size() == 3 && (v[0] != 0 || v[1] != 0 || v[2] != 0);
    };
    expect(l.observer.empty() || l.observer.size() == 3, {"lightcone.observer"},
           "lightcone.observer needs three coordinates");
    expect(l.axis.empty() || direction(l.axis), {"lightcone.axis"},
           "lightcone.axis is not a direction such as [0, 0, 1]");
    expect(
        direction(l.pole) && direction(l.meridian) &&
            norm(cross(Vec3d{l.pole[0], l.pole[1], l.pole[2]}, Vec3d{l.meridian[0], l.meridian[1], l.meridian[2]})) > 0,
        {"lightcone.pole", "lightcone.meridian"},
        "lightcone.pole and meridian must be two different directions such as [0, 0, 1] and [1, 0, 0]");
    expect(l.z_near < l.z_far, {"lightcone.z_near", "lightcone.z_far"}, "lightcone.z_near must be less than z_far");
    expect(l.z_near >= p.time.z_end, {"lightcone.z_near", "time.z_end", "lightcone.shells", "lightcone.particles"},
           fmt::format("lightcone.z_near = {} is beyond the end of the run, time.z_end = {}", l.z_near, p.time.z_end));
    expect(p.model.kind == ModelKind::file || l.z_far <= p.ic.z_start, {"lightcone.z_far", "ic.z_start"},
           fmt::format("lightcone.z_far = {} is before the start of the run, ic.z_start = {}", l.z_far, p.ic.z_start));
    const bool box = p.model.kind == ModelKind::box || p.model.kind == ModelKind::file;
    expect(box || !l.rotate_replicas, {"lightcone.rotate_replicas"},
           "lightcone.rotate_replicas is for periodic boxes: this model has no copies");
    expect(box || !l.shift_replicas, {"lightcone.shift_replicas"},
           "lightcone.shift_replicas is for periodic boxes: this model has no copies");
    shell_borders();
  }

  void shell_borders() const {
    const LightConeParameters& l = p.lightcone;
    expect((l.nside & (l.nside - 1)) == 0, {"lightcone.nside"}, "lightcone.nside must be a power of 2");
    expect(l.shell_redshifts.empty() || l.shell_distances.empty(),
           {"lightcone.shell_redshifts", "lightcone.shell_distances"},
           "lightcone.shell_redshifts and shell_distances are both given: keep one of them");
    for (const auto* borders : {&l.shell_redshifts, &l.shell_distances}) {
      const bool rise = std::ranges::is_sorted(*borders, std::ranges::less_equal{});
      expect(borders->empty() || (borders->size() > 1 && rise),
             {"lightcone.shell_redshifts", "lightcone.shell_distances"},
             "the borders of shells must be two or more rising numbers");
    }
    expect(l.shell_redshifts.empty() || (l.shell_redshifts.front() >= l.z_near && l.shell_redshifts.back() <= l.z_far),
           {"lightcone.shell_redshifts"}, "lightcone.shell_redshifts must lie between z_near and z_far");
  }

  void maps() const {
    const bool box = p.model.kind == ModelKind::box || p.model.kind == ModelKind::file;
    expect(box || !p.grids.wanted(), {"grids.cells"}, "[grids] are for periodic boxes: use model.kind = \"box\"");
    expect(box || !p.planes.wanted(), {"planes.pixels"}, "[planes] are for periodic boxes: use model.kind = \"box\"");
    constexpr std::uint32_t fewest = 4;  // that a cloud can touch
    expect(!p.grids.wanted() || p.grids.cells >= fewest, {"grids.cells"},
           "grids.cells must be at least 4; 0: no grids");
    expect(!p.planes.wanted() || p.planes.pixels >= fewest, {"planes.pixels"},
           "planes.pixels must be at least 4; 0: no planes");
    const std::set<int> different(p.planes.normals.begin(), p.planes.normals.end());
    expect(!different.empty() && different.size() == p.planes.normals.size(), {"planes.normals"},
           "planes.normals needs one to three different axes, such as [0, 1, 2]");
    if (p.grids.wanted()) redshifts_in_run("grids.redshifts", p.grids.redshifts);
    if (p.planes.wanted()) redshifts_in_run("planes.redshifts", p.planes.redshifts);
  }

  void redshifts_in_run(const char* name, const std::vector<double>& redshifts) const {
    for (const double z : redshifts) {
      expect(z >= p.time.z_end, {name, "time.z_end"},
             fmt::format("{}: {} is outside the run, which ends at z = {}", name, z, p.time.z_end));
      expect(p.model.kind == ModelKind::file || z <= p.ic.z_start, {name, "ic.z_start"},
             fmt::format("{}: {} lies before the start of the run at z = {}", name, z, p.ic.z_start));
    }
  }

  void images() const {
    const OutputParameters& o = p.output;
    expect(o.image_centre.empty() || o.image_centre.size() == 3, {"output.image_centre"},
           "output.image_centre needs three coordinates, such as [10, 20, 30]");
    expect(o.image_range.empty() || (o.image_range.size() == 2 && o.image_range[0] < o.image_range[1]),
           {"output.image_range"}, "output.image_range needs two densities, low < high, such as [1e12, 1e14]");
  }

  void outputs() const {
    const bool newtonian = is_newtonian(p.model.kind);
    expect(!newtonian || p.output.redshifts.empty(), {"output.redshifts"},
           "output.redshifts is for comoving runs: use output.times with this model");
    expect(newtonian || p.model.kind == ModelKind::file || p.output.times.empty(), {"output.times"},
           "output.times is for Newtonian runs: use output.redshifts with this model");
    expect(!newtonian || !p.output.halos, {"output.halos"},
           "output.halos is for comoving runs: this model is Newtonian");
    expect(!newtonian || !p.trees.wanted(), {"trees.outputs", "trees.redshifts"},
           "[trees] is for comoving runs: this model is Newtonian");
    for (const double z : p.trees.redshifts)
      expect(z >= p.time.z_end, {"trees.redshifts", "time.z_end"},
             fmt::format("trees.redshifts: {} is outside the run, which ends at z = {}", z, p.time.z_end));
    for (const double t : p.output.times)
      expect(t <= p.time.t_end, {"output.times", "time.t_end"},
             fmt::format("output.times: {} is outside the run, which ends at time.t_end = {}", t, p.time.t_end));
    if (p.model.kind == ModelKind::file)
      for (const double z : p.output.redshifts)
        expect(z >= p.time.z_end, {"output.redshifts", "time.z_end"},
               fmt::format("output.redshifts: {} is outside the run, which ends at z = {}", z, p.time.z_end));
    else if (!newtonian)
      comoving_span();
  }
};

}  // namespace

bool is_newtonian(ModelKind kind) {
  switch (kind) {
    case ModelKind::plummer:
    case ModelKind::uniform:
    case ModelKind::two_body:
    case ModelKind::galaxy:
    case ModelKind::galaxy_pair:
    case ModelKind::kepler_disc:
    case ModelKind::bodies:
      return true;
    default:
      return false;
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

void check_conflicts(const Parameters& parameters, const GivenAt& given_at) {
  const Checker checker{parameters, given_at};
  checker.cosmology();
  checker.flatness();
  if (parameters.model.kind != ModelKind::file) check_geometry(parameters);
  checker.model();
  checker.galaxies();
  checker.initial_conditions();
  checker.decomposition();
  checker.outputs();
  checker.light_cone();
  checker.maps();
  checker.images();
  if (is_direct(parameters)) {
    checker.direct();
  } else {
    checker.tree();
  }
}

}  // namespace multiwalk
