// SPDX-License-Identifier: GPL-3.0-or-later
// [time]: steps and the end of the run.
#pragma once

#include <cstdint>

#include "host/time/direct_integrator.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

/// All particles together, or each on its own power-of-two part of a block, or (direct summation) all together by steps
/// of one length; automatic: block in boxes with a mesh and for Hermite's scheme, fixed for others with direct
/// summation, else global.
enum class Steps { automatic, global, block, fixed };

struct TimeParameters {
  DirectScheme integrator = DirectScheme::leapfrog;
  int iterations = 1;
  Steps steps = Steps::automatic;
  double z_end = 0;
  double t_end = 1;    ///< model units
  double eta = 0.025;  ///< dt = sqrt(2 eta eps / |g|) (Power et al. 2003)
  double eta_start = 0.01;
  double max_dlna = 0.05;
  double max_dt = 0;            ///< 0: none
  std::uint64_t max_steps = 0;  ///< 0: no limit
  double min_step = 0;          ///< ln a, or time; 0: none

  void describe(const auto& key) {
    const bool direct = is_direct(key.parameters()), of_hermite = integrator == DirectScheme::hermite;
    const auto hermite = key.only(direct && of_hermite, "for hermite");
    key("time.integrator", integrator, {"tv", "tv_half_kicks", "leapfrog", "hermite"},
        "leapfrog (kick, drift, kick), Hermite's fourth order P(EC)^n, or Kavanagh's T+V (drift, then kick), which "
        "half "
        "kicks turn into leapfrog; all but leapfrog need direct summation");
    hermite("time.iterations", iterations, "n of Hermite's P(EC)^n, the number of evaluations and corrections",
            Range::between(1, 10));
    key("time.steps", steps, {"auto", "global", "block", "fixed"},
        "global: all particles step together; block: each by its own power-of-two fraction of a block; fixed (direct "
        "summation): all by max_dt; auto: block in periodic boxes and for hermite, fixed for other integrators with "
        "direct summation, otherwise global");
    key.comoving()("time.z_end", z_end, "last redshift of a comoving run", Range::above(-1, 1e5)).ends();
    key.newtonian()("time.t_end", t_end, "last time of a Newtonian run", Range::above(0), "model time").ends();
    key("time.eta", eta,
        "accuracy parameter of the step, dt = sqrt(2 eta eps / |g|); hermite: Aarseth's, dt = sqrt(eta (|a||a2| + "
        "|j|^2) / (|j||a3| + |a2|^2))",
        Range::above(0, 1))
        .only(direct ? of_hermite && steps != Steps::fixed : key.parameters().softening.softening != 0,
              "not for fixed steps, nor for point masses in trees");
    hermite("time.eta_start", eta_start,
            "hermite: accuracy parameter of the first steps, dt = eta_start |a| / |j|; bodies at rest: dt = eta_start "
            "sqrt|potential| / |a|",
            Range::above(0, 1));
    key.comoving()("time.max_dlna", max_dlna,
                   "longest step (block: longest block, in boxes at most 0.03) of a comoving run", Range::above(0, 1),
                   "ln a");
    key.newtonian()("time.max_dt", max_dt,
                    "longest step (block: longest block) of a Newtonian run; 0: none; fixed steps: their length, "
                    "shortened so that each output, and diagnostics_every if given, is a whole number of steps away",
                    Range::from(0), "model time");
    key("time.max_steps", max_steps, "end with a checkpoint after this number of steps; 0: no limit", Range::from(0))
        .ends();
    key.not_direct()("time.min_step", min_step, "shortest step; 0: none", Range::from(0), "ln a or model time");
  }

  void check(const auto& must) const {
    const auto& p = must.parameters();
    if (!is_newtonian(p.model.kind) && p.model.kind != ModelKind::file) {
      must(z_end <= p.ic.z_start, {"time.z_end", "ic.z_start"},
           "time.z_end = {} lies before ic.z_start = {}: redshift decreases with time", z_end, p.ic.z_start);
    }
    if (!is_direct(p)) {
      must(steps != Steps::fixed, {"time.steps"},
           "time.steps = \"fixed\" is for direct summation: set force.method = \"direct\"");
      return;
    }
    const bool hermite = integrator == DirectScheme::hermite;
    must(hermite || steps == Steps::automatic || steps == Steps::fixed, {"time.steps"},
         "time.steps must be \"fixed\" with direct summation unless time.integrator is \"hermite\"");
    must((hermite && steps != Steps::fixed) || max_dt > 0,
         {"time.max_dt", "time.steps", "time.integrator", "force.method"},
         "fixed steps need their length, time.max_dt");
  }
};

}  // namespace multiwalk
