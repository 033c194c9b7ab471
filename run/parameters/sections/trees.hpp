// SPDX-License-Identifier: GPL-3.0-or-later
// [trees]: subhalos followed through time, and their merger trees, in comoving runs.
#pragma once

#include <cstdint>
#include <vector>

#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

struct TreeParameters {
  std::uint32_t outputs = 0;
  double first_redshift = 20;
  std::vector<double> redshifts;
  std::uint32_t min_particles = 20;

  [[nodiscard]] bool wanted() const { return outputs > 0 || !redshifts.empty(); }

  void describe(const auto& all) {
    const auto key = all.comoving();
    key("trees.outputs", outputs,
        "follow subhalos through this number of tree outputs, evenly spaced in ln a, each at the end of the first step "
        "that reaches its time; write a catalogue at each, and merger trees at the end; 0: none",
        Range::between(0, 100000));
    key("trees.first_redshift", first_redshift,
        "redshift of the first of these outputs; a run that begins later has its first one at the start",
        Range::above(-1, 1e5))
        .only(outputs > 0, "for trees.outputs");
    key("trees.redshifts", redshifts, "further tree outputs, at exactly these redshifts", Range::above(-1, 1e5));
    key("trees.min_particles", min_particles,
        "smallest number of particles in a group, and of bound particles in a subhalo", Range::between(10, 1e9))
        .only(wanted(), "for trees.outputs or trees.redshifts");
  }

  void check(const auto& must) const {
    must(!is_newtonian(must.parameters().model.kind) || !wanted(), {"trees.outputs", "trees.redshifts"},
         "[trees] is for comoving runs: this model is Newtonian");
    must.in_run("trees.redshifts", redshifts);
  }
};

}  // namespace multiwalk
