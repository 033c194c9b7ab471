// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "host/base/error.hpp"
#include "run/snapshots/snapshot_header.hpp"

namespace multiwalk {

namespace {

/// The header of a binary file, and one function that refuses.
struct Facts {
  const GadgetFile& file;
  const GadgetHeader& h = file.header();

  [[noreturn]] void refuse(const std::string& what) const { throw InputError(file.name() + ": " + what); }
  void expect_positive(const char* name, double value) const {
    if (!std::isfinite(value) || !(value > 0))
      refuse(fmt::format("has {} = {}, which is impossible in a cosmological box", name, value));
  }

  void expect_comoving() const {
    expect_positive("Time", h.time);
    expect_positive("BoxSize", h.box);
    expect_positive("Omega0", h.omega_m);
    expect_positive("HubbleParam", h.h);
    if (!std::isfinite(h.omega_lambda)) refuse("has an OmegaLambda that is not a number");
    if (std::fabs(h.time * (1 + h.redshift) - 1) < 1e-5) return;
    refuse(fmt::format("Time = {} and Redshift = {} disagree: only cosmological files are read in this format", h.time,
                       h.redshift));
  }

  [[nodiscard]] double density() const {
    double mass = 0;
    for (int type = 0; type < gadget_types; ++type) {
      if (h.total[type] > 0 && h.mass[type] == 0) return 0;
      mass += h.mass[type] * static_cast<double>(h.total[type]);
    }
    return mass / (h.box * h.box * h.box);
  }
};

}  // namespace

SnapshotHeader read_gadget_header(const GadgetFile& file, const Unsaid& unsaid) {
  const Facts facts{file};
  const GadgetHeader& stated = facts.h;
  SnapshotHeader header;
  SnapshotInfo& info = header.info;
  info.layout = file.format() == 1 ? "gadget1" : "gadget2";
  header.species =
      species_of({{stated.here.begin(), stated.here.end()}, {stated.total.begin(), stated.total.end()}, stated.files},
                 false, file.name());
  set_masses(header.species, stated.mass, file.name());
  info.particles = particles_in_all(header.species);
  if (stated.files > 1000000) facts.refuse(fmt::format("counts {} files", stated.files));
  info.files = static_cast<int>(stated.files);
  facts.expect_comoving();
  info.cosmology = unsaid.cosmology;
  info.cosmology.omega_m = stated.omega_m;
  info.cosmology.omega_lambda = stated.omega_lambda;
  info.cosmology.h = stated.h;
  header.set_units(units_as_said(unsaid, info.cosmology, facts.density(),
                                 file.name() + ": is a binary file, which states no units"));
  header.velocity *= std::pow(stated.time, 1.5);
  info.system.boundary = Boundary::periodic;
  info.system.time = stated.time;
  info.system.box_size = stated.box * header.length;
  return header;
}

}  // namespace multiwalk
