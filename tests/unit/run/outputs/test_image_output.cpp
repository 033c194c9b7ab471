// SPDX-License-Identifier: GPL-3.0-or-later
// Images at outputs: the field that is asked for, and galaxies without their halos.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "host/base/separation.hpp"
#include "ic/models/model.hpp"
#include "run/outputs/image_output.hpp"
#include "run/outputs/pictures.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using Png = std::vector<std::uint8_t>;

ModelOptions small_pair() {
  ModelOptions model;
  model.kind = ModelKind::galaxy_pair;
  model.particles = 4000;
  model.pair.mass_ratio = 0.6;
  return model;
}

/// The picture that an output writes.
Png written(const Parameters& parameters, const ParticleSystem& system) {
  const Communicator comm;
  const OutputMoment moment{.comm = comm, .parameters = parameters, .particles = system};
  const std::string path = ImageOutput().write(moment);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ImageOutput, ShowsTheStarsOfGalaxiesAlone) {
  const test::TemporaryDirectory directory;
  Parameters parameters;
  parameters.run.directory = directory.path();
  parameters.model = small_pair();
  parameters.output.image_pixels = 64;
  parameters.output.image_width = 60;
  const ParticleSystem all = make_model(parameters.model, {}, {});
  ParticleSystem stars = all;
  stars.particles = {};
  for (std::size_t i = 0; i < 4000; ++i) {
    if (i < 125 || (i >= 2500 && i < 2575)) {  // a twentieth of 2500 and of 1500
      stars.particles.position.push_back(all.particles.position[i]);
      stars.particles.mass.push_back(all.particles.mass[i]);
    }
  }
  const View view{.pixels = 64, .extent = {60, 60, 60}};
  EXPECT_EQ(written(parameters, all), draw_system(all, view));
  parameters.output.image_stars = true;
  EXPECT_EQ(written(parameters, all), draw_system(stars, view));
  EXPECT_NE(draw_system(all, view), draw_system(stars, view));
  parameters.model.kind = ModelKind::plummer;  // has no halo to leave out
  EXPECT_EQ(written(parameters, all), draw_system(all, view));
}

TEST(ImageOutput, FieldOfAWidthDoesNotFollowTheParticles) {
  ParticleSystem system = make_model(small_pair(), {}, {});
  system.particles.position.front() = {1, 2, 3};
  const View fixed{.pixels = 64, .extent = {60, 60, 60}}, following{.pixels = 64};
  const Panel before = panel_of(system, fixed), followed = panel_of(system, following);
  EXPECT_EQ(before.density.extent_x, 60);
  for (Vec3d& x : system.particles.position) x *= 2;
  EXPECT_EQ(panel_of(system, fixed).density.extent_x, 60);
  EXPECT_NEAR(panel_of(system, following).density.extent_x / followed.density.extent_x, 2, 1e-9);
}

/// Clusters of particles in a box, one of them across a face.
ParticleSystem clusters_in_box() {
  ParticleSystem box;
  box.boundary = Boundary::periodic;
  box.box_size = 50;
  for (int i = 0; i < 3000; ++i) {
    const double t = 0.001 * i;
    const Vec3d about = i % 3 == 0 ? Vec3d{49.5, 10, 3} : i % 3 == 1 ? Vec3d{20, 30, 8} : Vec3d{25, 25, 40};
    const Vec3d off{std::sin(1e3 * t), std::cos(2e3 * t), std::sin(3e3 * t)};
    box.particles.position.push_back(wrapped(about + off, 50));
    box.particles.mass.push_back(1);
  }
  return box;
}

double mass_of(const Panel& panel) {
  const double pixel = panel.density.extent_x / panel.density.width;
  return pixel * pixel * std::accumulate(panel.density.value.begin(), panel.density.value.end(), 0.0);
}

TEST(Pictures, RegionsAndSlabsHoldTheirParticles) {
  const ParticleSystem box = clusters_in_box();
  EXPECT_NEAR(mass_of(panel_of(box, {.pixels = 64})), 2000, 0.1);  // the first quarter along z
  EXPECT_NEAR(mass_of(panel_of(box, {.pixels = 64, .slab = 50})), 3000, 0.1);
  EXPECT_NEAR(mass_of(panel_of(box, {.pixels = 64, .slab = 5})), 1000, 0.1);
  View across{.pixels = 64, .extent = {4, 4, 4}, .centre = Vec3d{0, 10, 3}};
  EXPECT_NEAR(mass_of(panel_of(box, across)), 1000, 0.1);
  across.centre = Vec3d{50, 10, 53};  // outside the box: the same by images
  EXPECT_NEAR(mass_of(panel_of(box, across)), 1000, 0.1);
  across.extent = {8, 4, 4};
  const Panel wide = panel_of(box, across);
  EXPECT_NEAR(wide.density.extent_x, 8, 1e-12);
  EXPECT_EQ(wide.density.height, 32U);
  across.extent = {200, 200, 4};
  EXPECT_NEAR(panel_of(box, across).density.extent_x, 50, 1e-12);
}

TEST(ImageOutput, ParametersSayWhatIsSeen) {
  OutputParameters output;
  output.image_width = 20;
  output.image_centre = {1, 2, 3};
  output.image_slab = 5;
  output.image_axis = 0;
  output.image_colours = Colours::viridis;
  output.image_range = {1e12, 1e14};
  output.image_labels = Lettered::scale;
  const View view = view_of(output);
  EXPECT_EQ(view.extent.y, 20);
  EXPECT_EQ(view.centre->z, 3);
  EXPECT_EQ(view.slab, 5);
  EXPECT_EQ(view.axis, 0);
  EXPECT_EQ(view.style.colours, Colours::viridis);
  EXPECT_EQ(view.style.scale->high, 1e14);
  EXPECT_EQ(view.style.lettered, Lettered::scale);
  EXPECT_FALSE(view_of({}).centre || view_of({}).style.scale);
}

}  // namespace
}  // namespace multiwalk
