// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/sky_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "analysis/sky/light_path.hpp"
#include "analysis/sky/sky_picture.hpp"
#include "analysis/sky/sky_spectrum.hpp"
#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"
#include "run/files/partial_file.hpp"
#include "run/pages/base64.hpp"
#include "run/pages/page.hpp"
#include "run/sky/fits_table.hpp"
#include "run/sky/map_rows.hpp"
#include "run/sky/run_power.hpp"
#include "run/sky/sky_shell.hpp"

namespace multiwalk {

namespace {

std::vector<std::string> shell_files(const std::string& directory) {
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; std::filesystem::exists(directory + "/" + shell_stem(i) + ".hdf5"); ++i) {
    paths.push_back(directory + "/" + shell_stem(i) + ".hdf5");
  }
  if (paths.empty()) {
    throw InputError(directory + ": has no shells of a light cone (" + shell_stem(0) +
                     ".hdf5): run with lightcone.shells = true");
  }
  return paths;
}

/// Means of a spectrum over bands of l, weighted by 2l + 1.
struct Band {
  std::uint32_t first, last;  ///< both inclusive

  [[nodiscard]] double centre() const { return 0.5 * first + 0.5 * last; }
  template <class F>
  [[nodiscard]] double mean(F value) const {
    double sum = 0, weight = 0;
    for (std::uint32_t l = first; l <= last; ++l) {
      sum += (2 * l + 1) * value(l);
      weight += 2 * l + 1;
    }
    return sum / weight;
  }
};

std::vector<Band> bands_to(std::uint32_t lmax) {
  std::vector<Band> bands;
  for (std::uint32_t l = 2; l <= lmax;) {
    const std::uint32_t last = std::min(lmax, std::max(l, static_cast<std::uint32_t>(l * 1.15)));
    bands.push_back({l, last});
    l = last + 1;
  }
  return bands;
}

/// The mean of a prediction over a band, from three points whose weights give whole numbers l their mean square
/// distance from the centre: exact for up to three numbers, and for cubics.
template <class F>
double band_prediction(const Band& band, F at) {
  const double number = band.last - band.first + 1.0, mid = band.centre();
  const double outer = number > 1 ? (number + 1) / (6 * (number - 1)) : 0;
  const auto weighted = [&](double l) { return (2 * l + 1) * at(l); };
  double sum = (1 - 2 * outer) * weighted(mid);
  if (number > 1) sum += outer * (weighted(band.first) + weighted(band.last));
  return sum / (2 * mid + 1);
}

/// The sum over the shells, and everything about them that does not change.
class Sky {
 public:
  Sky(const SkyAnalysisOptions& options, const std::vector<std::string>& files)
      : options_(options),
        files_(files),
        parameters_(read_parameters(options.directory + "/parameters.toml")),
        expansion_(parameters_.cosmology),
        power_(parameters_, read_json(options.directory + "/report.json")) {
    require_flat(parameters_.cosmology, "convergence and spectra of shells are");
    const StoredShell last = read_shell(files.back());
    require_own(last.shell, files.back());
    nside_ = last.nside;
    if (nside_ > 8192) throw InputError("harmonics of maps beyond nside = 8192 are not computed");
    source_z_ = options.source_redshift >= 0 ? options.source_redshift : last.shell.z_far;
    source_ = light_distance(expansion_, 1 / (1 + source_z_));
    lmax_ = options.lmax > 0 ? std::min(options.lmax, 3 * nside_ - 1) : 2 * nside_;
    bands_ = bands_to(lmax_);
    use_whole_pixels();
  }

  nlohmann::json operator()() {
    nlohmann::json shells = nlohmann::json::array();
    for (const std::string& file : files_) shells.push_back(add(read_shell(file), file));
    nlohmann::json all{{"nside", nside_},
                       {"lmax", lmax_},
                       {"source_redshift", source_z_},
                       {"seen_fraction", seen_},
                       {"power_epochs", power_.epochs()},
                       {"shells", shells},
                       {"kappa", spectrum_of_kappa()}};
    write(all);
    return all;
  }

 private:
  [[nodiscard]] std::uint64_t pixels() const { return 12 * std::uint64_t{nside_} * nside_; }

  [[nodiscard]] SkyView view() const { return sky_view(parameters_.lightcone, parameters_.model.box_size); }

