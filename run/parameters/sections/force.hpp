// SPDX-License-Identifier: GPL-3.0-or-later
// [force]: how forces are computed. The options of walks belong to host/tree/gravity_options.hpp, those of sums over
// pairs to host/simd/direct_precision.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/simd/direct_precision.hpp"
#include "host/time/direct_integrator.hpp"
#include "host/tree/gravity_options.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

/// Automatic: tree for leapfrog, else direct.
enum class ForceMethod { automatic, tree, direct };

// Words for enumerations, each in its order.
inline constexpr auto mac_names = [] {
  std::array<std::string_view, mac_words.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = mac_words[i].name;
  return names;
}();
inline constexpr std::array<std::string_view, 2> multipole_names{"monopole", "quadrupole"};
inline constexpr std::array<std::string_view, 5> accumulation_names{"plain", "chamomile", "compensated", "mixed",
                                                                    "full"};
inline constexpr std::array<std::string_view, 2> splitting_names{"single", "hi_lo"};

inline std::string mac_name(Mac mac) {
  return std::string(mac_names.at(static_cast<std::size_t>(mac)));
}
inline std::string multipole_name(MultipoleOrder order) {
  return std::string(multipole_names.at(static_cast<std::size_t>(order)));
}

/// Direct summation over all pairs.
struct DirectParameters {
  ForceMethod method = ForceMethod::automatic;
  DirectPrecision precision;
};

/// Targets of total errors compared with Ewald summation, for any clustering; custom: the walks' own options are used.
enum class Accuracy { fast, standard, reference, custom };
inline constexpr std::array<std::string_view, 4> accuracy_names{"fast", "standard", "reference", "custom"};

/// Settings for a periodic box. Zero: chosen by the accuracy.
struct BoxForceParameters {
  Accuracy accuracy = Accuracy::standard;
  std::uint32_t mesh = 0;  ///< cells per side
  double split = 0;        ///< scale of the Gaussian split in cells of the mesh
  double cutoff = 0;       ///< of the pairs, in scales of the split
};

struct SofteningParameters {
  double softening = -1;              ///< kpc/h comoving (model units for isolated systems); < 0: mean spacing / 25
  double softening_max_physical = 0;  ///< kpc/h; 0: no cap
};

/// The default criterion of runs, and of commands that measure forces.
constexpr Mac default_mac(bool theta_given, bool alpha_given) {
  return theta_given && !alpha_given ? Mac::barnes90 : Mac::relative;
}

/// The forces of runs and commands if nothing is given.
inline GravityOptions default_force() {
  GravityOptions force;
  force.mac = default_mac(false, false);
  force.expansion = 5;
  return force;
}

void describe_sums(auto& p, const auto& key) {
  key("force.method", p.direct.method, {"auto", "tree", "direct"},
      "tree, or direct summation over all pairs of bodies of a Newtonian model; auto: tree for leapfrog, otherwise "
      "direct");
  const auto direct = key.direct();
  direct("force.accumulation", p.direct.precision.accumulation, accumulation_names,
         "direct summation: how single-precision pairs are added: plainly, in partial sums (chamomile), with "
         "compensation, or (mixed) in double precision after 128 pairs; full: pairs in double precision too");
  direct("force.splitting", p.direct.precision.splitting, splitting_names,
         "direct summation: coordinates in single-precision pairs, rounded (single) or as the sum of two numbers, "
         "nearly as good as double precision (hi_lo)");
}

