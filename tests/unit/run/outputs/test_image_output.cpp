// SPDX-License-Identifier: GPL-3.0-or-later
// Images at outputs: the field that is asked for, and galaxies without their halos.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
  const OutputMoment moment{.comm = comm, .parameters = parameters, .system = system};
  const std::string path = ImageOutput().write(moment, {});
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

}  // namespace
}  // namespace multiwalk
