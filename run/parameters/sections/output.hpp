// SPDX-License-Identifier: GPL-3.0-or-later
// [output]: what a run writes at times of its own, and how much it measures of itself.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/pictures/render_image.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/sections/model.hpp"

namespace multiwalk {

struct OutputParameters {
  std::vector<double> redshifts, times;
  std::uint32_t evenly_spaced = 0;
  bool snapshots = true;
  int files_per_snapshot = 1;
  bool accelerations = false;
  bool images = true;
  std::uint32_t image_pixels = 800;
  double image_width = 0;
  std::vector<double> image_centre;
  double image_slab = 0;
  int image_axis = 2;
  Colours image_colours = Colours::inferno;
  std::vector<double> image_range;
  Lettered image_labels = Lettered::everything;
  bool image_stars = false;
  bool halos = false;
  std::uint32_t halo_images = 3;
  bool power = true;
  std::uint32_t error_sample = 1000;
  std::uint32_t final_error_sample = 1000;
  std::uint32_t census_epochs = 4;
  double diagnostics_every = 0;

  /// Whether tree runs draw particles to measure errors or count interactions.
  [[nodiscard]] bool samples() const { return error_sample > 0 || final_error_sample > 0 || census_epochs > 0; }

  void describe(const auto& key) {
    key.comoving()("output.redshifts", redshifts, "outputs of a comoving run; z_end is always one",
                   Range::above(-1, 1e5));
    key.newtonian()("output.times", times, "outputs of a Newtonian run; t_end is always one", Range::from(0),
                    "model time");
    key("output.evenly_spaced", evenly_spaced,
        "this number of outputs at equal steps of ln a, or of time in Newtonian runs, from the start to the end of the "
        "run, besides those listed; 0: none",
        Range::between(0, 100000));
    key("output.snapshots", snapshots, "write a snapshot at each output");
    key("output.accelerations", accelerations,
        "write accelerations into snapshots; comoving ones are a^2 times the physical ones");
    key("output.files_per_snapshot", files_per_snapshot, "number of files into which a snapshot is split",
        Range::between(1, 4096))
        .only(snapshots, "output.snapshots is false");
    describe_images(key);
    key.comoving()("output.halos", halos,
                   "find halos at each output of a comoving run, write a catalogue and sort the snapshot by halo");
    key.comoving()("output.halo_images", halo_images,
                   "number of the most massive halos to draw at each output, if halos and images are true",
                   Range::between(0, 1000))
        .only(images, no_images)
        .only(halos, "for output.halos");
    key("output.power", power,
        "periodic boxes: measure the power spectrum at each output, write a table, and show charts in the report");
    describe_measurements(key);
  }

  void check(const auto& must) const {
    const auto& p = must.parameters();
    const bool newtonian = is_newtonian(p.model.kind);
    must(!newtonian || redshifts.empty(), {"output.redshifts"},
         "output.redshifts is for comoving runs: use output.times with this model");
    must(newtonian || p.model.kind == ModelKind::file || times.empty(), {"output.times"},
         "output.times is for Newtonian runs: use output.redshifts with this model");
    must(!newtonian || !halos, {"output.halos"}, "output.halos is for comoving runs: this model is Newtonian");
    must.in_run("output.redshifts", redshifts);
    for (const double t : times)
      must(t <= p.time.t_end, {"output.times", "time.t_end"},
           "output.times: {} is outside the run, which ends at time.t_end = {}", t, p.time.t_end);
    must(image_centre.empty() || image_centre.size() == 3, {"output.image_centre"},
         "output.image_centre needs three coordinates, such as [10, 20, 30]");
    must(image_range.empty() || (image_range.size() == 2 && image_range[0] < image_range[1]), {"output.image_range"},
         "output.image_range needs two densities, low < high, such as [1e12, 1e14]");
  }

 private:
  static constexpr const char* no_images = "output.images is false";

  void describe_images(const auto& all) {
    using K = ModelKind;
    const auto key = all.only(images, no_images);
    all("output.images", images, "draw the projected density at each output");
    key("output.image_pixels", image_pixels, "width of the images", Range::between(16, 16384), "pixels");
    key("output.image_width", image_width,
        "side of the cube that images show, the same in every image; auto: a whole box or sphere, otherwise a cube "
        "that "
        "holds 95% of the particles at that time",
        Range::from(0), "Mpc/h")
        .auto_is(0);
    key("output.image_centre", image_centre,
        "centre of the images, [x, y, z]; []: the origin, or the middle of a periodic box", Range{}, "Mpc/h");
    key("output.image_slab", image_slab,
        "thickness along the line of sight of the region that images show; auto: image_width, a quarter of a periodic "
        "box, or a third of a sphere's radius",
        Range::from(0), "Mpc/h")
        .auto_is(0);
    key("output.image_axis", image_axis, {"x", "y", "z"}, "line of sight of the images");
    key("output.image_colours", image_colours, colours_names, "colour map of the images");
    key("output.image_range", image_range,
        "[low, high]: densities between which the colours of every image are logarithmic, in the unit of the colour "
        "bar; high is the brightest colour, and colours fade below low; []: chosen for each image",
        Range::above(0));
    key("output.image_labels", image_labels, lettered_names,
        "what is written over images; scale: caption and scale bar; all: also a colour bar");
    key("output.image_stars", image_stars, "images show the discs and bulges of galaxies, without their halos")
        .only(is_one_of(all.parameters().model.kind, {K::galaxy, K::galaxy_pair}), "for galaxy and galaxy_pair");
  }

  void describe_measurements(const auto& all) {
    const auto key = all.not_direct();
    key("output.error_sample", error_sample,
        "particles compared with direct summation at each output; 0: none; not given: at most 1000, in 0.6% of the run",
        Range::between(0, 1e6));
    key("output.final_error_sample", final_error_sample,
        "the same at the last output; not given: error_sample, or 1000 if the run has time for them",
        Range::between(0, 1e6))
        .follows();
    key("output.census_epochs", census_epochs,
        "epochs at which effective interactions are counted; not given: at most 4, in 0.9% of the run",
        Range::between(0, 1000));
    all.direct()("output.diagnostics_every", diagnostics_every,
                 "direct summation: time between rows of diagnostics.hdf5 (energy, angular momentum, Lagrangian radii, "
                 "core); auto: about t_end / 100, and a whole number of steps if they are fixed",
                 Range::from(0), "model time")
        .auto_is(0);
  }
};

}  // namespace multiwalk
