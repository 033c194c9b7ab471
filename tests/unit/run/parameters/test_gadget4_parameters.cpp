// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "host/base/error.hpp"
#include "run/parameters/gadget4_parameters.hpp"
#include "run/parameters/parameters.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

const std::string gadget4_box = R"(
%---- Relevant files
InitCondFile      ./ics/box     % base name
OutputDir         ./output
ICFormat          3
TimeLimitCPU      7200
CpuTimeBetRestartFile 3600
TimeBegin         0.02
TimeMax           0.5   # a
Omega0            0.308
OmegaLambda       0.692
OmegaBaryon       0.0482
HubbleParam       0.678
BoxSize           50000.0
OutputListOn      0
TimeBetSnapshot   2
TimeOfFirstSnapshot 0.1
NumFilesPerSnapshot 4
UnitLength_in_cm  3.085678e21
UnitMass_in_g     1.989e43
UnitVelocity_in_cm_per_s 1e5
ErrTolIntAccuracy 0.012
MaxSizeTimestep   0.01
MinSizeTimestep   0
ErrTolForceAcc    0.0025
SofteningClassOfPartType1 1
SofteningComovingClass0 99
SofteningComovingClass1 5.0
SofteningMaxPhysClass1  2.5
ActivePartFracForNewDomainDecomp 0.01
)";

Parameters translated(const std::string& text, const std::string& config = "", const std::string& folder = ".") {
  return parse_parameters(parameters_from_gadget4(text, config, folder, "param.txt"), "translated");
}

TEST(Gadget4Parameters, RunFromAFile) {
  const Parameters p = translated(gadget4_box);
  EXPECT_EQ(p.model.kind, ModelKind::file);
  EXPECT_EQ(p.model.file, "./ics/box.hdf5");
  EXPECT_EQ(p.file_units.length, "3.0856775814913673e+21");
  EXPECT_EQ(p.run.directory, "./output");
  EXPECT_EQ(p.run.wall_limit, 2);
  EXPECT_EQ(p.run.checkpoint_every, 1);
  EXPECT_EQ(p.cosmology.omega_m, 0.308);
  EXPECT_EQ(p.cosmology.h, 0.678);
  EXPECT_EQ(p.time.z_end, 1);
  EXPECT_EQ(p.time.eta, 0.012);
  EXPECT_EQ(p.time.max_dlna, 0.01);
  EXPECT_EQ(p.softening.softening, 5);
  EXPECT_EQ(p.softening.softening_max_physical, 2.5);
  EXPECT_EQ(p.output.files_per_snapshot, 4);
  EXPECT_FALSE(p.output.halos);
  EXPECT_EQ(p.output.redshifts, (std::vector<double>{9, 4, 1.5}));
}

TEST(Gadget4Parameters, WhatHasNoCounterpartIsNamed) {
  const std::string text = parameters_from_gadget4(gadget4_box, "FOF\nSOME_OPTION=3\nPMGRID=512\n", ".", "param.txt");
  for (const char* line : {"#   ActivePartFracForNewDomainDecomp = 0.01\n", "#   SofteningComovingClass0 = 99\n",
                           "#   SOME_OPTION = 3\n", "#   ErrTolForceAcc: force.accuracy", "#   PMGRID: force.accuracy"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("#   Omega0"), std::string::npos);
  EXPECT_TRUE(parse_parameters(text, "translated").output.halos);
}

/// A copy of the text without the lines that begin with `word`.
std::string without_lines(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(word)) kept += line + "\n";
  return kept;
}

TEST(Gadget4Parameters, SofteningsOfOtherCodes) {
  const std::string bare = without_lines(gadget4_box, "Softening");
  const Parameters gadget2 = translated(bare + "SofteningGas 9\nSofteningHalo 40\nSofteningHaloMaxPhys 20\n");
  EXPECT_EQ(gadget2.softening.softening, 40);
  EXPECT_EQ(gadget2.softening.softening_max_physical, 20);
  const Parameters arepo = translated(
      bare +
      "SofteningTypeOfPartType1 2\nSofteningComovingType1 9\nSofteningComovingType2 3\nSofteningMaxPhysType2 1.5\n");
  EXPECT_EQ(arepo.softening.softening, 3);
  EXPECT_EQ(arepo.softening.softening_max_physical, 1.5);
  EXPECT_NE(parameters_from_gadget4(bare, "", ".", "param.txt").find("no softening of particles of type 1"),
            std::string::npos);
}

/// 50 stays 50 however a code rounds its unit of length.
TEST(Gadget4Parameters, UnitsOfLengthAreExact) {
  const std::string bare = without_lines(without_lines(gadget4_box, "UnitLength"), "BoxSize");
  for (const char* unit : {"3.085678e24", "3.08568e24", "3.0856775807e24", "3.0857e24"}) {
    const Parameters p = translated(bare + "NSample 64\nBoxSize 50\nUnitLength_in_cm " + unit + "\n", "NGENIC=64\n");
    EXPECT_EQ(p.model.box_size, 50) << unit;
    EXPECT_EQ(p.softening.softening, 5000) << unit;
  }
}

