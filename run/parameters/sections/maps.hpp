// SPDX-License-Identifier: GPL-3.0-or-later
// [grids] and [planes]: density grids and projected slabs of a periodic box (run/maps).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "host/mesh/mass_assignment.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

constexpr std::array<std::string_view, 3> assignment_names{"cic", "tsc", "pcs"};  ///< of the orders 2, 3 and 4

struct GridParameters {
  std::uint32_t cells = 0;
  Assignment assignment = Assignment::cic;
  std::vector<double> redshifts;

  [[nodiscard]] bool wanted() const { return cells > 0; }

  void describe(const auto& all) {
    all("grids.cells", cells,
        "periodic boxes: write the density on a grid with this many cells per side (grid_NNN.hdf5); 0: none",
        Range::between(0, 65535));
    const auto key = all.only(wanted(), "for grids.cells above 0");
    key("grids.assignment", assignment, assignment_names,
        "mass assignment: clouds in cells, triangular-shaped clouds or piecewise cubic splines", 2);
    key("grids.redshifts", redshifts, "redshifts of the grids, that of the start included; []: at every output",
        Range::from(0));
  }

  void check(const auto& must) const {
    if (!wanted()) return;
    must(may_be_periodic(must.parameters().model.kind), {"grids.cells"},
         "[grids] are for periodic boxes: use model.kind = \"box\"");
    must(cells >= 4, {"grids.cells"}, "grids.cells must be at least 4; 0: no grids");
    must.in_run("grids.redshifts", redshifts);
  }
};

struct PlaneParameters {
  std::uint32_t pixels = 0;
  Assignment assignment = Assignment::cic;
  std::uint32_t slabs = 1;
  std::vector<int> normals{0, 1, 2};
  std::vector<double> redshifts;

  [[nodiscard]] bool wanted() const { return pixels > 0; }

  void describe(const auto& all) {
    all("planes.pixels", pixels,
        "periodic boxes: write projected slabs with this many pixels per side as density planes of LensTools; 0: none",
        Range::between(0, 65535));
    const auto key = all.only(wanted(), "for planes.pixels above 0");
    key("planes.assignment", assignment, assignment_names, "mass assignment in the plane, as in grids.assignment", 2);
    key("planes.slabs", slabs, "equal slabs into which the box is cut along each normal", Range::between(1, 10000));
    key("planes.normals", normals, "axes along which matter is projected; 0: x, 1: y, 2: z", Range::between(0, 2));
    key("planes.redshifts", redshifts,
        "redshifts of the planes, that of the start included; []: at every output before z = 0", Range::above(0));
  }

  void check(const auto& must) const {
    const std::set<int> different(normals.begin(), normals.end());
    must(!different.empty() && different.size() == normals.size(), {"planes.normals"},
         "planes.normals needs one to three different axes, such as [0, 1, 2]");
    if (!wanted()) return;
    must(may_be_periodic(must.parameters().model.kind), {"planes.pixels"},
         "[planes] are for periodic boxes: use model.kind = \"box\"");
    must(pixels >= 4, {"planes.pixels"}, "planes.pixels must be at least 4; 0: no planes");
    must.in_run("planes.redshifts", redshifts);
  }
};

}  // namespace multiwalk
