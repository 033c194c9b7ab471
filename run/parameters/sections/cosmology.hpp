// SPDX-License-Identifier: GPL-3.0-or-later
// [cosmology] and [ic]: expansion, linear power and initial conditions of comoving runs. Their options belong to
// host/cosmology/expansion.hpp and ic/models/model.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "host/cosmology/expansion.hpp"
#include "ic/models/make_load.hpp"
#include "ic/models/model.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

/// A table and Efstathiou's fit follow from transfer_file and shape_gamma; check_transfer refuses other words then.
Choice transfer_choice(auto& p) {
  const auto get = [&p]() -> std::size_t {
    if (!p.ic.transfer_file.empty()) return 3;
    if (p.cosmology.shape_gamma > 0) return 2;
    return p.cosmology.smooth_power ? 1 : 0;
  };
  return {
      {"eh98", "eh98_smooth", "efstathiou", "file"}, get, [&p](std::size_t i) { p.cosmology.smooth_power = i == 1; }};
}

void describe_cosmology(auto& p, const auto& all) {
  CosmologyParameters& c = p.cosmology;
  const auto key = all.comoving();
  key("cosmology.omega_m", c.omega_m, "matter density today; for a curved universe give omega_lambda, too",
      Range::above(0, 10));
  key("cosmology.omega_lambda", c.omega_lambda, "dark energy density today", Range::between(-10, 10));
  key("cosmology.omega_b", c.omega_b, "baryon density today, part of omega_m", Range::between(0, 10)).shapes(p.power);
  key("cosmology.h", c.h, "Hubble constant", Range::above(0, 10), "100 km/s/Mpc");
  key("cosmology.n_s", c.n_s, "slope of the primordial power spectrum", Range::between(-5, 5)).shapes(p.power);
  key("cosmology.sigma8", c.sigma8, "rms of today's linear density contrast in spheres of 8 Mpc/h",
      Range::above(0, 100))
      .shapes(p.power);
  key("cosmology.a_s", c.a_s, "primordial amplitude at k = 0.05/Mpc, in place of sigma8; 0: not used",
      Range::between(0, 1))
      .shapes(p.power);
  key("cosmology.w0", c.w0, "dark energy equation of state today", Range::between(-10, 1));
  key("cosmology.wa", c.wa, "change of the equation of state: w = w0 + wa (1 - a)", Range::between(-10, 10));
  key("cosmology.radiation", c.radiation,
      "include photons and massless neutrinos in H(a); without them growth from z = 49 to 0 differs by 0.94% from a "
      "Boltzmann code's");
  key("cosmology.t_cmb", c.t_cmb, "temperature of the microwave background", Range::above(0, 100), "K");
  key("cosmology.transfer", transfer_choice(p),
      "linear power: Eisenstein & Hu (1998) with or without baryon wiggles, Efstathiou, Bond & White (1992) with "
      "shape_gamma, or from transfer_file");
  key("cosmology.shape_gamma", c.shape_gamma, "shape parameter Gamma (transfer = \"efstathiou\"); 0: not used",
      Range::between(0, 10))
      .shapes(p.power);
  key("cosmology.transfer_file", p.ic.transfer_file,
      "k, P(k) table or CAMB transfer file at z = 0 (transfer = \"file\")")
      .is(Quantity::path);
}

void check_transfer(const auto& p, const auto& must) {
  const bool table = !p.ic.transfer_file.empty(), gamma = p.cosmology.shape_gamma > 0;
  if (const auto given = p.given.find("cosmology.transfer"); given != p.given.end()) {
    const std::string& word = given->second.word;
    must(word != "efstathiou" || gamma, {"cosmology.transfer"},
         "cosmology.transfer = \"efstathiou\" needs cosmology.shape_gamma");
    must(word == "efstathiou" || !gamma, {"cosmology.shape_gamma"},
         "cosmology.shape_gamma is given but cosmology.transfer is not \"efstathiou\"");
    must(word != "file" || table, {"cosmology.transfer"},
         "cosmology.transfer = \"file\" needs cosmology.transfer_file");
    must(word == "file" || !table, {"cosmology.transfer_file"},
         "cosmology.transfer_file is given but cosmology.transfer is not \"file\"");
  }
  must(!gamma || !table, {"cosmology.shape_gamma", "cosmology.transfer_file"},
       "cosmology.shape_gamma and cosmology.transfer_file are both given: keep one of them");
}