  /// Pixels that the border of the view may cut have no known mean, and are not used.
  void use_whole_pixels() {
    const SeenPixels seen(nside_, view());
    kappa_.assign(pixels(), 0);
    std::uint64_t used = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : used)
    for (std::uint64_t p = 0; p < pixels(); ++p) {
      const bool whole = seen.contains_around(p);
      used += whole ? 1 : 0;
      if (!whole) kappa_[p] = std::numeric_limits<double>::quiet_NaN();
    }
    if (used == 0) throw InputError(options_.directory + ": no pixel of its shells lies in view as a whole");
    seen_ = static_cast<double>(used) / static_cast<double>(pixels());
  }

  /// Refuses a shell of another universe, or of another part of the sky, than the run's.
  void require_own(const SkyShell& shell, const std::string& file) const {
    const CosmologyParameters &c = parameters_.cosmology, &s = shell.cosmology;
    const std::array pairs{std::pair(c.omega_m, s.omega_m), std::pair(c.omega_lambda, s.omega_lambda),
                           std::pair(c.h, s.h), std::pair(c.w0, s.w0), std::pair(c.wa, s.wa)};
    const auto differs = [](const auto& p) { return std::fabs(p.first - p.second) > 1e-9; };
    const char* const other = std::ranges::any_of(pairs, differs)                   ? "cosmology"
                              : differs(std::pair(solid_angle(view()), shell.seen)) ? "field of view"
                                                                                    : nullptr;
    if (other != nullptr)
      throw InputError(fmt::format("{}: belongs to a run of another {} than parameters.toml beside it", file, other));
  }

  /// Adds a shell to the convergence; returns its figures and its spectrum.
  nlohmann::json add(const StoredShell& stored, const std::string& file) {
    const SkyShell& s = stored.shell;
    require_own(s, file);
    if (stored.nside != nside_) throw InputError(file + ": has another resolution than the other shells");
    const double expected = s.expected(pixels());
    const double lens = shell_convergence(expansion_, s.near, s.far, source_);
    std::vector<double> delta(pixels(), 0);
    for (std::size_t i = 0; i < stored.count.size(); ++i) {
      delta[stored.pixel.empty() ? i : stored.pixel[i]] = stored.count[i] / expected;
    }
    for (std::uint64_t p = 0; p < pixels(); ++p) {
      delta[p] = std::isnan(kappa_[p]) ? 0 : delta[p] - 1;
      kappa_[p] += lens * delta[p];
    }
    shot_ += lens * lens / expected * 4 * std::numbers::pi / static_cast<double>(pixels());
    const double shot = 4 * std::numbers::pi / static_cast<double>(pixels()) / expected;
    return {{"shell", s.number},
            {"near", s.near},
            {"far", s.far},
            {"z_near", s.z_near},
            {"z_far", s.z_far},
            {"particles", s.particles},
            {"expected", expected * static_cast<double>(pixels()) * s.seen / (4 * std::numbers::pi)},
            {"shot_noise", shot},
            {"kappa_per_overdensity", lens},
            {"bands", bands(delta, {shell_overdensity(s.near, s.far)}, shot)}};
  }

  nlohmann::json spectrum_of_kappa() {
    std::vector<double> map = kappa_;
    for (double& value : map) value = std::isnan(value) ? 0 : value;
    std::vector<Projection> parts;
    for (const std::string& file : files_) {
      const SkyShell s = read_shell(file).shell;
      if (s.near < source_) parts.push_back(lensing(expansion_, s.near, s.far, source_));
    }
    return {{"shot_noise", shot_}, {"bands", bands(map, parts, shot_)}};
  }

