// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/command_files.hpp"
#include "run/parameters/gadget4_parameters.hpp"
#include "run/parameters/parameter_checks.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/parameters/parameter_value.hpp"
#include "run/parameters/toml_text.hpp"

namespace multiwalk {

namespace {

/// The values that a user gave, by key; settings replace values of the file.
class GivenValues {
 public:
  void add_file(const toml::table& root, const std::string& name) {
    for (const auto& [section_key, node] : root) {
      const std::string section(section_key.str());
      const std::string where = fmt::format("{}:{}", name, node.source().begin.line);
      const toml::table* table = node.as_table();
      check_section(section, table != nullptr, where);
      for (const auto& [key, value] : *table)
        add(section + "." + std::string(key.str()), value,
            fmt::format("{}:{}", name, value.source().begin ? value.source().begin.line : node.source().begin.line));
    }
  }

  /// "section.key=value", the value in TOML syntax or a bare word.
  void add_setting(const std::string& setting, const std::string& how) {
    const std::string where = how + setting;
    const std::size_t equals = setting.find('=');
    if (setting.find('\n') != std::string::npos) throw InputError(how + "...: a setting must be one line");
    if (equals == std::string::npos || setting.find('.') > equals)
      throw InputError(where + ": must have the form section.key=value");
    const std::string value = setting.substr(equals + 1);
    refuse_deep_toml(value, how + setting.substr(0, equals));
    add(setting.substr(0, equals), setting_value(value), where);
  }

  void apply(Parameters& parameters) const {
    const std::vector<ParameterKey> rows = parameter_keys(parameters);
    UnitContext context;
    for (const bool lengths : {false, true}) {
      for (const auto& [place, value] : values_)
        if (rows[place].is_length() == lengths) set_parameter(rows[place], *value.node, value.where, context);
      context = {parameters.cosmology.h, is_newtonian(parameters.model.kind)};
    }
    for (const auto& [place, value] : values_)
      parameters.given[rows[place].name] = {value.where, value.node->value_or(std::string{})};
    const auto given = [&](std::string_view name) { return parameters.given.contains(name); };
    if (!given("force.mac")) parameters.force.mac = default_mac(given("force.theta"), given("force.alpha"));
    if (!given("output.final_error_sample") && given("output.error_sample")) {
      parameters.output.final_error_sample = parameters.output.error_sample;
    }
    check_conflicts(parameters);
  }

 private:
  struct Value {
    std::shared_ptr<toml::node> node;
    std::string where;
  };

  static void check_section(const std::string& section, bool is_table, const std::string& where) {
    const auto known = [&](const ParameterKey& row) { return row.section() == section; };
    if (std::ranges::any_of(parameter_table(), known)) {
      if (!is_table)
        throw InputError(fmt::format("{}: {} is a section: write [{}] on its own line", where, section, section));
    } else if (is_table) {
      throw InputError(fmt::format("{}: unknown section [{}]; {}", where, section, section_advice(section)));
    } else {
      throw InputError(fmt::format("{}: key {} is in no section; {}", where, section, bare_key_advice(section)));
    }
  }

  static std::shared_ptr<toml::node> clone(const toml::node& node) {
    return node.visit([](const auto& value) -> std::shared_ptr<toml::node> {
      return std::make_shared<std::remove_cvref_t<decltype(value)>>(value);
    });
  }

  static std::shared_ptr<toml::node> setting_value(const std::string& text) {
    try {
      const toml::table parsed = parse_toml("value = " + text, "");
      if (parsed.size() == 1) return clone(*parsed.get("value"));
    } catch (const toml::parse_error&) {
      // A bare word.
    }
    return std::make_shared<toml::value<std::string>>(text);
  }

  void add(const std::string& name, const toml::node& node, const std::string& where) { add(name, clone(node), where); }

  void add(const std::string& name, std::shared_ptr<toml::node> node, const std::string& where) {
    // A name may be the beginning of others, as model.units is.
    const auto begins = [&](const ParameterKey& row) { return row.name.starts_with(name + "."); };
    if (const toml::table* table = node->as_table(); table && std::ranges::any_of(parameter_table(), begins)) {
      for (const auto& [key, value] : *table) add(name + "." + std::string(key.str()), value, where);
      return;
    }
    if (name == "force.long_range") return check_long_range(*node, where);
    const ParameterKey* key = find_parameter(name);
    if (!key) throw InputError(fmt::format("{}: unknown key {}; {}", where, name, key_advice(name)));
    values_[static_cast<std::size_t>(key - parameter_table().data())] = {std::move(node), where};
  }

  /// Files of version 0.2 say where long-range forces come from.
  static void check_long_range(const toml::node& node, const std::string& where) {
    if (node.value_or(std::string{}) == "mesh") return;
    throw InputError(
        where +
        ": force.long_range: the long-range force of a box comes from a mesh; leave this key out (to check "
        "the mesh by an independent sum: run.backend = \"ewald\")");
  }

