// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/gadget4_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "host/text/plain_number.hpp"
#include "run/files/atomic_file.hpp"
#include "run/formats/file_units.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

namespace {

/// "Name value" lines of the parameter file, or "NAME=value" lines of Config.sh; % and # begin comments.
std::map<std::string, std::string> words_of(const std::string& text, bool with_equals) {
  std::map<std::string, std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find_first_of("%#"));
    if (with_equals) std::ranges::replace(line, '=', ' ');
    std::istringstream parts(line);
    std::string name, value;
    if (parts >> name) {
      parts >> value;
      words[name] = value;
    }
  }
  return words;
}

std::optional<double> as_number(const std::string& text) {
  const auto value = number_in(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Whether a setting changes neither forces nor steps of dark matter in Multiwalk: memory, files, messages, the
/// division of work, gas.
bool has_no_effect(const std::string& name) {
  constexpr std::string_view names =
      " MaxMemSize BufferSize PartAllocFactor TreeAllocFactor TopNodeFactor EnergyFile InfoFile"
      " TimingsFile CpuFile RestartFile ResubmitOn ResubmitCommand TimeBetStatistics"
      " CpuTimeBetRestartFile DomainUpdateFrequency TreeDomainUpdateFrequency"
      " ActivePartFracForNewDomainDecomp ActivePartFracForPMinsteadOfEwald MaxFilesWithConcurrentIO"
      " NumFilesWrittenInParallel DesNumNgb MaxNumNgbDeviation DesLinkNgb ArtBulkViscConst CourantFac"
      " InitGasTemp MinGasTemp MinEgySpec MinGasHsmlFractional DOUBLEPRECISION RANDOMIZE_DOMAINCENTER"
      " IMPOSE_PINNING OUTPUT_IN_DOUBLEPRECISION INPUT_IN_DOUBLEPRECISION MULTIPLEDOMAINS"
      " PeriodicBoundariesOn NTYPES"
      " ";
  return names.find(" " + name + " ") != std::string_view::npos;
}

/// The translation under way: settings by section, and words that were used.
class Gadget4Run {
 public:
  Gadget4Run(const std::string& parameters, const std::string& config, std::string folder, std::string name)
      : words_(words_of(parameters, false)),
        config_(words_of(config, true)),
        folder_(std::move(folder)),
        name_(std::move(name)),
        own_conditions_(config_.contains("NGENIC") || (config.empty() && words_.contains("NSample"))) {}

  std::string translate() {
    kind();
    cosmology();
    own_conditions_ ? initial_conditions() : input_file();
    forces();
    times();
    outputs();
    return text();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(name_ + ": " + what); }

  /// The number of a parameter, which is used up.
  std::optional<double> number(const std::string& word) {
    const auto found = words_.find(word);
    if (found == words_.end()) return std::nullopt;
    used_.insert(word);
    const auto value = as_number(found->second);
    if (!value) refuse(fmt::format("{} = {} is not a number", word, found->second));
    return value;
  }
  std::string word(const std::string& name) {
    used_.insert(name);
    const auto found = words_.find(name);
    return found == words_.end() ? "" : found->second;
  }
  bool configured(const std::string& name) {
    used_.insert(name);
    return config_.contains(name);
  }

  void set(const std::string& section, const std::string& line) { sections_[section].push_back(line); }
  void set_number(const std::string& section, const std::string& key, double value) {
    set(section, fmt::format("{} = {:.15g}", key, value));  // without the rounding of factors
  }
  void set_text(const std::string& section, const std::string& key, std::string value) {
    std::erase(value, '"');
    std::erase(value, '\\');
    set(section, fmt::format("{} = \"{}\"", key, value));
  }
  /// A number under another name, if it is there; `factor` turns it into our unit.
  void take(const std::string& from, const std::string& section, const std::string& key, double factor = 1) {
    if (const auto value = number(from)) set_number(section, key, *value * factor);
  }

  void kind() {
    if (number("ComovingIntegrationOn").value_or(1) == 0)
      refuse("is a Newtonian run (ComovingIntegrationOn = 0): only cosmological boxes are translated");
    used_.insert({"PERIODIC", "SELFGRAVITY"});
    length_ = exact_length(number("UnitLength_in_cm").value_or(units::cm_per_mpc / 1000));
    mass_ = number("UnitMass_in_g").value_or(units::gram_per_1e10_msun);
    velocity_ = number("UnitVelocity_in_cm_per_s").value_or(units::cm_per_km);
  }

  void cosmology() {
    take("Omega0", "cosmology", "omega_m");
    take("OmegaLambda", "cosmology", "omega_lambda");
    take("OmegaBaryon", "cosmology", "omega_b");
    take("HubbleParam", "cosmology", "h");
    used_.insert({"Hubble", "GravityConstantInternal"});
  }

  void initial_conditions() {
    used_.insert({"NGENIC", "InitCondFile", "ICFormat"});
    set_text("model", "kind", "box");
    if (const auto side = number("BoxSize")) set_number("model", "box_size", *side * length_ / units::cm_per_mpc);
    if (const auto seed = number("Seed")) set("model", fmt::format("seed = {:.0f}", *seed));
    if (const auto grid = number("NSample")) set("ic", fmt::format("grid = {:.0f}", *grid));
    if (const auto a = number("TimeBegin")) set_number("ic", "z_start", 1 / *a - 1);
    set_text("ic", "random", "gadget4");
    set("ic", fmt::format("lpt_order = {}", configured("NGENIC_2LPT") ? 2 : 1));
    if (number("SphereMode").value_or(0) != 0)
      changes_.emplace_back(
          "SphereMode = 1: modes beyond the Nyquist wavenumber of a sphere are kept, up to the cube's");
    if (configured("NGENIC_FIX_MODE_AMPLITUDES")) set("ic", "fixed_amplitude = true");
    if (configured("NGENIC_MIRROR_PHASES")) set("ic", "paired = true");
    take("Sigma8", "cosmology", "sigma8");
    take("PrimordialIndex", "cosmology", "n_s");
    power();
  }

  /// Types of GADGET-4: 1 is Eisenstein & Hu's (1998) fit without wiggles, 2 a table, any other Efstathiou, Bond &
  /// White (1992).
  void power() {
    used_.insert({"ReNormalizeInputSpectrum", "InputSpectrum_UnitLength_in_cm"});
    const int type = static_cast<int>(number("PowerSpectrumType").value_or(1));
    const auto gamma = number("ShapeGamma");
    const std::string file = word("PowerSpectrumFile");
    if (type == 1) {
      set_text("cosmology", "transfer", "eh98_smooth");
    } else if (type == 2) {
      changes_.push_back("PowerSpectrumType = 2: " + file +
                         " holds log10 of k and of Delta^2; name a table of k [h/Mpc] and P = 2 pi^2 Delta^2 / k^3 "
                         "[(Mpc/h)^3] today in cosmology.transfer_file");
    } else {
      if (!gamma || !(*gamma > 0))
        refuse(fmt::format("PowerSpectrumType = {} (Efstathiou, Bond & White 1992) needs a ShapeGamma", type));
      set_text("cosmology", "transfer", "efstathiou");
      set_number("cosmology", "shape_gamma", *gamma);
    }
  }

  void input_file() {
    used_.insert({"BoxSize", "TimeBegin"});
    std::string file = word("InitCondFile");
    if (file.empty()) refuse("has no InitCondFile");
    const bool hdf5 = number("ICFormat").value_or(3) == 3;
    if (hdf5 && !file.ends_with(".hdf5")) file += ".hdf5";
    set_text("model", "kind", "file");
    set_text("model", "file", file);
    set("model", fmt::format("units = {{length = {}, mass = {}, velocity = {}}}", length_, mass_, velocity_));
  }

  void forces() {
    softening();
    for (const char* name : {"TypeOfOpeningCriterion", "ErrTolTheta", "ErrTolThetaMax", "ErrTolForceAcc", "PMGRID",
                             "ASMTH", "RCUT", "TREEPM_NOTIMESPLIT", "MULTIPOLE_ORDER"}) {
      if (words_.contains(name) || config_.contains(name))
        changes_.push_back(fmt::format("{}: force.accuracy chooses it", name));
      used_.insert(name);
    }
  }

  /// Takes the softening of dark matter from GADGET-4's classes, AREPO's types or GADGET-2's names, which call it halo.
  void softening() {
    const double kpc = length_ / (units::cm_per_mpc / 1000);
    const auto class_of = [&](const char* name) { return static_cast<int>(number(name).value_or(0)); };
    const int gadget4 = class_of("SofteningClassOfPartType1"), arepo = class_of("SofteningTypeOfPartType1");
    const std::pair<std::string, std::string> names[] = {
        {fmt::format("SofteningComovingClass{}", gadget4), fmt::format("SofteningMaxPhysClass{}", gadget4)},
        {fmt::format("SofteningComovingType{}", arepo), fmt::format("SofteningMaxPhysType{}", arepo)},
        {"SofteningHalo", "SofteningHaloMaxPhys"}};
    const auto stated = std::ranges::find_if(names, [&](const auto& each) { return words_.contains(each.first); });
    if (stated == std::end(names)) {
      changes_.emplace_back("no softening of particles of type 1 was found: force.softening takes its default");
      return;
    }
    take(stated->first, "force", "softening", kpc);
    take(stated->second, "force", "softening_max_physical", kpc);
    changes_.push_back(stated->first +
                       ": forces are softened by Plummer's law, not by a spline that ends at 2.8 of it");
  }

  void times() {
    take("ErrTolIntAccuracy", "time", "eta");
    take("MaxSizeTimestep", "time", "max_dlna");
    if (const auto least = number("MinSizeTimestep"); least && *least > 0) set_number("time", "min_step", *least);
    last_ = number("TimeMax").value_or(1);
    if (!(last_ > 0)) refuse("TimeMax must be positive");
    set_number("time", "z_end", 1 / last_ - 1);
  }

  /// Expansion factors of the outputs before the last.
  std::vector<double> output_times() {
    std::vector<double> times;
    const std::string list = word("OutputListFilename");
    if (number("OutputListOn").value_or(0) != 0) {
      used_.insert({"TimeOfFirstSnapshot", "TimeBetSnapshot"});
      const std::filesystem::path path = std::filesystem::path(folder_) / list;
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(path, ignored)) {
        changes_.push_back("OutputListFilename: " + list + " was not found; set output.redshifts");
        return times;
      }
      std::istringstream lines(read_whole_file(path.string()));
      for (std::string line; std::getline(lines, line);) {
        std::istringstream parts(line);
        std::string first;
        if (parts >> first)
          if (const auto a = as_number(first)) times.push_back(*a);
      }
      return times;
    }
    const auto first = number("TimeOfFirstSnapshot"), factor = number("TimeBetSnapshot");
    constexpr std::size_t most = 1000;
    if (first && factor && *first > 0 && *factor > 1)
      for (double a = *first; a < last_ && times.size() < most; a *= *factor) times.push_back(a);
    return times;
  }

  void outputs() {
    if (const std::string directory = word("OutputDir"); !directory.empty()) set_text("run", "directory", directory);
    take("TimeLimitCPU", "run", "wall_limit", 1 / units::seconds_per_hour);
    take("CpuTimeBetRestartFile", "run", "checkpoint_every", 1 / units::seconds_per_hour);
    if (const auto files = number("NumFilesPerSnapshot"))
      set("output", fmt::format("files_per_snapshot = {:.0f}", *files));
    if (configured("FOF")) set("output", "halos = true");
    if (configured("OUTPUT_ACCELERATION")) set("output", "accelerations = true");
    used_.insert({"POWERSPEC_ON_OUTPUT", "SnapFormat", "SnapshotFileBase", "OutputListFilename"});
    std::vector<double> redshifts;
    for (const double a : output_times())
      if (a > 0 && a < last_) redshifts.push_back(1 / a - 1);
    std::ranges::sort(redshifts, std::greater{});
    if (!redshifts.empty()) set("output", fmt::format("redshifts = [{}]", fmt::join(redshifts, ", ")));
  }

  [[nodiscard]] std::string text() const {
    std::string text = "# From GADGET-4's " + name_ + "\n";
    for (const char* section : {"run", "model", "cosmology", "ic", "force", "time", "output"}) {
      const auto found = sections_.find(section);
      if (found == sections_.end()) continue;
      text += fmt::format("\n[{}]\n{}\n", section, fmt::join(found->second, "\n"));
    }
    std::vector<std::string> changes = changes_, idle;
    for (const auto* words : {&words_, &config_}) {
      for (const auto& [name, value] : *words) {
        if (used_.contains(name)) continue;
        auto& list = has_no_effect(name) ? idle : changes;
        list.push_back(fmt::format("{}{}{}", name, value.empty() ? "" : " = ", value));
      }
    }
    const auto add = [&text](const char* heading, const std::vector<std::string>& list) {
      if (!list.empty()) text += fmt::format("\n# {}\n#   {}\n", heading, fmt::join(list, "\n#   "));
    };
    add("Changes your result, or is unknown here:", changes);
    add("Has no effect here:", idle);
    return text;
  }

  std::map<std::string, std::string> words_, config_;
  std::string folder_, name_;
  bool own_conditions_;  ///< GADGET-4 makes the initial conditions itself
  double length_ = 0, mass_ = 0, velocity_ = 0, last_ = 1;
  std::set<std::string> used_;
  std::map<std::string, std::vector<std::string>> sections_;
  std::vector<std::string> changes_;
};

}  // namespace

bool is_gadget4_file(const std::string& text) {
  const auto words = words_of(text, false);
  return words.contains("InitCondFile") && words.contains("TimeMax") && words.contains("UnitLength_in_cm");
}

std::string parameters_from_gadget4(const std::string& parameters, const std::string& config, const std::string& folder,
                                    const std::string& name) {
  if (!is_gadget4_file(parameters))
    throw InputError(name +
                     ": is not a parameter file of GADGET-4, which has InitCondFile, TimeMax and UnitLength_in_cm");
  std::string text = Gadget4Run(parameters, config, folder, name).translate();
  static_cast<void>(parse_parameters(text, name + ", translated"));
  return text;
}

}  // namespace multiwalk