  /// Measured and predicted band powers. Counts have shot noise, which pixels do not smooth.
  nlohmann::json bands(const std::vector<double>& map, const std::vector<Projection>& parts, double shot) const {
    std::optional<BeyondLimber> beyond;  // of a shell
    if (parts.size() == 1) beyond.emplace(expansion_, parts.front());
    const std::vector<double> measured = angular_power(map, nside_, lmax_, seen_);
    const auto predicted = [&](const Band& band, const PowerAt& power) {
      return band_prediction(band, [&](double l) {
        double sum = 0;
        for (const Projection& part : parts) sum += limber(expansion_, part, power, l);
        return pixel_window_squared(l, nside_) * sum + shot;
      });
    };
    nlohmann::json rows = nlohmann::json::array();
    for (const Band& band : bands_) {
      const auto measured_power = [&](double k, double a) { return power_.measured(k, a); };
      rows.push_back({{"l", band.centre()},
                      {"first", band.first},
                      {"last", band.last},
                      {"measured", band.mean([&](std::uint32_t l) { return measured[l]; })},
                      {"limber", predicted(band, measured_power)},
                      {"linear", predicted(band, [&](double k, double a) { return power_.linear(k, a); })}});
      if (!beyond) continue;
      rows.back()["flat_sky"] = rows.back()["limber"].get<double>() + band_prediction(band, [&](double l) {
                                  return pixel_window_squared(l, nside_) * (*beyond)(measured_power, l);
                                });
    }
    return rows;
  }

  void write(const nlohmann::json& all) const {
    const std::string stem = options_.directory + "/sky_";
    write_kappa(stem + "kappa.fits");
    double square = 0, seen = 0;
    for (const double k : kappa_) {
      if (std::isnan(k)) continue;
      square += k * k;
      ++seen;
    }
    const double spread = 2.5 * std::sqrt(square / std::max(seen, 1.0));
    const auto png = encode_png(draw_mollweide(kappa_, nside_, -spread, spread, 1600));
    write_file_atomically(stem + "kappa.png", {reinterpret_cast<const char*>(png.data()), png.size()});
    write_file_atomically(stem + "spectra.csv", csv(all));
    write_json(stem + "spectra.json", all);
    nlohmann::json shown = all;
    shown["title"] = parameters_.run.title;
    shown["picture"] = base64({reinterpret_cast<const char*>(png.data()), png.size()});
    write_file_atomically(options_.directory + "/sky.html", page(PageKind::sky, shown));
  }

  void write_kappa(const std::string& path) const {
    PartialFile partial(path);
    const auto last = static_cast<std::int64_t>(pixels()) - 1;
    std::vector<double> values = kappa_;
    std::ranges::replace_if(
        values, [](double k) { return std::isnan(k); }, unseen_sky);
    write_fits_column(partial.partial_path(), "KAPPA", "KAPPA",
                      {{"PIXTYPE", "HEALPIX", "HEALPix pixelisation"},
                       {"ORDERING", "NESTED", "numbers of the pixels"},
                       {"NSIDE", std::int64_t{nside_}, "resolution"},
                       {"FIRSTPIX", std::int64_t{0}, "first pixel"},
                       {"LASTPIX", last, "last pixel"},
                       {"INDXSCHM", "IMPLICIT", "all pixels"},
                       {"BAD_DATA", unseen_sky, "value of pixels that are not seen"},
                       {"ZSOURCE", source_z_, "redshift of the sources"}},
                      values);
    partial.commit();
  }

  static std::string csv(const nlohmann::json& all) {
    std::string text = "map,l,first,last,measured,limber,linear,flat_sky\n";
    const auto add = [&](const std::string& name, const nlohmann::json& bands) {
      for (const nlohmann::json& b : bands) {
        text += fmt::format("{},{:.6g},{},{},{:.8g},{:.8g},{:.8g},{:.8g}\n", name, b.at("l").get<double>(),
                            b.at("first").get<int>(), b.at("last").get<int>(), b.at("measured").get<double>(),
                            b.at("limber").get<double>(), b.at("linear").get<double>(),
                            b.value("flat_sky", b.at("limber").get<double>()));
      }
    };
    for (const nlohmann::json& shell : all.at("shells")) {
      add(fmt::format("shell_{:03d}", shell.at("shell").get<int>()), shell.at("bands"));
    }
    add("kappa", all.at("kappa").at("bands"));
    return text;
  }

  const SkyAnalysisOptions& options_;
  const std::vector<std::string>& files_;
  Parameters parameters_;
  Expansion expansion_;
  RunPower power_;
  std::uint32_t nside_ = 0, lmax_ = 0;
  double source_z_ = 0, source_ = 0, seen_ = 1, shot_ = 0;
  std::vector<Band> bands_;
  std::vector<double> kappa_;  ///< NaN where not seen
};

}  // namespace

nlohmann::json analyse_sky(const SkyAnalysisOptions& options) {
  const std::vector<std::string> files = shell_files(options.directory);
  return Sky(options, files)();
}

}  // namespace multiwalk