void describe_walks(auto& p, const auto& key) {
  GravityOptions& g = p.force;
  const auto trees = key.trees();
  const auto criterion = trees.only(!key.start().periodic || p.box_force.accuracy == Accuracy::custom,
                                    "chosen by force.accuracy in periodic boxes unless that is \"custom\"");
  // Interactions are counted with theta for any back end.
  key("force.theta", g.theta, "opening angle; with mac = \"relative\", used only for the very first forces",
      Range::above(0, 2))
      .only(key.walks() || (!is_direct(p) && p.output.census_epochs > 0), "for trees");
  criterion("force.alpha", g.alpha,
            "tolerance of the relative criterion; periodic boxes: set by accuracy unless custom", Range::above(0, 1))
      .only(g.relative(), "for force.mac = \"relative\"");
  criterion("force.mac", g.mac, mac_names,
            "multipole acceptance criterion; barnes90 if theta is given but neither mac nor alpha; periodic boxes: "
            "relative unless accuracy is custom. Where forces nearly cancel, their errors add up: radii of a cold "
            "lattice sphere (26,000 particles) that collapses to 0.55 of its comoving size are off by up to 0.12% with "
            "relative (alpha 0.005), and with barnes90 by 0.4% (theta 0.4), 0.9% (0.5), 3.7% (0.6) or 4.8% (0.8)")
      .follows();
  criterion("force.multipole", g.multipole, multipole_names,
            "order of a cell's multipole expansion; periodic boxes: quadrupole unless accuracy is custom");
  trees("force.group_size", g.group_size,
        "maximum number of particles that share a walk; auto: found by timing during the run, with leaf_size, from "
        "100,000 particles per rank on",
        Range::between(0, 65536))
      .auto_is(0);
  trees("force.leaf_size", g.leaf_size, "maximum number of particles in a leaf of the tree", Range::between(1, 65536));
  trees("force.expansion", g.expansion,
        "order of the Taylor expansions by which far cells act on a whole group at once; 0: none",
        Range::between(0, 6));
}

void describe_box_forces(auto& p, const auto& all) {
  BoxForceParameters& b = p.box_force;
  const auto key = all.only(all.walks() && all.start().periodic, "for trees in periodic boxes");
  key("force.accuracy", b.accuracy, accuracy_names,
      "periodic boxes: total force error to aim at (99% within 1e-2, 2e-3 or 2e-4); chooses mesh, split, cutoff and "
      "the "
      "walks' criterion (relative, alpha 0.01, 0.002 or 0.0002), which custom leaves to mac, theta and alpha");
  key("force.mesh", b.mesh, "periodic boxes: cells per side of the mesh; 0: set by accuracy", Range::between(0, 65536));
  key("force.split", b.split,
      "periodic boxes: scale of the Gaussian that splits forces, in cells of the mesh; 0: set by accuracy",
      Range::between(0, 10));
  key("force.cutoff", b.cutoff,
      "periodic boxes: cut-off of pair forces, in scales of the split, at least 3; 0: set by accuracy",
      Range::between(0, 8));
}

void describe_force(auto& p, const auto& key) {
  describe_sums(p, key);
  describe_walks(p, key);
  describe_box_forces(p, key);
  key("force.softening", p.softening.softening,
      "Plummer softening length, comoving (Newtonian models: model units); auto: mean spacing / 25; direct summation "
      "needs a value",
      Range::from(0), "kpc/h")
      .auto_is(-1);
  key.comoving()("force.softening_max_physical", p.softening.softening_max_physical,
                 "cap on the physical softening length; 0: none", Range::from(0), "kpc/h");
}

/// Whether the particles and the steps are of a kind that the method can do.
void check_force(const auto& p, const auto& must) {
  const ModelKind kind = p.model.kind;
  const bool leapfrog = p.time.integrator == DirectScheme::leapfrog;
  if (!is_direct(p)) {
    must(leapfrog, {"time.integrator", "force.method"},
         "time.integrator other than leapfrog needs direct summation: leave out force.method = \"tree\"");
    must(kind != ModelKind::kepler_disc, {"model.kind"},
         "model.kind = \"kepler_disc\" is for direct summation: set time.integrator = \"hermite\" or "
         "force.method = \"direct\"");
    return;
  }
  must(is_newtonian(kind) || kind == ModelKind::file, {"model.kind", "time.integrator", "force.method"},
       "direct summation is for Newtonian models: plummer, uniform, two_body, galaxy, galaxy_pair, "
       "kepler_disc, bodies or file");
  must(p.softening.softening >= 0, {"force.softening", "time.integrator", "force.method"},
       "direct summation needs force.softening; 0: point masses");
}

}  // namespace multiwalk