  std::map<std::size_t, Value> values_;  ///< by place in the table
};

}  // namespace

bool is_direct(const Parameters& parameters) {
  const ForceMethod method = parameters.direct.method;
  if (method != ForceMethod::automatic) return method == ForceMethod::direct;
  return parameters.time.integrator != DirectScheme::leapfrog;
}

bool takes_block_steps(const Parameters& parameters, bool periodic) {
  const Steps steps = parameters.time.steps;
  return steps == Steps::block || (steps == Steps::automatic && periodic);
}

std::string model_name(const Parameters& parameters) {
  return parameters.model.kind == ModelKind::file ? parameters.model.file : "[model]";
}

PowerFacts power_facts(const Parameters& parameters) {
  if (!is_one_of(parameters.model.kind, {ModelKind::box, ModelKind::sphere})) return {};
  return LinearPower::of(parameters.cosmology, parameters.ic.transfer_file).facts();
}

DirectOptions direct_options(const Parameters& parameters) {
  const TimeParameters& time = parameters.time;
  const bool hermite = time.integrator == DirectScheme::hermite;
  return {.scheme = time.integrator,
          .steps = !hermite || time.steps == Steps::fixed ? DirectSteps::fixed
                   : time.steps == Steps::global          ? DirectSteps::shared
                                                          : DirectSteps::block,
          .iterations = time.iterations,
          .step = time.max_dt,
          .eta = time.eta,
          .eta_start = time.eta_start,
          .max_step = time.max_dt > 0 ? time.max_dt : DirectOptions().max_step,
          .softening = parameters.softening.softening,
          .precision = parameters.direct.precision};
}

namespace {

/// For a line of a number and a unit without quotes, which TOML does not know.
std::string advice_on_line(const std::string& text, std::size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; i < number; ++i) std::getline(lines, line);
  constexpr std::size_t longest = 200;  // of what a regular expression reads without exhausting the stack
  if (line.size() > longest) return "";
  static const std::regex unit(R"(=\s*([-+]?[0-9][0-9_.]*([eE][-+]?[0-9]+)?\s*[A-Za-z][A-Za-z/0-9^ ]*))");
  std::smatch found;
  if (!std::regex_search(line, found, unit)) return "";
  return fmt::format("; write a number and its unit in quotes: \"{}\"", found[1].str());
}

}  // namespace

Parameters parse_parameters(const std::string& text, const std::string& name, const std::vector<std::string>& settings,
                            const std::string& how) {
  constexpr std::size_t most_bytes = 1 << 20;
  if (text.size() > most_bytes) {
    throw InputError(fmt::format("{}: {} bytes long, too long for a parameter file", name, text.size()));
  }
  refuse_deep_toml(text, name);
  GivenValues given;
  try {
    given.add_file(parse_toml(text, name), name);
  } catch (const toml::parse_error& error) {
    const std::size_t line = error.source().begin.line;
    throw InputError(fmt::format("{}:{}: {}{}", name, line, error.description(), advice_on_line(text, line)));
  }
  for (const std::string& setting : settings) given.add_setting(setting, how);
  Parameters parameters;
  given.apply(parameters);
  note_input(parameters.ic.transfer_file);
  return parameters;
}

Parameters read_parameters(const std::string& path, const std::vector<std::string>& settings,
                           const Communicator& comm) {
  const std::string text = text_from_root(comm, [&] {
    note_input(path);
    std::ifstream file(path);
    file.peek();
    if (!file.is_open() || file.bad())
      throw InputError(path + ": cannot read this parameter file: " + std::strerror(errno));
    return std::string{std::istreambuf_iterator<char>(file), {}};
  });
  return collectively(comm, [&] {
    if (is_gadget4_file(text)) {
      throw InputError(path + ": is a parameter file of GADGET-4: `multiwalk params --from-gadget4 " + path +
                       " > run.toml` translates it");
    }
    return parse_parameters(text, path, settings);
  });
}

std::string to_toml(Parameters parameters) {
  std::string text;
  std::string_view section;
  for (const ParameterKey& row : parameter_keys(parameters)) {
    if (row.section() != section) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", row.section());
    section = row.section();
    const bool replaced = row.name == "cosmology.sigma8" && parameters.cosmology.a_s > 0;
    const std::string value = replaced ? "(follows from a_s)" : format_parameter(row);
    const bool unused = value.empty() || replaced;
    std::string line = fmt::format("{}{} = {}", unused ? "# " : "", row.key(), value);
    if (!row.unit.empty()) line = fmt::format("{:<40} # {}", line, row.unit);
    text += line + "\n";
  }
  return text;
}

std::vector<ParameterChange> parameter_changes(Parameters before, Parameters after) {
  const std::vector<ParameterKey> from = parameter_keys(before), to = parameter_keys(after);
  const auto text = [](const ParameterKey& row) {
    std::string value = format_parameter(row);
    return value.empty() ? "not set" : value;
  };
  std::vector<ParameterChange> changes;
  for (std::size_t i = 0; i < to.size(); ++i) {
    ParameterChange change{to[i].name, text(from[i]), text(to[i]), to[i].ends_run};
    if (change.was != change.is) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace multiwalk
