// SPDX-License-Identifier: GPL-3.0-or-later
// The table of parameter keys, which drives reading, checking, echo and the parameter page: what the sections
// (run/parameters/sections) describe.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/particles/particle_system.hpp"
#include "run/parameters/parameter_key.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// How a run starts: that decides which parameters have an effect.
struct RunStart {
  bool comoving = true, periodic = false;
  double time = 0;  ///< of the particles
};

/// Makes the rows of the table: each section calls it once for each of its keys.
class Keys {
 public:
  /// The rows point to the values in `parameters`, and say which have no effect in such a run.
  Keys(const Parameters& parameters, const RunStart& start, std::vector<ParameterKey>& rows)
      : parameters_(parameters), start_(start), rows_(rows) {}

  /// A number, a text, true or false, or a list. Strings with units are taken if `unit` is Mpc/h, kpc/h or h.
  template <class T>
  ParameterKey& operator()(std::string_view name, T& value, std::string_view help, Range range = {},
                           std::string_view unit = {}) const {
    return add({.name = name, .field = &value, .help = help, .range = range, .unit = unit});
  }
  /// An enumeration or a number that counts the words from `first` on, or the word as a text.
  template <class T>
  ParameterKey& operator()(std::string_view name, T& value, WordList words, std::string_view help,
                           int first = 0) const {
    if constexpr (std::is_same_v<T, std::string>) {
      const auto names = words.names;
      const auto get = [&value, names] { return std::size_t(std::ranges::find(names, value) - names.begin()); };
      return (*this)(name, Choice{std::move(words), get, [&value, names](std::size_t i) { value = names[i]; }}, help);
    } else {
      const auto get = [&value, first] { return static_cast<std::size_t>(static_cast<int>(value) - first); };
      const auto set = [&value, first](std::size_t i) { value = static_cast<T>(static_cast<int>(i) + first); };
      return (*this)(name, Choice{std::move(words), get, set}, help);
    }
  }
  ParameterKey& operator()(std::string_view name, Choice choice, std::string_view help) const {
    return add({.name = name, .field = std::move(choice), .help = help});
  }

  /// For keys that have an effect only if `used`; `runs` says in which runs that is.
  [[nodiscard]] Keys only(bool used, std::string_view runs) const {
    Keys keys = *this;
    if (!used && idle_.empty()) keys.idle_ = runs;
    return keys;
  }
  [[nodiscard]] Keys comoving() const { return only(start_.comoving, "for comoving runs"); }
  [[nodiscard]] Keys newtonian() const { return only(!start_.comoving, "for Newtonian runs"); }
  [[nodiscard]] Keys direct() const { return only(is_direct(parameters_), "for direct summation"); }
  [[nodiscard]] Keys not_direct() const { return only(!is_direct(parameters_), "not for direct summation"); }
  [[nodiscard]] Keys trees() const { return only(walks(), "for trees"); }

  [[nodiscard]] bool walks() const {
    const std::string& backend = parameters_.run.backend;
    return !is_direct(parameters_) && backend != "direct" && backend != "ewald";
  }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const RunStart& start() const { return start_; }

 private:
  ParameterKey& add(ParameterKey row) const;

  const Parameters& parameters_;
  const RunStart& start_;
  std::vector<ParameterKey>& rows_;
  std::string_view idle_;
};

/// The rows of these parameters, section by section in the order of the page: they read and write the values there,
/// which must outlive them.
std::vector<ParameterKey> parameter_keys(Parameters& parameters, const RunStart& start = {});

/// The rows of the default values.
std::span<const ParameterKey> parameter_table();

/// The index of a name in a list; `what` names the list. Throws InputError that lists the valid names.
std::size_t place_of(const std::string& name, std::span<const std::string_view> names, const char* what);

/// Row of "section.key"; null if there is none.
const ParameterKey* find_parameter(std::string_view name);

/// The value as TOML; empty if an optional one is absent. A parameter file gives back exactly the same value.
std::string format_parameter(const ParameterKey& key);

/// The value without TOML's syntax, for attributes of files; booleans as 0 or 1. None if an optional one is absent or a
/// list is empty.
std::optional<ParameterData> parameter_data(const ParameterKey& key);

/// The values that are allowed, in words; empty if all are.
std::string allowed_values(const ParameterKey& key);

/// Every parameter that was set to another value than its default although it has no effect in a run that starts from
/// `system` (only its frame, boundary and time matter), each with the runs that use it: "model.disc_mass (for
/// kepler_disc), ...". Includes parameters that a snapshot replaced: `used` are those with its cosmology. Empty if all
/// have an effect.
std::string idle_settings(Parameters asked, Parameters used, const ParticleSystem& system);

/// Advice on an unknown "section.key": the same key elsewhere, a key with a similar name, or the keys of the
/// section.
std::string key_advice(std::string_view name);
/// Advice on an unknown section: one with a similar name, or all.
std::string section_advice(std::string_view section);
/// Advice on a key above all sections.
std::string bare_key_advice(std::string_view key);

}  // namespace multiwalk
