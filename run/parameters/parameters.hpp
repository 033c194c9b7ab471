// SPDX-License-Identifier: GPL-3.0-or-later
// Every run-time choice of the program: one TOML file, checked key by key before anything runs. Each section has a
// header in run/parameters/sections with its members, their keys, checks, and the runs that use them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "ic/power/linear_power.hpp"
#include "run/parameters/sections/cosmology.hpp"
#include "run/parameters/sections/cost.hpp"
#include "run/parameters/sections/force.hpp"
#include "run/parameters/sections/light_cone.hpp"
#include "run/parameters/sections/maps.hpp"
#include "run/parameters/sections/model.hpp"
#include "run/parameters/sections/output.hpp"
#include "run/parameters/sections/run.hpp"
#include "run/parameters/sections/time.hpp"
#include "run/parameters/sections/trees.hpp"

namespace multiwalk {

/// A key as the user gave it.
struct GivenText {
  std::string where;  ///< "file:line" or "--set ..."
  std::string word;   ///< the value, if it is a text
};

struct Parameters {
  RunParameters run;
  ModelOptions model;
  FileUnitParameters file_units;
  CosmologyParameters cosmology;
  IcOptions ic;
  GravityOptions force = default_force();
  BoxForceParameters box_force;
  DirectParameters direct;
  SofteningParameters softening;
  TimeParameters time;
  DecompositionParameters decomposition;
  OutputParameters output;
  LightConeParameters lightcone;
  GridParameters grids;
  PlaneParameters planes;
  TreeParameters trees;
  CostParameters cost;
  std::optional<PowerFacts> power;  ///< not a key: what the run's linear power depends on, once that is known
  std::map<std::string_view, GivenText> given;  ///< by the names of the keys that a file or a setting gave

  /// Describes every key to `key` (run/parameters/parameter_table.hpp), section by section in the order of the page.
  void describe(const auto& key) {
    run.describe(key);
    describe_model(*this, key);
    describe_galaxy(*this, key);
    describe_pair(*this, key);
    describe_cosmology(*this, key);
    describe_ic(*this, key);
    describe_force(*this, key);
    time.describe(key);
    decomposition.describe(key);
    output.describe(key);
    lightcone.describe(key);
    grids.describe(key);
    planes.describe(key);
    trees.describe(key);
    cost.describe(key);
  }

  /// Makes the sections check their values against each other (run/parameters/parameter_checks.hpp).
  void check(const auto& must) const {
    check_cosmology(*this, must);
    check_model(*this, must);
    check_galaxies(*this, must);
    check_ic(*this, must);
    decomposition.check(must);
    time.check(must);
    output.check(must);
    trees.check(must);
    lightcone.check(must);
    grids.check(must);
    planes.check(must);
    check_force(*this, must);
  }
};

/// Whether forces are summed directly over all pairs of bodies (run/driver/direct_evolution.hpp), with no tree.
bool is_direct(const Parameters& parameters);

/// Whether a tree run makes blocks of steps; `periodic`: in a box whose forces are split.
bool takes_block_steps(const Parameters& parameters, bool periodic);

/// Where the particles come from, for messages: a file, or "[model]".
std::string model_name(const Parameters& parameters);

/// The facts about the linear power from which the initial conditions are made; empty if no power spectrum is used.
/// Throws what LinearPower::of throws.
PowerFacts power_facts(const Parameters& parameters);

/// The options of a direct run's integrator.
DirectOptions direct_options(const Parameters& parameters);

/// Reads and checks a parameter file, then applies `settings` ("section.key=value"). Only rank 0 reads. Throws
/// SharedError naming file, line, key and the nearest valid key. Collective.
Parameters read_parameters(const std::string& path, const std::vector<std::string>& settings = {},
                           const Communicator& comm = {});

/// Reads and checks TOML text; `name` is used as the file name in messages, `how` before settings.
Parameters parse_parameters(const std::string& text, const std::string& name,
                            const std::vector<std::string>& settings = {}, const std::string& how = "--set ");

/// Every key with its value, as TOML that read_parameters accepts.
std::string to_toml(Parameters parameters);

/// A key with its values in TOML, or "not set".
struct ParameterChange {
  std::string_view key;
  std::string was, is;
  bool ends_run;  ///< it says when a run ends
};
/// All keys whose values differ.
std::vector<ParameterChange> parameter_changes(Parameters before, Parameters after);

/// A value as a number, a string or a list.
using ParameterData = std::variant<double, std::int64_t, std::string, std::vector<double>>;

}  // namespace multiwalk