/// A universe is curved only if both densities are given.
void check_flatness(const auto& p, const auto& must) {
  const CosmologyParameters& c = p.cosmology;
  const bool matter = p.given.contains("cosmology.omega_m"), dark = p.given.contains("cosmology.omega_lambda");
  if (matter == dark || is_newtonian(p.model.kind) || p.model.kind == ModelKind::file) return;
  const double other = dark ? c.omega_m : c.omega_lambda;
  must(is_flat(c), {"cosmology.omega_m", "cosmology.omega_lambda"},
       "cosmology.{} = {:g} and the default cosmology.{} = {:g} leave a curvature of {:.3g} that nobody asked "
       "for: give also {} = {:.8g} for a flat universe, or {} = {:g} for this curved one",
       matter ? "omega_m" : "omega_lambda", matter ? c.omega_m : c.omega_lambda, dark ? "omega_m" : "omega_lambda",
       other, curvature(c), dark ? "omega_m" : "omega_lambda", other + curvature(c), dark ? "omega_m" : "omega_lambda",
       other);
}

void check_cosmology(const auto& p, const auto& must) {
  const CosmologyParameters& c = p.cosmology;
  check_transfer(p, must);
  must(c.a_s == 0 || !p.given.contains("cosmology.sigma8"), {"cosmology.a_s", "cosmology.sigma8"},
       "cosmology.a_s and cosmology.sigma8 are both given: keep one of them");
  must(c.omega_b <= c.omega_m, {"cosmology.omega_b", "cosmology.omega_m"},
       "cosmology.omega_b = {} is more than omega_m = {}, of which it is a part", c.omega_b, c.omega_m);
  check_flatness(p, must);
}

void describe_ic(auto& p, const auto& key) {
  using K = ModelKind;
  IcOptions& ic = p.ic;
  const bool random = is_one_of(p.model.kind, {K::sphere, K::box}), lattice = p.model.kind == K::hubble_lattice;
  const bool file_starts_there =
      p.model.kind == K::file && key.start().comoving && std::fabs(key.start().time * (1 + ic.z_start) - 1) < 1e-6;
  const auto loads = key.only(random || lattice, "for sphere, box and hubble_lattice");
  const auto fields = key.only(random, "for sphere and box");
  key("ic.z_start", ic.z_start, "redshift at which the simulation starts", Range::above(0, 1e5))
      .only(random || lattice || file_starts_there, "for sphere, box, hubble_lattice and files that state no redshift");
  loads("ic.grid", ic.grid,
        "FFT cells per side of the realisation, and particles per side (bcc: twice grid^3 particles)",
        Range::between(2, 65535));
  loads("ic.load", ic.load, {"grid", "bcc", "glass"},
        "arrangement of particles before they are displaced: a cubic or a body-centred lattice, or a glass made from "
        "the seed");
  loads(
      "ic.glass_tiles", ic.glass_tiles,
      "copies of the glass along each side, each with grid / glass_tiles particles per side; auto: as few as leave at "
      "most 32 particles per side",
      Range::between(0, 65536))
      .auto_is(0);
  fields("ic.lpt_order", ic.lpt_order, "order of the Lagrangian displacements; 1: Zel'dovich, 2: 2LPT, 3: 3LPT",
         Range::between(1, 3));
  fields("ic.random", ic.random, {"philox", "ngenic", "gadget4"},
         "how a seed is turned into random modes: as in Multiwalk (philox), N-GenIC or GADGET-4");
  fields("ic.fixed_amplitude", ic.fixed_amplitude, "give every mode exactly the amplitude sqrt(P/V)");
  fields("ic.paired", ic.paired,
         "use the opposite sign of the density contrast: the partner of the run with the same seed");
}

void check_ic(const auto& p, const auto& must) {
  const IcOptions& ic = p.ic;
  must(ic.load == LoadKind::glass || ic.glass_tiles == 0, {"ic.glass_tiles"},
       "ic.glass_tiles is given but ic.load is not \"glass\"");
  must(ic.random == ModeSource::philox || p.model.seed <= largest_table_seed, {"model.seed", "ic.random"},
       "model.seed must be at most {} with ic.random other than philox", largest_table_seed);
  if (ic.load == LoadKind::glass) {
    must.pass([&] { (void)glass_tiles(ic); }, {"ic.glass_tiles", "ic.grid", "ic.load"});
  }
}

}  // namespace multiwalk
