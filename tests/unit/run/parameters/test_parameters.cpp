// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter files: units, checks, messages and the exact echo.
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/commands/force_options_cli.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {
namespace {

Parameters parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_parameters(text, "test.toml", settings);
}

/// The message of the InputError that parsing must throw; one line.
std::string complaint(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    parse(text, settings);
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

void expect_all(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " not in: " << message;
}

TEST(Parameters, EmptyFileGivesTheDefaults) {
  EXPECT_EQ(to_toml(parse("")), to_toml(Parameters{}));
}

TEST(Parameters, DomainGridHasThreeSides) {
  EXPECT_EQ(parse("[decomposition]\ngrid = [8, 4, 4]").decomposition.grid, (std::vector<int>{8, 4, 4}));
  EXPECT_TRUE(parse("").decomposition.grid.empty());
  expect_all(complaint("[decomposition]\ngrid = [8, 4]"), {"test.toml:2", "decomposition.grid", "three"});
  expect_all(complaint("[decomposition]\ngrid = [8, 0, 4]"), {"test.toml:2", "decomposition.grid", "out of range"});
  expect_all(complaint("[decomposition]\nmax_memory_imbalance = 1"), {"max_memory_imbalance", "out of range"});
}

TEST(Parameters, IntegratorsChooseTheMethod) {
  EXPECT_FALSE(is_direct(parse("[model]\nkind = \"plummer\"")));
  const std::string hermite = "[model]\nkind = \"plummer\"\n[force]\nsoftening = 0\n[time]\nintegrator = \"hermite\"\n";
  EXPECT_TRUE(is_direct(parse(hermite)));
  EXPECT_EQ(direct_options(parse(hermite)).steps, DirectSteps::block);
  EXPECT_EQ(direct_options(parse(hermite + "steps = \"global\"")).steps, DirectSteps::shared);
  EXPECT_EQ(direct_options(parse(hermite + "steps = \"fixed\"\nmax_dt = 0.1")).step, 0.1);
  const Parameters leapfrog = parse(hermite, {"time.integrator=leapfrog", "force.method=direct", "time.max_dt=0.1"});
  EXPECT_TRUE(is_direct(leapfrog));
  EXPECT_EQ(direct_options(leapfrog).steps, DirectSteps::fixed);
  EXPECT_EQ(parse(hermite, {"force.accumulation=full"}).direct.precision.accumulation, Accumulation::full);
}

TEST(Parameters, DirectSummationIsAskedForConsistently) {
  const std::string hermite = "[model]\nkind = \"plummer\"\n[force]\nsoftening = 0\n[time]\nintegrator = \"hermite\"\n";
  expect_all(complaint(hermite + "steps = \"fixed\""), {"test.toml:7", "max_dt"});
  expect_all(complaint(hermite, {"time.integrator=tv"}), {"time.max_dt"});
  expect_all(complaint(hermite, {"time.integrator=tv", "time.steps=block"}), {"time.steps", "fixed"});
  expect_all(complaint(hermite, {"force.method=tree"}), {"test.toml:6", "direct"});
  expect_all(complaint(hermite, {"model.kind=sphere"}), {"Newtonian"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[time]\nintegrator = \"hermite\""), {"force.softening"});
  expect_all(complaint("[model]\nkind = \"kepler_disc\""), {"test.toml:2", "kepler_disc", "direct"});
  expect_all(complaint("[time]\nsteps = \"fixed\""), {"test.toml:2", "direct"});
  expect_all(complaint("[model]\nkind = \"bodies\""), {"test.toml:2", "model.file"});
}

TEST(Parameters, UnitsOfFiles) {
  const std::string file = "[model]\nkind = \"file\"\nfile = \"ic\"\n";
  const Parameters p = parse(file + "units = {length = \"kpc/h\", mass = 1.989e43, velocity = 100000}");
  EXPECT_EQ(p.file_units.length, "kpc/h");
  EXPECT_EQ(p.file_units.mass, "1.989e+43");
  EXPECT_EQ(p.file_units.velocity, "100000");
  EXPECT_EQ(parse(to_toml(p)).file_units.mass, "1.989e+43");
  EXPECT_EQ(parse(file + "units.length = \"Mpc\"\nunits.mass = \"g\"\nunits.velocity = \"m/s\"").file_units.length,
            "Mpc");
  expect_all(complaint(file + "units = {length = \"kpc/h\"}"), {"test.toml:4", "model.units", "all three"});
  expect_all(complaint(file + "units = {length = \"kilo\"}"), {"test.toml:4", "model.units.length", "must be a unit"});
  expect_all(complaint(file + "units = {length = -1, mass = 1, velocity = 1}"), {"model.units.length", "-1"});
  expect_all(complaint(file + "units = {size = 1}"), {"test.toml:4", "unknown key model.units.size"});
  expect_all(complaint(file + "units = \"cgs\""), {"test.toml:4", "model.units"});
}

/// Files of version 0.2 name it.
TEST(Parameters, LongRangeForcesComeFromAMesh) {
  const std::string file = "[force]\naccuracy = \"fast\"\nlong_range = ";
  EXPECT_EQ(to_toml(parse(file + "\"mesh\"")), to_toml(parse("[force]\naccuracy = \"fast\"\n")));
  for (const char* other : {"\"modes\"", "3"})
    expect_all(complaint(file + other), {"test.toml:3: force.long_range", "from a mesh", "leave this key out"});
}

TEST(Parameters, ReadsEveryKindOfValue) {
  const Parameters p = parse(R"(
[run]
backend = "cpu"
devices = [0, 2]
[model]
kind = "hubble_lattice"
particles = 1e6
seed = 9007199254740993
[ic]
fixed_amplitude = true
[force]
mac = "relative"
multipole = "monopole"
theta = 1
[output]
redshifts = [1, 0.5]
[cost]
machine_price = 1200.5
)");
  EXPECT_EQ(p.run.backend, "cpu");
  EXPECT_EQ(p.run.devices, (std::vector<int>{0, 2}));
  EXPECT_EQ(p.model.kind, ModelKind::hubble_lattice);
  EXPECT_EQ(p.model.particles, 1'000'000u);
  EXPECT_EQ(p.model.seed, 9007199254740993u);
  EXPECT_TRUE(p.ic.fixed_amplitude);
  EXPECT_EQ(p.force.mac, Mac::relative);
  EXPECT_EQ(p.force.multipole, MultipoleOrder::monopole);
  EXPECT_EQ(p.force.theta, 1.0);
  EXPECT_EQ(p.output.redshifts, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(p.cost.machine_price, 1200.5);
  EXPECT_FALSE(p.cost.device_price.has_value());
}

TEST(Parameters, ACriterionThatIsNotNamedFollowsWhatIs) {
  const auto mac = [](const std::string& force) {
    return parse_parameters("[force]\n" + force, "test.toml").force.mac;
  };
  EXPECT_EQ(mac(""), Mac::relative);
  EXPECT_EQ(mac("alpha = 0.01"), Mac::relative);
  EXPECT_EQ(mac("theta = 0.5"), Mac::barnes90);
  EXPECT_EQ(mac("theta = 0.5\nalpha = 0.01"), Mac::relative);
  EXPECT_EQ(mac("theta = 0.5\nmac = \"relative\""), Mac::relative);
  EXPECT_EQ(mac("theta = 0.5\nmac = \"offset\""), Mac::offset);
  EXPECT_EQ(parse_parameters("", "test.toml", {"force.theta=0.5"}).force.mac, Mac::barnes90);
}

TEST(Parameters, CommandsMeasureTheForcesOfRuns) {
  const GravityOptions run = parse_parameters("", "test.toml").force, command = ForceArguments().resolve();
  EXPECT_EQ(command.mac, run.mac);
  EXPECT_EQ(command.alpha, run.alpha);
  EXPECT_EQ(command.theta, run.theta);
  EXPECT_EQ(command.multipole, run.multipole);
  EXPECT_EQ(command.leaf_size, run.leaf_size);
  EXPECT_EQ(command.group_size, run.group_size);
  ForceArguments angle, both, named;
  angle.theta = both.theta = named.theta = 0.4;
  both.alpha = 0.01;
  named.mac = Mac::offset;
  EXPECT_EQ(angle.resolve().mac, Mac::barnes90);
  EXPECT_EQ(angle.resolve().theta, 0.4);
  EXPECT_EQ(both.resolve().mac, Mac::relative);
  EXPECT_EQ(both.resolve().alpha, 0.01);
  EXPECT_EQ(named.resolve().mac, Mac::offset);
}

TEST(Parameters, StringsCarryUnits) {
  const auto radius = [](const std::string& value) {
    return parse("[model]\nradius = " + value + "\n[cosmology]\nh = 0.67\n").model.radius;
  };
  EXPECT_EQ(radius("150"), 150);
  EXPECT_EQ(radius("\"150 Mpc/h\""), 150);
  EXPECT_DOUBLE_EQ(radius("\"150 Mpc\""), 150 * 0.67);
  EXPECT_DOUBLE_EQ(radius("\"5e4 kpc\""), 50 * 0.67);
  EXPECT_DOUBLE_EQ(radius("\"500kpc/h\""), 0.5);
  EXPECT_DOUBLE_EQ(radius("\"2e6 pc\""), 2 * 0.67);
  const auto softening = [](const std::string& value) {
    return parse("[force]\nsoftening = " + value + "\n[cosmology]\nh = 0.5\n").softening.softening;
  };
  EXPECT_EQ(softening("\"20 kpc/h\""), 20);
  EXPECT_DOUBLE_EQ(softening("\"20 kpc\""), 10);
  EXPECT_DOUBLE_EQ(softening("\"0.02 Mpc/h\""), 20);
  EXPECT_EQ(softening("\"auto\""), -1);
  EXPECT_EQ(parse("[run]\nthreads = \"auto\"").run.threads, 0);
  EXPECT_EQ(softening("0"), 0);
  const auto limit = [](const std::string& value) { return parse("[run]\nwall_limit = " + value).run.wall_limit; };
  EXPECT_EQ(limit("2"), 2);
  EXPECT_EQ(limit("\"2 h\""), 2);
  EXPECT_DOUBLE_EQ(limit("\"30 min\""), 0.5);
  EXPECT_DOUBLE_EQ(limit("\"90 s\""), 0.025);
}

TEST(Parameters, RefusesBadUnits) {
  expect_all(complaint("[model]\nradius = \"5 parsec\""), {"test.toml:2", "model.radius", "Mpc"});
  expect_all(complaint("[model]\nradius = \"5\""), {"test.toml:2", "model.radius", "length"});
  expect_all(complaint("[run]\nwall_limit = \"5 Mpc\""), {"test.toml:2", "run.wall_limit", "time"});
  expect_all(complaint("[force]\nsoftening = \"-3 kpc\""), {"test.toml:2", "force.softening", ">= 0"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[force]\nsoftening = \"3 kpc\""), {"test.toml:4", "model units"});
}

/// Texts on which toml++ asserts in debug builds.
TEST(Parameters, TextsThatAreNoTomlNameTheLine) {
  for (const char* text : {"[run]\n[\x14orce]\n", "[run]\n[,orce]\n", "[run]\n[[=]]\n", "[run]\n[run.]\n",
                           "[run]\n\xef\xb5\xbfnde = 1\n", "[run]\n\xc3\xa9 = 1\n"})
    expect_all(complaint(text), {"test.toml:2"});
}

/// toml++ takes them for white space that it knows not to be there.
TEST(Parameters, LettersBeyondAsciiAreReadInStringsAndCommentsOnly) {
  const auto title = [](const std::string& value) { return parse("[run]\ntitle = " + value).run.title; };
  EXPECT_EQ(title("\"\xc3\xa9\"  # \xe3\x80\x80"), "\xc3\xa9");
  EXPECT_EQ(title("'''\\ \n\xc3\xa9'''"), "\\ \n\xc3\xa9");
  EXPECT_EQ(title("\"\"\"a \\\n  b\xc3\xa9 \\\\\xc3\xa9\"\"\""), "a b\xc3\xa9 \\\xc3\xa9");
  EXPECT_EQ(title("\"\"\"a \\\n  \\u00e9\"\"\""), "a \xc3\xa9");
  expect_all(complaint("[run]\ntitle = \"\"\"a\\ \n"), {"test.toml:"});
  EXPECT_EQ(parse("\xef\xbb\xbf[run]\ntitle = \"a\"").run.title, "a");
  for (const std::string letter : {"\xc2\xa0", "\xc3\xa9", "\xe3\x80\x80", "\xef\xb5\xbf"}) {
    expect_all(complaint("[run]\ntitle = " + letter), {"test.toml:2"});
    expect_all(complaint("[run]\ntitle = 'a' " + letter), {"test.toml:2"});
    expect_all(complaint("[run]\ntitle = 1\"" + letter + "\""), {"test.toml:2"});
    expect_all(complaint("[run]\ntitle = \"\"\"a\\\n " + letter + "\"\"\""), {"test.toml:3", "not ASCII"});
    expect_all(complaint("[run]\ntitle = \"\"\"a\n\\" + letter + "\"\"\""), {"test.toml:3"});
    expect_all(complaint(letter + " = 1"), {"test.toml:1", "not ASCII"});
    EXPECT_EQ(parse_parameters("", "test.toml", {"run.title=" + letter}).run.title, letter);
  }
}

TEST(Parameters, UnitsNeedQuotes) {
  expect_all(complaint("[model]\nbox_size = 50 Mpc/h # side"), {"test.toml:2", "in quotes: \"50 Mpc/h"});
  expect_all(complaint("[force]\nsoftening =2.5e1kpc"), {"test.toml:2", "in quotes: \"2.5e1kpc\""});
  EXPECT_EQ(complaint("[model]\nbox_size = 50 60").find("in quotes"), std::string::npos);
}

/// `piece` repeated.
std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Parameters, RefusesWhatExhaustsTheParser) {
  const std::string deep = "a" + repeated(".a", 100000), spaced = "a" + repeated(" . \"a\"", 100000);
  for (const std::string before : {"", "[", "[[", "x = { ", "x = [ { ", "x = { y = 1, ", "\"=\".", "'#'.", R"("\"".)",
                                   R"(x = [ """a""""", { )", "x = [ '''a'''', { ", "x = [ \"\", { "}) {
    for (const std::string& key : {deep, spaced}) {
      expect_all(complaint(before + key + " = 1"), {"test.toml:1: a key has more than 32 parts"});
    }
  }
  expect_all(complaint("\n# '\n" + deep + " = 1"), {"test.toml:3", "parts"});
  expect_all(complaint("x = \"\"\"\n\\\"\"\"\n\"\"\"\n" + deep + " = 1"), {"test.toml:4", "parts"});
  expect_all(complaint("x = '\n" + deep + " = 1"), {"test.toml:2", "parts"});
  for (const char* opening : {"[", "{ a = ", "[ { a = "}) {
    expect_all(complaint("x = " + repeated(opening, 100000)), {"test.toml:1: brackets are nested more than 32 deep"});
  }
  expect_all(complaint("x = \"" + deep + "\""), {"x is in no section"});
  expect_all(complaint("", {"run.title={ " + deep + " = 1}"}), {"--set", "parts"});
  expect_all(complaint("", {"run.title=" + repeated("[", 100000)}), {"--set", "brackets"});
  expect_all(complaint(std::string(2 << 20, '#')), {"test.toml", "bytes long"});
  // The longest key that fits: the nearest valid one is found at once.
  expect_all(complaint("[run]\n" + std::string(1000000, 'x') + " = 1"), {"test.toml:2: unknown key run.xxx"});
}

/// What the parser itself makes of keys of 32 parts in nested tables.
TEST(Parameters, TheDeepestTextThatPassesIsParsed) {
  const std::string key = "a" + repeated(".a", 31);
  const std::string text =
      "[" + key + "]\n" + key + " = " + repeated("{ " + key + " = ", 32) + "1" + repeated(" }", 32);
  expect_all(complaint(text), {"unknown section [a]"});
}

TEST(Parameters, DotsAndBracketsThatMakeNothingDeepPass) {
  const auto times = [](const std::string& text) { return parse("[output]\n" + text).output.times.size(); };
  std::string numbers = "0.5";
  for (int i = 1; i < 200; ++i) numbers += ", " + std::to_string(i) + ".5";
  const std::string newtonian = "[model]\nkind = \"plummer\"\n[time]\nt_end = 300\n";
  EXPECT_EQ(times("times = [" + numbers + "]\n" + newtonian), 200U);
  EXPECT_EQ(times("times = [\n  " + numbers + "  # a comment\n]\n" + newtonian), 200U);
  EXPECT_EQ(times("times = [\n# " + repeated(".a", 200) + "\n  " + numbers + "]  # = [[[[ '\n" + newtonian), 200U);
  EXPECT_EQ(parse("[run]\ntitle = \"" + repeated("...[", 100) + "\"").run.title, repeated("...[", 100));
  EXPECT_EQ(parse("[run]\ntitle = '''" + repeated("a.b\"{", 100) + "'''").run.title, repeated("a.b\"{", 100));
  // Only the type is wrong: a list of lists is not a list of numbers.
  expect_all(complaint("[output]\ntimes = [\n[" + numbers + "],\n[" + numbers + "]\n]"), {"test.toml:2: output.times"});
}

TEST(Parameters, TextsAreUtf8) {
  EXPECT_NO_THROW(parse_parameters("[run]\ntitle = \"\xc3\xa9toiles\"", "test.toml"));
  try {
    parse_parameters("", "test.toml", {"run.title=\xff\xfe"});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("UTF-8"), std::string::npos) << error.what();
  }
}

TEST(Parameters, UnknownKeysNameTheNearest) {
  expect_all(complaint("\n[force]\nthetta = 0.5"), {"test.toml:3", "force.thetta", "nearest", "force.theta"});
  expect_all(complaint("[output]\nimage_pixles = 5"), {"nearest valid key is output.image_pixels"});
  expect_all(complaint("[output]\nmerger_trees = true"), {"output.merger_trees", "[output] has redshifts"});
  expect_all(complaint("[zebra]\nx = 1"), {"unknown section [zebra]; sections are run, "});
  expect_all(complaint("", {"zebra.x=1"}), {"unknown key zebra.x; sections are run, "});
  expect_all(complaint("zebra = 1"), {"zebra is in no section; write its [section]"});
  expect_all(complaint("[cosmology]\nm_nu = 0.06"), {"test.toml:2", "[cosmology] has omega_m", "radiation"});
  expect_all(complaint("[forces]\ntheta = 0.5"), {"test.toml:1", "[forces]", "[force]"});
  expect_all(complaint("theta = 0.5"), {"test.toml:1", "theta", "force.theta"});
  expect_all(complaint("[ic]\nseed = 5"), {"test.toml:2", "ic.seed", "model.seed"});
  expect_all(complaint("[force.x]\ny = 5"), {"test.toml:1", "force.x"});
  expect_all(complaint("force = 3"), {"test.toml:1", "[force]"});
}

TEST(Parameters, KeysOfLaterVersionsAreUnknown) {
  for (const char* text : {"[time]\nintegrator = \"block\"", "[model]\nkind = \"kepler_disc\""})
    EXPECT_FALSE(complaint(text).empty()) << text;
}

TEST(Parameters, LoadsAndSeedsHaveNames) {
  const IcOptions ic = parse("[ic]\nload = \"glass\"\nglass_tiles = 4\nrandom = \"gadget4\"\nlpt_order = 3").ic;
  EXPECT_EQ(ic.load, LoadKind::glass);
  EXPECT_EQ(ic.glass_tiles, 4U);
  EXPECT_EQ(ic.random, ModeSource::gadget4);
  EXPECT_EQ(ic.lpt_order, 3);
  EXPECT_EQ(parse("[ic]\nglass_tiles = \"auto\"").ic.glass_tiles, 0U);
  EXPECT_EQ(parse("[ic]\nload = \"bcc\"").ic.load, LoadKind::bcc);
  expect_all(complaint("[ic]\nload = \"fcc\""), {"ic.load", "bcc"});
  expect_all(complaint("[ic]\nload = \"glass\"\ngrid = 37"), {"test.toml:3", "ic.glass_tiles", "ic.grid"});
  expect_all(complaint("[ic]\nglass_tiles = 2"), {"test.toml:2", "ic.glass_tiles", "ic.load"});
  expect_all(complaint("[ic]\nrandom = \"ngenic\"\n[model]\nseed = 3000000000"), {"test.toml:4", "model.seed"});
}

TEST(Parameters, WrongTypesAreNamed) {
  expect_all(complaint("[force]\ntheta = \"wide\""), {"test.toml:2", "force.theta", "a number", "wide"});
  expect_all(complaint("[ic]\ngrid = 80.5"), {"test.toml:2", "ic.grid", "whole number"});
  expect_all(complaint("[ic]\npaired = 1"), {"test.toml:2", "ic.paired", "true or false"});
  expect_all(complaint("[run]\ntitle = 1"), {"test.toml:2", "run.title", "text"});
  expect_all(complaint("[output]\nredshifts = 3"), {"test.toml:2", "output.redshifts", "list"});
  expect_all(complaint("[output]\nredshifts = [3, \"two\"]"), {"test.toml:2", "output.redshifts", "two"});
  expect_all(complaint("[force]\nmac = \"barnes\""), {"test.toml:2", "force.mac", "barnes90"});
  expect_all(complaint("[force]\ntheta = { a = 1 }"), {"test.toml:2", "force.theta", "a table"});
  expect_all(complaint("[force]\ntheta = 2024-01-01"), {"test.toml:2", "force.theta"});
}

TEST(Parameters, ValuesOutOfRangeAreNamed) {
  for (const char* value : {"0", "-0.5", "nan", "inf", "-inf", "2.5"})
    expect_all(complaint(std::string("[force]\ntheta = ") + value), {"test.toml:2", "force.theta", "> 0 and <= 2"});
  expect_all(complaint("[force]\nsoftening = -1"), {"force.softening", ">= 0"});
  expect_all(complaint("[ic]\ngrid = 1"), {"ic.grid", ">= 2"});
  expect_all(complaint("[ic]\ngrid = 1e30"), {"ic.grid"});
  expect_all(complaint("[model]\nparticles = 0"), {"model.particles"});
  expect_all(complaint("[model]\nparticles = -5"), {"model.particles"});
  for (const char* value : {"nan", "inf", "\"1e999 Mpc\"", "\"inf Mpc\"", "\"nan kpc/h\""})
    expect_all(complaint(std::string("[model]\nradius = ") + value), {"test.toml:2", "model.radius"});
  expect_all(complaint("[cost]\nmachine_price = inf"), {"cost.machine_price"});
  expect_all(complaint("[ic]\nlpt_order = 4"), {"ic.lpt_order"});
  expect_all(complaint("[model]\neccentricity = 1"), {"model.eccentricity", "< 1"});
  expect_all(complaint("[cosmology]\nomega_m = 0"), {"cosmology.omega_m"});
  expect_all(complaint("[output]\nredshifts = [1, nan]"), {"output.redshifts"});
  expect_all(complaint("[cost]\nhourly_price = -2"), {"cost.hourly_price"});
}

TEST(Parameters, ConflictsAreNamed) {
  expect_all(complaint("[time]\nz_end = 30"), {"test.toml:2", "time.z_end", "ic.z_start"});
  expect_all(complaint("[ic]\nz_start = 1\n[time]\nz_end = 2"), {"test.toml:4"});
  expect_all(complaint("[output]\nredshifts = [25]"), {"test.toml:2", "25", "outside"});
  expect_all(complaint("[time]\nz_end = 1\n[output]\nredshifts = [2, 0.5]"), {"test.toml:4", "0.5", "outside"});
  expect_all(complaint("[cosmology]\na_s = 2e-9\nsigma8 = 0.8"), {"test.toml:2", "a_s", "sigma8"});
  expect_all(complaint("[cosmology]\nomega_b = 0.5"), {"omega_b"});
  expect_all(complaint("[cosmology]\ntransfer = \"file\""), {"test.toml:2", "transfer_file"});
  expect_all(complaint("[cosmology]\ntransfer = \"eh98\"\ntransfer_file = \"a\""), {"test.toml:3", "transfer"});
  expect_all(complaint("[cosmology]\ntransfer = \"efstathiou\""), {"test.toml:2", "needs", "shape_gamma"});
  expect_all(complaint("[cosmology]\ntransfer = \"eh98\"\nshape_gamma = 0.2"), {"test.toml:3", "efstathiou"});
  expect_all(complaint("[cosmology]\nshape_gamma = 0.2\ntransfer_file = \"a\""), {"test.toml:2", "both"});
  expect_all(complaint("[model]\nkind = \"file\""), {"test.toml:2", "model.file"});
  expect_all(complaint("[model]\nfile = \"a.hdf5\""), {"test.toml:2", "model.kind"});
  expect_all(complaint("[model]\nkind = \"box\""), {"model.box_size"});
  expect_all(complaint("[model]\nbox_size = 100\nradius = 60"), {"test.toml:2", "twice the radius"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[output]\nredshifts = [1]"), {"test.toml:4", "output.times"});
  expect_all(complaint("[output]\ntimes = [1]"), {"test.toml:2", "output.redshifts"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[output]\nhalos = true"), {"test.toml:4", "comoving"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[output]\ntimes = [2]"), {"test.toml:4", "t_end"});
  expect_all(complaint("[model]\nkind = \"plummer\"\n[trees]\noutputs = 9"), {"test.toml:4", "comoving"});
  expect_all(complaint("[time]\nz_end = 1\n[trees]\nredshifts = [2, 0.5]"), {"test.toml:4", "0.5", "outside"});
}

TEST(Parameters, MapsAreForBoxes) {
  const std::string box = "[model]\nkind = \"box\"\nbox_size = 50\n";
  const Parameters p = parse(box + "[grids]\ncells = 64\nassignment = \"pcs\"\nredshifts = [1, 0]");
  EXPECT_EQ(p.grids.assignment, Assignment::pcs);
  EXPECT_EQ(p.grids.redshifts, (std::vector<double>{1, 0}));
  EXPECT_EQ(parse(box + "[planes]\npixels = 64\nassignment = \"tsc\"").planes.assignment, Assignment::tsc);
  expect_all(complaint("[grids]\ncells = 64"), {"test.toml:2", "periodic boxes"});
  expect_all(complaint("[planes]\npixels = 64"), {"test.toml:2", "periodic boxes"});
  expect_all(complaint(box + "[grids]\ncells = 3"), {"test.toml:5", "at least 4"});
  expect_all(complaint(box + "[planes]\npixels = 3"), {"test.toml:5", "at least 4"});
  expect_all(complaint(box + "[grids]\ncells = 8\nassignment = \"ngp\""), {"test.toml:6", "pcs"});
  expect_all(complaint(box + "[planes]\npixels = 64\nredshifts = [0]"), {"test.toml:6", "planes.redshifts", "> 0"});
  expect_all(complaint(box + "[planes]\npixels = 64\nredshifts = [5000]"), {"test.toml:6", "5000", "start"});
  expect_all(complaint(box + "[time]\nz_end = 1\n[grids]\ncells = 8\nredshifts = [0.5]"), {"0.5", "outside"});
  for (const char* normals : {"[]", "[1, 1]", "[3]"}) {
    expect_all(complaint(box + "[planes]\npixels = 8\nnormals = " + normals), {"test.toml:6", "planes.normals"});
  }
  expect_all(complaint("[lightcone]\nshell_velocities = true"), {"test.toml:2", "needs lightcone.shells"});
}

TEST(Parameters, GalaxiesAreCheckedBeforeTheyAreMade) {
  const std::string pair = "[model]\nkind = \"galaxy_pair\"\n";
  const Parameters p = parse(pair + "[galaxy]\nhalo_profile = \"nfw\"\ncut = 30\n[pair]\nnode2 = -40");
  EXPECT_EQ(p.model.galaxy.halo_profile, HaloProfile::nfw);
  EXPECT_EQ(p.model.galaxy.cut, 30);
  EXPECT_EQ(p.model.pair.node2, -40);
  expect_all(complaint(pair + "[galaxy]\ndisc_mass = 0.6\nbulge_mass = 0.5"), {"test.toml:4", "disc_mass"});
  expect_all(complaint(pair + "[pair]\nseparation = 2"), {"test.toml:4", "pair.pericentre"});
  expect_all(complaint(pair + "[pair]\neccentricity = 0.5"), {"test.toml:4", "apocentre"});
  expect_all(complaint("[galaxy]\ncut = 0"), {"test.toml:2", "galaxy.cut"});
  expect_all(complaint("[pair]\nmass_ratio = 2"), {"test.toml:2", "pair.mass_ratio"});
}

TEST(Parameters, SyntaxErrorsNameTheLine) {
  expect_all(complaint("[force]\ntheta = \n"), {"test.toml:2"});
  expect_all(complaint("[force]\ntheta = 1\ntheta = 2\n"), {"test.toml:3"});
}

TEST(Parameters, SettingsOverrideTheFile) {
  const Parameters p = parse("[force]\ntheta = 0.5\n", {"force.theta=0.75", "run.backend=cpu", "output.redshifts=[2,1]",
                                                        "model.radius=100 Mpc", "run.title=two words"});
  EXPECT_EQ(p.force.theta, 0.75);
  EXPECT_EQ(p.run.backend, "cpu");
  EXPECT_EQ(p.output.redshifts, (std::vector<double>{2, 1}));
  EXPECT_DOUBLE_EQ(p.model.radius, 67.66);
  EXPECT_EQ(p.run.title, "two words");
  expect_all(complaint("", {"force.theta=0"}), {"--set force.theta=0", "> 0"});
  expect_all(complaint("", {"force.thetta=1"}), {"--set force.thetta=1", "force.theta"});
  expect_all(complaint("", {"theta=1"}), {"--set theta=1", "section.key=value"});
  expect_all(complaint("", {"force.theta"}), {"--set force.theta", "section.key=value"});
  expect_all(complaint("", {"force.theta="}), {"--set force.theta=", "a number"});
  expect_all(complaint("", {"force.theta=1\nalpha=2"}).substr(0, 5), {"--set"});
}

TEST(Parameters, EchoRoundTripsExactly) {
  Parameters p = parse("[model]\nradius = \"50 Mpc\"\n[cosmology]\na_s = 2.1e-9\n", {"run.wall_limit=10 min"});
  p.run.title = "quotes \" \\ and\ttabs, \xc3\xa9";
  p.run.devices = {3, 1};
  p.force.theta = 0.1 + 0.2;
  p.softening.softening = 1.0 / 3;
  p.output.redshifts = {24, 1.0 / 7, 0};
  p.cost.hourly_price = 2.5;
  p.ic.transfer_file = "table.dat";
  p.time.min_step = 1e-300;
  p.model.seed = 9007199254740993u;
  const std::string echo = to_toml(p);
  const Parameters q = parse(echo);
  EXPECT_EQ(to_toml(q), echo);
  EXPECT_EQ(q.run.title, p.run.title);
  EXPECT_EQ(q.run.devices, p.run.devices);
  EXPECT_EQ(q.run.wall_limit, p.run.wall_limit);
  EXPECT_EQ(q.model.radius, p.model.radius);
  EXPECT_EQ(q.model.seed, p.model.seed);
  EXPECT_EQ(q.force.theta, p.force.theta);
  EXPECT_EQ(q.softening.softening, p.softening.softening);
  EXPECT_EQ(q.output.redshifts, p.output.redshifts);
  EXPECT_EQ(q.cost.hourly_price, p.cost.hourly_price);
  EXPECT_FALSE(q.cost.machine_price.has_value());
  EXPECT_EQ(q.ic.transfer_file, p.ic.transfer_file);
  EXPECT_EQ(q.cosmology.a_s, p.cosmology.a_s);
  EXPECT_EQ(q.time.min_step, p.time.min_step);
}

TEST(Parameters, EveryExampleParses) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MULTIWALK_SOURCE_DIR "/run/examples")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(read_parameters(entry.path())) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 12);
}

TEST(Parameters, UnreadableFilesAreNamed) {
  EXPECT_THROW(read_parameters("/nonexistent/x.toml"), InputError);
  EXPECT_THROW(read_parameters("/"), InputError);
}

}  // namespace
}  // namespace multiwalk
