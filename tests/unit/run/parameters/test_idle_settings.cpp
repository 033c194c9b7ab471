// SPDX-License-Identifier: GPL-3.0-or-later
// Settings without effect are reported, and only those.
#include <gtest/gtest.h>

#include <filesystem>

#include "run/evolve/energy_warning.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {
namespace {

std::string idle(const std::string& text, Frame frame = Frame::comoving, Boundary boundary = Boundary::vacuum) {
  const Parameters parameters = parse_parameters(text, "test.toml");
  ParticleSystem system;
  system.frame = frame;
  system.boundary = boundary;
  return idle_settings(parameters, parameters, system);
}

constexpr const char* a_box = "[model]\nkind = \"box\"\nbox_size = 100\n";

TEST(IdleSettings, DefaultsAreNeverTold) {
  EXPECT_EQ(idle(""), "");
  EXPECT_EQ(idle("[model]\nkind = \"two_body\"\n[force]\nsoftening = 0", Frame::newtonian), "");
  // As parameters.toml of a run holds every key.
  EXPECT_EQ(idle(to_toml(parse_parameters(a_box, "test.toml")), Frame::comoving, Boundary::periodic), "");
}

TEST(IdleSettings, CriterionOfABoxIsChosenByItsAccuracy) {
  const std::string walks = "[force]\ntheta = 0.3\nmac = \"bh86\"\nleaf_size = 8\n";
  EXPECT_EQ(idle(a_box + walks, Frame::comoving, Boundary::periodic),
            "force.mac (chosen by force.accuracy in periodic boxes unless that is \"custom\")");
  EXPECT_EQ(idle(a_box + walks + "accuracy = \"custom\"", Frame::comoving, Boundary::periodic), "");
  const std::string custom = "accuracy = \"custom\"\nalpha = 0.1\n";
  EXPECT_EQ(idle(a_box + walks + custom, Frame::comoving, Boundary::periodic),
            "force.alpha (for force.mac = \"relative\")");
  EXPECT_EQ(idle(walks + "accuracy = \"custom\""), "force.accuracy (for trees in periodic boxes)");
}

TEST(IdleSettings, NewtonianRunsHaveNoCosmology) {
  EXPECT_EQ(
      idle("[model]\nkind = \"plummer\"\ndisc_mass = 0.1\n[cosmology]\nh = 0.7\n[time]\nz_end = 1", Frame::newtonian),
      "model.disc_mass (for kepler_disc), cosmology.h, time.z_end (for comoving runs)");
  EXPECT_EQ(idle("[time]\nt_end = 3"), "time.t_end (for Newtonian runs)");
}

TEST(IdleSettings, OtherModelsHaveNoGalaxies) {
  EXPECT_EQ(idle("[model]\nkind = \"galaxy\"\n[galaxy]\ncut = 30\n[pair]\npericentre = 3", Frame::newtonian),
            "pair.pericentre (for galaxy_pair)");
  EXPECT_EQ(idle("[model]\nkind = \"galaxy_pair\"\n[galaxy]\ncut = 30\n[pair]\npericentre = 3", Frame::newtonian), "");
  EXPECT_EQ(idle("[galaxy]\ncut = 30"), "galaxy.cut (for galaxy and galaxy_pair)");
}

TEST(IdleSettings, DirectSummationHasNoTree) {
  const std::string bodies = "[model]\nkind = \"plummer\"\n[time]\nintegrator = \"hermite\"\niterations = 2\n";
  EXPECT_EQ(idle(bodies + "[force]\nsoftening = 0.01\ntheta = 0.3\n[output]\ncensus_epochs = 9", Frame::newtonian),
            "force.theta (for trees), output.census_epochs (not for direct summation)");
  EXPECT_EQ(idle("[force]\naccumulation = \"plain\""), "force.accumulation (for direct summation)");
  EXPECT_EQ(idle("[model]\nkind = \"plummer\"\n[force]\nsoftening = 0.01\nmethod = \"direct\"\n[time]\nmax_dt = "
                 "0.1\neta = 0.1",
                 Frame::newtonian),
            "time.eta (not for fixed steps, nor for point masses in trees)");
}

TEST(IdleSettings, OnlyGpusLeaveOpenWhoWalks) {
  const auto with = [](const std::string& backend) {
    return idle("[run]\nwalks = \"device\"\nbackend = \"" + backend + "\"");
  };
  for (const char* backend : {"auto", "cuda", "cuda-resident"}) EXPECT_EQ(with(backend), "") << backend;
  EXPECT_EQ(with("cpu"), "run.walks (for GPUs)");
  EXPECT_EQ(with("direct"), "run.walks (for trees)");
}

TEST(IdleSettings, SamplesAndCountsDependOnMoreThanForces) {
  const std::string pair =
      "[model]\nkind = \"two_body\"\nseed = 2\n[force]\ntheta = 0.3\n[run]\nbackend = \"direct\"\n";
  EXPECT_EQ(idle(pair, Frame::newtonian), "");
  EXPECT_EQ(idle(pair + "[output]\nerror_sample = 0", Frame::newtonian), "");
  EXPECT_EQ(idle(pair + "[output]\nerror_sample = 0\ncensus_epochs = 0", Frame::newtonian),
            "model.seed (for random models and samples), force.theta (for trees)");
}

TEST(IdleSettings, SnapshotsBringTheirCosmology) {
  const std::string text =
      "[model]\nkind = \"file\"\nfile = \"x.hdf5\"\n[cosmology]\nomega_m = 0.25\nomega_lambda = 0.75\nh = 0.7\n";
  const Parameters asked = parse_parameters(text, "test.toml");
  Parameters used = asked;
  used.cosmology.omega_m = 0.3;
  ParticleSystem system;
  system.frame = Frame::comoving;
  EXPECT_EQ(idle_settings(asked, used, system), "cosmology.omega_m (the snapshot states its own)");
}

TEST(IdleSettings, SnapshotsReplaceDefaultsThatWereGiven) {
  const std::string text = "[model]\nkind = \"file\"\nfile = \"x.hdf5\"\n[cosmology]\nw0 = -1\n";
  const Parameters asked = parse_parameters(text, "test.toml");
  Parameters used = asked;
  ParticleSystem system;
  system.frame = Frame::comoving;
  EXPECT_EQ(idle_settings(asked, used, system), "");
  used.cosmology.w0 = -0.7;
  used.cosmology.wa = 0.2;
  EXPECT_EQ(idle_settings(asked, used, system), "cosmology.w0 (the snapshot states its own)");
}

TEST(IdleSettings, EverySectionSaysWhichRunsUseItsKeys) {
  const std::string plummer = "[model]\nkind = \"plummer\"\n",
                    direct = "[force]\nmethod = \"direct\"\nsoftening = 0.1\n";
  const std::string lattice = "[model]\nkind = \"hubble_lattice\"\njitter = 0.1\nradius = 9\n";
  EXPECT_EQ(idle(lattice + "[ic]\ngrid = 8\nz_start = 9\npaired = true\nlpt_order = 1"),
            "ic.lpt_order, ic.paired (for sphere and box)");
  EXPECT_EQ(
      idle(plummer + "radius = 9\nbox_size = 99\neccentricity = 0.1\n[ic]\nz_start = 9\ngrid = 8", Frame::newtonian),
      "model.radius (for sphere, hubble_lattice and uniform), model.box_size (for sphere, box and hubble_lattice), "
      "model.eccentricity (for two_body), ic.z_start (for sphere, box, hubble_lattice and files that state no "
      "redshift), ic.grid (for sphere, box and hubble_lattice)");
  EXPECT_EQ(idle("[model]\nparticles = 9\nunits = {length = \"Mpc\", mass = \"g\", velocity = \"m/s\"}"),
            "model.particles (for plummer, uniform, galaxy, galaxy_pair and kepler_disc), model.units.length, "
            "model.units.mass, model.units.velocity (for files)");
  EXPECT_EQ(idle(plummer + direct +
                     "[time]\nmax_dt = 0.1\nmin_step = 0.01\niterations = 2\n[decomposition]\ngrid = [1, 1, 1]",
                 Frame::newtonian),
            "time.iterations (for hermite), time.min_step, decomposition.grid (not for direct summation)");
  EXPECT_EQ(
      idle("[force]\nmac = \"offset\"\nalpha = 0.1\nmesh = 64\n[time]\nmax_dt = 1\n[output]\ndiagnostics_every = 1"),
      "force.alpha (for force.mac = \"relative\"), force.mesh (for trees in periodic boxes), time.max_dt (for "
      "Newtonian runs), output.diagnostics_every (for direct summation)");
}

TEST(IdleSettings, OutputsThatAreNotWantedHaveNoSettings) {
  EXPECT_EQ(idle("[output]\nsnapshots = false\nfiles_per_snapshot = 2\nimage_stars = true\nhalo_images = 2"),
            "output.files_per_snapshot (output.snapshots is false), output.image_stars (for galaxy and galaxy_pair), "
            "output.halo_images (for output.halos)");
  EXPECT_EQ(idle("[output]\nimages = false\nimage_axis = \"x\"\nhalos = true\nhalo_images = 2"),
            "output.image_axis, output.halo_images (output.images is false)");
  EXPECT_EQ(idle("[lightcone]\nnside = 64"), "lightcone.nside (for lightcone.particles and lightcone.shells)");
  EXPECT_EQ(idle("[lightcone]\nparticles = true\nz_far = 0.1\nnside = 64\nhalf_angle = 3\nreplica_seed = 2"),
            "lightcone.half_angle (for lightcone.opening = \"cone\"), lightcone.replica_seed (for "
            "lightcone.rotate_replicas and shift_replicas), lightcone.nside (for lightcone.shells)");
  EXPECT_EQ(idle("[trees]\nredshifts = [1]\nfirst_redshift = 9"), "trees.first_redshift (for trees.outputs)");
  EXPECT_EQ(idle("[grids]\nredshifts = [1]\n[planes]\nslabs = 2\n[trees]\nmin_particles = 30\nfirst_redshift = 9"),
            "grids.redshifts (for grids.cells above 0), planes.slabs (for planes.pixels above 0), trees.first_redshift "
            "(for trees.outputs), trees.min_particles (for trees.outputs or trees.redshifts)");
}

TEST(IdleSettings, ExamplesHaveNone) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MULTIWALK_SOURCE_DIR "/run/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const Parameters parameters = read_parameters(entry.path());
    const ModelKind kind = parameters.model.kind;
    if (kind == ModelKind::file) continue;  // the snapshot decides what it is
    ParticleSystem system;
    const bool comoving = kind == ModelKind::sphere || kind == ModelKind::box || kind == ModelKind::hubble_lattice;
    system.frame = comoving ? Frame::comoving : Frame::newtonian;
    system.boundary = kind == ModelKind::box ? Boundary::periodic : Boundary::vacuum;
    EXPECT_EQ(idle_settings(parameters, parameters, system), "") << entry.path();
    ++count;
  }
  EXPECT_GE(count, 12);
}

TEST(EnergyWarning, SpeaksOnceOfEachLevel) {
  // However slowly it grows.
  StepRecord before;
  double worrying = 0.055;
  std::vector<int> warned_at;
  for (int percent = 0; percent < 40; ++percent) {
    const double error = 0.01 * percent;
    if (!energy_warning(error, worrying, before, "all", "x").empty()) warned_at.push_back(percent);
    before.energy_error = error;
  }
  EXPECT_EQ(warned_at, (std::vector<int>{6, 19}));
  EXPECT_DOUBLE_EQ(worrying, 3 * 0.19);
  before.time = 2;
  before.energy_error = 0.0004;
  worrying = 0.001;
  const std::string text = energy_warning(0.013, worrying, before, "its first value", "x");
  EXPECT_NE(text.find("off by 1.3e-02 of its first value; at t = 2 it was 4.0e-04"), std::string::npos) << text;
}

}  // namespace
}  // namespace multiwalk