/// A run in Mpc/h: every length follows, and nothing else.
TEST(Gadget4Parameters, RunsInMpc) {
  const std::string bare = without_lines(without_lines(gadget4_box, "Unit"), "BoxSize");
  const std::string units =
      "BoxSize 50\nUnitLength_in_cm 3.085678e24\nUnitMass_in_g 1.989e45\n"
      "UnitVelocity_in_cm_per_s 2e5\n";
  const Parameters p = translated(bare + units);
  EXPECT_EQ(p.softening.softening, 5000);
  EXPECT_EQ(p.softening.softening_max_physical, 2500);
  EXPECT_DOUBLE_EQ(std::stod(p.file_units.length), 3.0856775814913673e24);
  EXPECT_DOUBLE_EQ(std::stod(p.file_units.mass), 1.989e45);
  EXPECT_DOUBLE_EQ(std::stod(p.file_units.velocity), 2e5);
  EXPECT_EQ(p.time.z_end, 1);
  EXPECT_EQ(p.time.max_dlna, 0.01);
  const Parameters made = translated(bare + units + "NSample 64\n", "NGENIC=64\n");
  EXPECT_EQ(made.model.box_size, 50);
  EXPECT_EQ(made.softening.softening, 5000);
  EXPECT_EQ(made.softening.softening_max_physical, 2500);
  EXPECT_EQ(made.ic.grid, 64U);
}

/// What follows differently is told from what changes nothing.
TEST(Gadget4Parameters, ChangesAreToldFromIdleSettings) {
  const std::string text =
      parameters_from_gadget4(gadget4_box + "NSample 64\nSphereMode 1\nMaxMemSize 2000\n", "NGENIC=64\n", ".", "p");
  const std::size_t changes = text.find("# Changes your result"), idle = text.find("# Has no effect here");
  ASSERT_NE(changes, std::string::npos);
  ASSERT_LT(changes, idle);
  for (const char* word : {"SphereMode = 1: modes", "SofteningComovingClass1: forces are softened by Plummer's law"})
    EXPECT_LT(text.find(word), idle) << text;
  EXPECT_GT(text.find("MaxMemSize"), idle);
  EXPECT_EQ(parameters_from_gadget4(gadget4_box + "SphereMode 0\nNSample 64\n", "NGENIC=64\n", ".", "p").find("Sphere"),
            std::string::npos);
}

TEST(Gadget4Parameters, InitialConditionsOfGadget4) {
  const Parameters p =
      translated(gadget4_box + "NSample 64\nSeed 181170\nSigma8 0.81\nPrimordialIndex 0.96\nPowerSpectrumType 1\n",
                 "NGENIC=64\nNGENIC_2LPT # second order\n#NGENIC_FIX_MODE_AMPLITUDES\n");
  EXPECT_EQ(p.model.kind, ModelKind::box);
  EXPECT_EQ(p.model.box_size, 50);
  EXPECT_EQ(p.model.seed, 181170U);
  EXPECT_EQ(p.ic.grid, 64U);
  EXPECT_EQ(p.ic.lpt_order, 2);
  EXPECT_EQ(p.ic.random, ModeSource::gadget4);
  EXPECT_NEAR(p.ic.z_start, 49, 1e-12);
  EXPECT_FALSE(p.ic.fixed_amplitude);
  EXPECT_EQ(p.cosmology.sigma8, 0.81);
  EXPECT_EQ(p.cosmology.shape_gamma, 0);
}

TEST(Gadget4Parameters, TypesOfThePowerSpectrum) {
  const std::string own = gadget4_box + "NSample 64\nShapeGamma 0.21\nPowerSpectrumFile input.txt\n";
  for (const char* type : {"0", "3"})
    EXPECT_EQ(translated(own + "PowerSpectrumType " + type + "\n").cosmology.shape_gamma, 0.21) << type;
  EXPECT_TRUE(translated(own + "PowerSpectrumType 1\n").cosmology.smooth_power);
  const std::string table = own + "PowerSpectrumType 2\n";
  EXPECT_FALSE(translated(table).cosmology.smooth_power);
  for (const std::string& text : {own + "PowerSpectrumType 1\n", table})
    EXPECT_EQ(translated(text).cosmology.shape_gamma, 0);
  EXPECT_NE(parameters_from_gadget4(table, "", ".", "param.txt").find("input.txt holds log10"), std::string::npos);
  EXPECT_THROW(translated(gadget4_box + "NSample 64\nPowerSpectrumType 0\n"), InputError);
}

TEST(Gadget4Parameters, ListOfOutputs) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "list.txt") << "0.1 1\n0.25 1\n0.5\n0.9\n";
  std::string text = gadget4_box;
  text.replace(text.find("OutputListOn      0"), 19, "OutputListOn      1");
  text += "OutputListFilename list.txt\n";
  EXPECT_EQ(translated(text, "", directory.path()).output.redshifts, (std::vector<double>{9, 3}));
  const std::string without = parameters_from_gadget4(text, "", directory / "nowhere", "param.txt");
  EXPECT_NE(without.find("list.txt was not found"), std::string::npos);
}

TEST(Gadget4Parameters, Refusals) {
  EXPECT_FALSE(is_gadget4_file("[model]\nkind = \"box\"\n"));
  EXPECT_TRUE(is_gadget4_file(gadget4_box));
  EXPECT_THROW(translated("[model]\n"), InputError);
  EXPECT_THROW(translated(gadget4_box + "ComovingIntegrationOn 0\n"), InputError);
  EXPECT_THROW(translated(gadget4_box + "Omega0 much\n"), InputError);
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "param.txt") << gadget4_box;
  try {
    read_parameters(directory / "param.txt");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("params --from-gadget4"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace multiwalk
