// SPDX-License-Identifier: GPL-3.0-or-later
// [model], [galaxy] and [pair]: the system to simulate. Their options belong to ic/models/model.hpp and
// ic/galaxies/galaxy_options.hpp.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "ic/models/model.hpp"
#include "run/parameters/parameter_key.hpp"

namespace multiwalk {

/// Units of model.file if it states none (run/formats/file_units.hpp); empty: not given.
struct FileUnitParameters {
  std::string length, mass, velocity;
};

constexpr bool is_one_of(ModelKind kind, std::initializer_list<ModelKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Models in Newtonian time with G = 1. The particles of a file may also be Newtonian.
constexpr bool is_newtonian(ModelKind kind) {
  using K = ModelKind;
  return !is_one_of(kind, {K::sphere, K::box, K::hubble_lattice, K::file});
}

/// Files may hold a periodic box.
constexpr bool may_be_periodic(ModelKind kind) {
  return is_one_of(kind, {ModelKind::box, ModelKind::file});
}

void describe_file_units(auto& p, const auto& key) {
  const auto file = key.only(p.model.kind == ModelKind::file, "for files");
  file("model.units.length", p.file_units.length,
       "unit of length in a snapshot that states none, such as GADGET's binary files; a number is in cm/h", {},
       "e.g. kpc/h")
      .is(Quantity::unit_of_length);
  file("model.units.mass", p.file_units.mass, "unit of mass in such a snapshot; a number is in g/h", {},
       "e.g. 1e10 Msun/h")
      .is(Quantity::unit_of_mass);
  file("model.units.velocity", p.file_units.velocity,
       "unit of velocity in such a snapshot (in GADGET's files, of v / sqrt(a)); a number is in cm/s", {}, "e.g. km/s")
      .is(Quantity::unit_of_velocity);
}

void describe_model(auto& p, const auto& key) {
  using K = ModelKind;
  ModelOptions& m = p.model;
  key("model.kind", m.kind,
      {"sphere", "box", "hubble_lattice", "plummer", "uniform", "two_body", "galaxy", "galaxy_pair", "kepler_disc",
       "bodies", "file"},
      "system to simulate");
  key("model.particles", m.particles,
      "particles of the Newtonian models (plummer, uniform, galaxy, galaxy_pair, kepler_disc)", Range::between(1, 1e12))
      .only(is_one_of(m.kind, {K::plummer, K::uniform, K::galaxy, K::galaxy_pair, K::kepler_disc}),
            "for plummer, uniform, galaxy, galaxy_pair and kepler_disc");
  key("model.radius", m.radius, "radius of the sphere (sphere, hubble_lattice; uniform: in model units)",
      Range::above(0), "Mpc/h")
      .only(is_one_of(m.kind, {K::sphere, K::hubble_lattice, K::uniform}), "for sphere, hubble_lattice and uniform");
  key("model.box_size", m.box_size, "side of the periodic realisation; auto: twice the radius of a sphere",
      Range::between(0, 1e9), "Mpc/h")
      .auto_is(0)
      .only(is_one_of(m.kind, {K::sphere, K::box, K::hubble_lattice}), "for sphere, box and hubble_lattice");
  key("model.file", m.file,
      "snapshot to start from (kind = \"file\": HDF5, or GADGET's formats 1 and 2), or table of bodies (kind = "
      "\"bodies\"): text or CSV, one body per line, mass x y z vx vy vz")
      .is(Quantity::path);
  describe_file_units(p, key);
  key("model.allow_mass_mismatch", m.allow_mass_mismatch,
      "start from a snapshot even if its total mass differs from that of omega_m by 1% or more");
  key("model.seed", m.seed, "selects the random realisation", Range::between(0, 9.2e18))
      .only(!is_one_of(m.kind, {K::two_body, K::bodies, K::file}) || (!is_direct(p) && p.output.samples()),
            "for random models and samples");
  key("model.eccentricity", m.eccentricity, "eccentricity of the two_body orbit",
      Range{.lo = 0, .hi = 1, .hi_open = true})
      .only(m.kind == K::two_body, "for two_body");
  key("model.disc_mass", m.disc_mass, "total mass of a kepler_disc without its central body, whose mass is 1",
      Range::from(0))
      .only(m.kind == K::kepler_disc, "for kepler_disc");
  key("model.jitter", m.jitter, "greatest random shift of hubble_lattice particles along each axis",
      Range::between(0, 0.5), "lattice spacings")
      .only(m.kind == K::hubble_lattice, "for hubble_lattice");
}

void check_model(const auto& p, const auto& must) {
  const ModelOptions& m = p.model;
  const bool from_file = is_one_of(m.kind, {ModelKind::file, ModelKind::bodies});
  must(!from_file || !m.file.empty(), {"model.kind"}, "model.kind = \"file\" or \"bodies\" needs model.file");
  must(from_file || m.file.empty(), {"model.file"}, "model.file is given but model.kind is not \"file\" or \"bodies\"");
  const FileUnitParameters& u = p.file_units;
  const int units = !u.length.empty() + !u.mass.empty() + !u.velocity.empty();
  must(units == 0 || units == 3, {"model.units.length", "model.units.mass", "model.units.velocity"},
       "model.units needs length, mass and velocity: give all three or none");
  must(m.kind != ModelKind::box || m.box_size > 0, {"model.box_size", "model.kind"},
       "model.kind = \"box\" needs model.box_size");
  must(m.kind != ModelKind::sphere || m.box_size == 0 || m.box_size >= 2 * m.radius, {"model.box_size", "model.radius"},
       "model.box_size = {} Mpc/h is too small for a sphere of radius {} Mpc/h: it must be at least twice the "
       "radius",
       m.box_size, m.radius);
}

inline constexpr Range galaxy_length = Range::between(shortest_galaxy_length, longest_galaxy_length);

void describe_galaxy(auto& p, const auto& all) {
  GalaxyOptions& g = p.model.galaxy;
  const auto key =
      all.only(is_one_of(p.model.kind, {ModelKind::galaxy, ModelKind::galaxy_pair}), "for galaxy and galaxy_pair");
  key("galaxy.halo_profile", g.halo_profile, {"hernquist", "nfw"},
      "density of the halo: Hernquist (1990), or Navarro, Frenk & White (1996)");
  key("galaxy.halo_radius", g.halo_radius, "scale radius of the halo, whose mass is what disc and bulge leave",
      galaxy_length, "model length");
  key("galaxy.cut", g.cut,
      "densities of halo and bulge are multiplied by exp(-(r / cut)^2), so that their masses are finite", galaxy_length,
      "model length");
  key("galaxy.disc_mass", g.disc_mass, "mass of the disc; 0: none", Range::between(0, 1), "mass of the galaxy");
  key("galaxy.disc_radius", g.disc_radius, "exponential scale length R_d of the disc", galaxy_length, "model length");
  key("galaxy.disc_height", g.disc_height, "z_0 of the disc's density sech^2(z / z_0)", galaxy_length, "model length");
  key("galaxy.toomre_q", g.toomre_q,
      "Toomre's Q of the disc at 2 R_d, which sets its radial velocity dispersion; below 1 it is unstable",
      Range::between(0, 100));
  key("galaxy.bulge_mass", g.bulge_mass, "mass of the Hernquist bulge; 0: none", Range::between(0, 1),
      "mass of the galaxy");
  key("galaxy.bulge_radius", g.bulge_radius, "scale radius of the bulge", galaxy_length, "model length");
}

void describe_pair(auto& p, const auto& all) {
  GalaxyPairOptions& o = p.model.pair;
  const auto key = all.only(p.model.kind == ModelKind::galaxy_pair, "for galaxy_pair");
  const Range angle = Range::between(-360, 360);
  key("pair.mass_ratio", o.mass_ratio,
      "mass of the second galaxy over that of the first; the first has the radii of [galaxy], those of the second are "
      "multiplied by the cube root of this ratio",
      Range::above(0, 1));
  key("pair.pericentre", o.pericentre, "smallest distance between the centres if the galaxies were points",
      galaxy_length, "model length");
  key("pair.eccentricity", o.eccentricity, "eccentricity of the orbit of these points; 1: parabola",
      Range::between(0, 1e6));
  key("pair.separation", o.separation, "distance between the centres at the start, before pericentre", galaxy_length,
      "model length");
  key("pair.inclination1", o.inclination1,
      "angle between the spin of the first galaxy and that of the orbit; above 90: retrograde", angle, "degrees");
  key("pair.node1", o.node1,
      "angle from the pericentre of the first galaxy to the ascending node of its disc, the line on which the disc "
      "rises through the orbital plane",
      angle, "degrees");
  key("pair.inclination2", o.inclination2, "inclination1 for the second galaxy", angle, "degrees");
  key("pair.node2", o.node2, "node1 for the second galaxy, also from the first one's pericentre", angle, "degrees");
}

void check_galaxies(const auto& p, const auto& must) {
  const ModelOptions& m = p.model;
  if (is_one_of(m.kind, {ModelKind::galaxy, ModelKind::galaxy_pair})) {
    must.pass([&] { check_galaxy(m.galaxy); }, {"galaxy.disc_mass", "galaxy.bulge_mass"});
  }
  if (m.kind == ModelKind::galaxy_pair) {
    must.pass([&] { check_galaxy_pair(m.pair); }, {"pair.separation", "pair.pericentre", "pair.eccentricity"});
  }
}

}  // namespace multiwalk
