// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one self-contained page; nothing in it is fetched from anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"
#include "run/outputs/halo_mass_functions.hpp"
#include "run/pages/direct_charts.hpp"
#include "run/pages/page_style.hpp"
#include "run/pages/power_charts.hpp"
#include "run/pages/report_charts.hpp"
#include "run/report/report.hpp"
#include "run/report/run_figures.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

std::string html_of(const json& value) {
  return escape_html(plain_text(value));
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) word = word << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= count ? digits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string tile(const std::string& name, const std::string& value, const std::string& note) {
  return fmt::format("<div class=\"tile\"><span>{}</span><b>{}</b><em>{}</em></div>\n", name, value, note);
}

std::string plural(const json& count, const std::string& noun) {
  return html_of(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string speed_text(double tflops) {
  if (!std::isfinite(tflops)) return "not counted";
  const std::string number = with_prefix(1e12 * tflops);
  const std::size_t gap = number.find(' ');
  return fmt::format("{} <small>{}flops</small>", number.substr(0, gap), number.substr(gap + 1));
}

std::string price_tile(const json& report, const json& totals) {
  const double price = number_or_nan(totals.at("price_per_gflops_effective"));
  const std::string currency = html_of(report.at("parameters").at("cost").at("currency"));
  if (!std::isfinite(price)) {
    const bool priced = !totals.at("price").is_null();
    return tile("Cost per effective Gflops", "&ndash;",
                priced ? "no effective count in this run" : "no price given: see [cost] in the parameter file");
  }
  return tile("Cost per effective Gflops", fmt::format("{} <small>{}</small>", scientific(price), currency),
              fmt::format("hardware of {} {}", with_commas(number_or_nan(totals.at("price"))), currency));
}

/// "; measuring took 1.2% of it"; empty where nothing was measured or reports did not tell yet.
std::string measuring_note(const json& totals) {
  const json measuring = totals.value("measuring", json());
  const double share = measuring.is_object() ? number_or_nan(measuring.value("share", json())) : std::nan("");
  return std::isfinite(share) ? fmt::format("; measuring took {:.2g}% of it", 100 * share) : "";
}

/// Which error of this run the monopole walks have too: "99%" or, for small samples, "median".
std::string level_name(const json& report) {
  const auto of_median = [](const json& c) {
    return c.contains("equal_error_of") && c.at("equal_error_of") == "median";
  };
  return std::ranges::any_of(report.at("census"), of_median) ? "median" : "99%";
}

/// " (LOW to HIGH)" of a 95 % interval; empty where it is not known.
std::string interval_note(const json& row, const char* key) {
  const double low = end_of_interval(row, key, 0), high = end_of_interval(row, key, 1);
  if (!std::isfinite(low) || !std::isfinite(high)) return "";
  return fmt::format(" ({} to {}, 95% interval)", scientific(low), scientific(high));
}

/// The worst output, so that nothing hides behind a good one.
std::string error_tile(const json& report) {
  const json &all = report.at("force_error"), *worst = nullptr, *tail = nullptr;
  // Few particles say nothing of 99 %: their largest error then.
  const bool known = std::ranges::all_of(all, [](const json& e) { return e.at("p99").is_number(); });
  const char* tail_key = known ? "p99" : "max";
  for (const json& e : all) {
    const auto worse = [&](const json* than, const char* key) {
      return than == nullptr || number_or_nan(e.at(key)) > number_or_nan(than->at(key));
    };
    if (worse(worst, "median")) worst = &e;
    if (worse(tail, tail_key)) tail = &e;
  }
  if (worst == nullptr) return tile("Force error, median", "&ndash;", "not measured in this run");
  const std::string at = tail == worst ? "" : " at " + epoch_text(report, *tail);
  const std::string who =
      known ? "99% of particles" : fmt::format("all {:.0f} sampled particles", number_or_nan(tail->at("sample")));
  std::string note = fmt::format("{} below {}{}{}; ", who, scientific(number_or_nan(tail->at(tail_key))),
                                 known ? interval_note(*tail, "p99_interval") : "", at);
  const std::string of_median = known ? "" : interval_note(*worst, "median_interval");
  if (!of_median.empty()) note += "median" + of_median + "; ";
  note += "worst output, " + epoch_text(report, *worst);
  if (report.at("comoving").get<bool>()) {
    note += "; relative to the peculiar force " + scientific(number_or_nan(worst->at("peculiar").at("median")));
  }
  return tile("Force error, median", scientific(number_or_nan(worst->at("median"))), note);
}

std::string energy_tile(const json& report) {
  const bool comoving = report.at("comoving").get<bool>();
  const json& energy = report.at("energy");
  const double largest = number_or_nan(energy.at(comoving ? "layzer_irvine_relative" : "relative"));
  return tile(comoving ? "Layzer-Irvine violation" : "Energy error", scientific(largest),
              fmt::format("largest of the run; {} at its end", scientific(number_or_nan(energy.at("final")))));
}

/// With block steps: what the rungs saved against steps of all particles as short as the shortest.
std::string steps_tile(const json& totals, double particles) {
  const std::string steps = with_commas(number_or_nan(totals.at("steps")));
  const double substeps = number_or_nan(totals.value("substeps", json()));
  const double evaluations = number_or_nan(totals.value("evaluations", json()));
  if (!(evaluations < substeps * particles)) return tile("Steps", steps, "all particles move together");
  return tile(
      "Blocks of steps", steps,
      fmt::format("{} substeps; {:.3g} forces on each particle, mean: {:.2g} times less than steps of all together",
                  with_commas(substeps), evaluations / particles, substeps * particles / evaluations));
}

/// Of a direct run.
std::string direct_tiles(const json& report) {
  const json& totals = report.at("totals");
  const double bodies = number_or_nan(report.at("particles")), pairs = number_or_nan(totals.at("raw_pairs"));
  std::string out = "<div class=\"tiles\">\n";
  out += tile("Bodies", with_commas(bodies),
              plural(report.at("ranks"), "rank") + ", " + plural(report.at("threads"), "thread") + ", " +
                  plural(report.at("devices"), "GPU"));
  out += tile("Steps", with_commas(number_or_nan(totals.at("substeps"))),
              fmt::format("{} steps of single bodies", scientific(number_or_nan(totals.at("evaluations")))));
  out += tile("Wall time", duration(number_or_nan(totals.at("wall_seconds"))),
              "start to end, files and restarts included");
  out += tile(
      "Speed", speed_text(number_or_nan(totals.at("tflops_raw"))),
      fmt::format("{} pairs at {:.0f} operations", scientific(pairs), number_or_nan(report.at("operations_per_pair"))));
  out += energy_tile(report);
  const double joules = number_or_nan(totals.at("device_joules"));
  if (std::isfinite(joules)) {
    out += tile("Energy per pair", scientific(joules / pairs) + " <small>J</small>",
                fmt::format("{}J in all, GPUs only", with_prefix(joules)));
  }
  return out + "</div>\n";
}

std::string tiles(const json& report) {
  const json& totals = report.at("totals");
  const double particles = number_or_nan(report.at("particles"));
  const double raw = number_or_nan(totals.at("raw_pairs")), effective = number_or_nan(totals.at("effective_pairs"));
  std::string out = "<div class=\"tiles\">\n";
  out += tile("Particles", with_commas(particles),
              plural(report.at("ranks"), "rank") + ", " + plural(report.at("threads"), "thread") + ", " +
                  plural(report.at("devices"), "GPU"));
  out += steps_tile(totals, particles);
  out += tile("Wall time", duration(number_or_nan(totals.at("wall_seconds"))),
              "start to end, files and restarts included" + measuring_note(totals));
  out += tile("Particles per second", with_commas(number_or_nan(totals.at("particles_per_second"))),
              "advanced by one step, mean of all steps with their outputs");
  out += tile("Raw speed", speed_text(number_or_nan(totals.at("tflops_raw"))),
              scientific(raw) + " interactions: targets times lists");
  out += tile("Effective speed", speed_text(number_or_nan(totals.at("tflops_effective"))),
              std::isfinite(effective)
                  ? fmt::format("{} &plusmn; {} interactions; raw / effective {:.2f}", scientific(effective),
                                scientific(number_or_nan(totals.at("effective_error"))), raw / effective)
                  : "no census in this run");
  const double equal_error = totals.contains("equal_error_monopole_pairs")
                                 ? number_or_nan(totals.at("equal_error_monopole_pairs"))
                                 : std::nan("");
  if (std::isfinite(equal_error)) {
    out += tile("At equal accuracy", fmt::format("{:.2f} &times;", equal_error / raw),
                fmt::format("{} interactions of the original monopole walk would give the same {} error; {:.2f} of "
                            "them for each raw one here",
                            scientific(equal_error), level_name(report), equal_error / raw));
  }
  out += price_tile(report, totals) + error_tile(report) + energy_tile(report);
  const double joules = number_or_nan(totals.at("joules_per_effective_pair"));
  if (std::isfinite(joules)) {
    out +=
        tile("Energy per interaction", scientific(joules) + " <small>J</small>",
             fmt::format("effective; {}J in all, GPUs only", with_prefix(number_or_nan(totals.at("device_joules")))));
  }
  const json memory = report.value("memory", json());
  if (memory.is_object() && memory.at("host").get<double>() > 0) {
    out += tile(
        "Memory at peak", with_prefix(number_or_nan(memory.at("host"))) + "B",
        fmt::format("of the host; {:.0f} bytes per particle, and {:.0f} on the GPUs",
                    number_or_nan(memory.at("host_per_particle")), number_or_nan(memory.at("device_per_particle"))));
  }
  const json conditions = report.value("initial_conditions", json());
  if (conditions.is_object()) {
    out += tile("Initial conditions", duration(number_or_nan(conditions.at("seconds").at("total"))),
                "to make; not among the seconds of the steps");
  }
  const json checkpoint = report.value("checkpoint", json());
  if (checkpoint.is_object()) {
    out += tile("Checkpoint", with_prefix(number_or_nan(checkpoint.at("bytes"))) + "B",
                "written in " + duration(number_or_nan(checkpoint.at("seconds"))));
  }
  return out + "</div>\n";
}

std::string header(const json& report) {
  const json& steps = report.at("steps");
  std::string story = with_commas(number_or_nan(report.at("particles"))) + " particles";
  if (!steps.empty()) {
    story += fmt::format(", from {} to {}", epoch_text(report, steps.front()), epoch_text(report, steps.back()));
  }
  return fmt::format(
      "<header><div><div class=\"brand\">Multiwalk &middot; run report</div><h1>{}</h1><p>{}. Forces by {} on "
      "<strong>{}</strong>.</p><p>{}</p><p>Started {} &middot; version {}</p></div></header>\n",
      html_of(report.at("title")), story,
      report.contains("diagnostics") ? "direct summation" : "the multiple-walk tree", html_of(report.at("backend")),
      html_of(report.at("machine")), html_of(report.at("started")), html_of(report.at("version")));
}

/// A PNG file in the run directory itself: a report says what to embed, and anybody may have written it.
bool is_picture_beside(const std::string& name, const std::string& path) {
  constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
  if (name.find('/') != std::string::npos || name == "..") return false;
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::regular) return false;
  std::string head(signature.size(), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == signature;
}

/// A picture of the run directory with what it shows (plain text).
std::string figure(const std::string& name, const std::string& what, const std::string& directory) {
  if (name.empty()) return "";
  const std::string path = directory + "/" + name;
  std::string picture = "<p class=\"nothing\">The image file is missing.</p>";
  if (is_picture_beside(name, path)) {
    picture = fmt::format("<img alt=\"Projected density at {}\" src=\"data:image/png;base64,{}\">", what,
                          base64(read_whole_file(path)));
  }
  return fmt::format("<figure>{}<figcaption>{} &middot; {}</figcaption></figure>\n", picture, what, escape_html(name));
}

std::string images(const json& report, const std::string& directory) {
  std::string pictures;
  for (const json& output : report.at("outputs")) {
    const std::string when = epoch_text(report, output);
    pictures += figure(output.at("image"), when, directory);
    const json halos = output.value("halos", json());
    if (!halos.is_object() || !halos.contains("images")) continue;
    std::size_t place = 0;
    for (const json& name : halos.at("images"))
      pictures += figure(name, fmt::format("{}, halo {}", when, place++), directory);
  }
  if (pictures.empty()) return "";
  return "<h2>What formed</h2><p class=\"lead\">The matter in a slab through the middle (a third of the radius thick "
         "for a sphere, a quarter of a periodic box; all of an isolated system) and "
         "in cubes of 5 r200 about the most massive halos, brighter where there is more "
         "of it along the line of sight. The colour scale is "
         "logarithmic and chosen for each picture; where particles are few they are smeared over their mean distance. "
         "Lengths are comoving.</p><div class=\"images\">" +
         pictures + "</div>\n";
}

std::string phase_table(const json& report) {
  const PhaseSeconds seconds = phase_seconds(report.at("totals").at("seconds"));
  const double whole = total(seconds);
  std::string rows;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const double spent = seconds[phase];
    if (!(spent > 0)) continue;
    rows += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f}%</td><td style=\"width:50%\"><div class=\"bar "
        "b{}\" "
        "style=\"width:{:.2f}%\"></div></td></tr>\n",
        phase_names[phase], duration(spent), 100 * spent / whole, phase, 100 * spent / whole);
  }
  return "<section class=\"panel\"><h3>Where the time went</h3><table><tr><th>phase</th><th class=\"n\">time in "
         "steps</th><th "
         "class=\"n\">share</th><th></th></tr>" +
         rows + "</table></section>\n";
}

/// How even the ranks were; nothing for a run on one.
std::string rank_table(const json& report) {
  const json& totals = report.at("totals");
  if (!totals.contains("over_ranks")) return "";
  const json& ranks = totals.at("over_ranks");
  const auto row = [](const std::string& name, const json& spread) {
    const double mean = number_or_nan(spread.at("mean")), most = number_or_nan(spread.at("max"));
    if (!(most > 0)) return std::string();
    return fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{:.2f}</td></tr>\n",
        name, duration(number_or_nan(spread.at("min"))), duration(mean), duration(most), most / mean);
  };
  std::string rows;
  for (const std::string_view phase : phase_names) {
    const std::string name(phase);
    rows += row(name, ranks.at("seconds").at(name));
  }
  rows += row("busy", ranks.at("busy")) + row("waiting", ranks.at("waiting"));
  double steps = 0;
  for (const json& step : report.at("steps")) steps += steps_covered(step);
  const auto mean_of = [&](const char* what) {
    return with_prefix(number_or_nan(ranks.at("essential_trees").at(what).at("mean")) / std::max(steps, 1.0));
  };
  return "<section class=\"panel\"><h3>How even the ranks were</h3><table><tr><th>phase</th><th "
         "class=\"n\">least</th><th class=\"n\">mean</th><th class=\"n\">most</th><th class=\"n\">most / "
         "mean</th></tr>" +
         rows +
         fmt::format(
             "</table><p class=\"how\">Seconds of the rank with the least and the most in each step, summed over "
             "steps. "
             "A rank received essential trees of {}particles, {}cells and {}bytes a step, and {:.0f}% of the time they "
             "were under way was filled with other work. Interactions were uneven by {:.1f}%, particles by "
             "{:.1f}%.</p></section>\n",
             mean_of("particles"), mean_of("nodes"), mean_of("bytes"),
             100 * number_or_nan(ranks.at("hidden_communication")),
             100 * (number_or_nan(ranks.at("imbalance").at("work")) - 1),
             100 * (number_or_nan(ranks.at("imbalance").at("particles")) - 1));
}

std::string census_table(const json& report) {
  std::string rows;
  for (const json& c : report.at("census")) {
    const double pairs = number_or_nan(c.at("equal_error_pairs"));
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{} &plusmn; {}</td><td "
        "class=\"n\">{:.2f}</td><td class=\"n\">{}</td></tr>\n",
        html_of(c.at("step")), report.at("comoving").get<bool>() ? epoch_text(report, c) : "",
        scientific(number_or_nan(c.at("raw_pairs"))), scientific(number_or_nan(c.at("effective_pairs"))),
        scientific(number_or_nan(c.at("effective_error"))), number_or_nan(c.at("ratio")),
        std::isfinite(pairs)
            ? fmt::format("{} (&theta; = {:.3g})", scientific(pairs), number_or_nan(c.at("equal_error_theta")))
            : "&ndash;");
  }
  if (rows.empty()) return "";
  return "<section class=\"panel\"><h3>Interaction census</h3><table><tr><th>step</th><th>epoch</th><th "
         "class=\"n\">raw</th><th class=\"n\">effective</th><th "
         "class=\"n\">ratio</th><th class=\"n\">monopoles of equal " +
         level_name(report) + " error</th></tr>" + rows + "</table></section>\n";
}

/// The mass functions of the last output whose halos were sought.
std::string halo_section(const json& report) {
  std::string section;
  for (const json& output : report.at("outputs")) {
    const json halos = output.value("halos", json());
    if (!halos.is_object()) continue;
    section =
        fmt::format("<h2>Halos</h2><p class=\"lead\">At {} {} groups of friends hold {} particles.</p>\n{}",
                    epoch_text(report, output), with_commas(number_or_nan(halos.at("halos"))),
                    with_commas(number_or_nan(halos.at("members"))), mass_function_panels(halos.at("mass_functions")));
  }
  return section;
}

std::string output_table(const json& report) {
  std::string rows;
  for (const json& o : report.at("outputs")) {
    std::string files;
    for (const json& file : o.at("snapshots")) files += html_of(file) + "<br>";
    const json halos = o.value("halos", json());
    const json power = o.value("power", json());
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", epoch_text(report, o),
                        files, html_of(o.at("image")), halos.is_object() ? html_of(halos.at("file")) : "",
                        power.is_object() ? html_of(power.at("file")) : "");
  }
  if (rows.empty()) return "";
  return "<h2>What it wrote</h2><section "
         "class=\"panel\"><table><tr><th>epoch</th><th>snapshot</th><th>image</th><th>halos</th><th>power</th></tr>" +
         rows + "</table></section>\n";
}

std::string parameter_value(const json& value) {
  if (value.is_null() || (value.is_string() && value.get<std::string>().empty())) return "&ndash;";
  return html_of(value);
}

std::string parameter_tables(const json& report) {
  std::string out =
      "<h2>Parameters</h2><p class=\"lead\">Everything that was set, defaults included, in a periodic box with what "
      "its "
      "accuracy chose; <code>multiwalk params</code> "
      "explains each key.</p>"
      "<section class=\"panel columns\">";
  for (const auto& [section, keys] : report.at("parameters").items()) {
    out += "<section><h3>[" + escape_html(section) + "]</h3><table>";
    for (const auto& [key, value] : keys.items()) {
      out += fmt::format("<tr><td>{}</td><td>{}</td></tr>", escape_html(key), parameter_value(value));
    }
    out += "</table></section>\n";
  }
  return out + "</section>\n";
}

constexpr const char* glossary = R"(<h2>Words</h2><section class="panel"><dl>
<dt>Interaction</dt><dd>The pull of one particle or one distant cell of particles on one particle. It counts as 38 floating-point operations by convention (Warren et al. 1997, Proc. SC97), whatever the processor really does.</dd>
<dt>Raw and effective</dt><dd>Raw: the targets of each walk times the length of its list; in a periodic box the kernels pass over sources out of reach, so fewer are evaluated. Effective: those that the tree code of Barnes &amp; Hut (1986, Nature 324, 446) needs at the same opening angle, with a list of its own for each particle. Barnes (1990, J. Comput. Phys. 87, 161) shares a list among a group of neighbours, which makes the lists longer and the machine faster.</dd>
<dt>Multiple walk</dt><dd>Many groups are evaluated in one launch, each by one thread block: Hamada et al. (2009, Proc. SC09), who reached 20 Tflops raw, 8.5 Tflops effective, for 19.8 dollars per Gflops.</dd>
<dt>Force error</dt><dd>|a &minus; a<sub>direct</sub>| / |a<sub>direct</sub>|, with a<sub>direct</sub> summed over all particles in double precision, in a periodic box with all their images (Ewald).</dd>
<dt>Redshift z</dt><dd>The universe has grown by the factor 1 + z since then; z = 0 is today, a = 1 / (1 + z).</dd>
</dl></section>
)";

std::string end_of_page(const json& report) {
  return fmt::format(
      "<footer>Multiwalk {} &middot; {}. The same numbers, for programs: "
      "report.json.</footer>\n</main></body></html>\n",
      html_of(report.at("version")), html_of(report.at("machine")));
}

/// What long runs show of their steps.
std::string resolution(const json& report) {
  double most = 1;
  for (const json& row : report.at("steps")) most = std::max(most, steps_covered(row));
  if (most == 1) return "";
  return fmt::format(
      " Each point of a curve is the mean of up to {} rows of <i>steps.csv</i>, of the energy error their largest.",
      with_commas(most));
}

/// The body of a direct run's page.
std::string direct_page(const json& report, const std::string& directory) {
  return header(report) + "<main>\n" + direct_tiles(report) + images(report, directory) +
         "<h2>The system</h2><p class=\"lead\">Measured of all bodies as the run went; <i>diagnostics.hdf5</i> has the "
         "numbers.</p>\n" +
         chart_panels(system_charts(report)) +
         "<h2>How right it is</h2><p class=\"lead\">Measured during the run, not assumed.</p>\n" +
         chart_panels(conservation_charts(report)) +
         "<h2>What it cost</h2><p class=\"lead\">Time, speed and the work done." + resolution(report) + "</p>\n" +
         chart_panels(direct_cost_charts(report)) + phase_table(report) + rank_table(report) + output_table(report) +
         parameter_tables(report) + end_of_page(report);
}

}  // namespace

std::string report_html(const json& report, const std::string& directory) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>" +
      html_of(report.at("title")) + " &ndash; Multiwalk</title>\n<style>" + report_style() + "</style></head><body>\n";
  if (report.contains("diagnostics")) return page + direct_page(report, directory);
  page += header(report) + "<main>\n" + tiles(report) + images(report, directory) + power_section(report) +
          halo_section(report);
  page += "<h2>What it cost</h2><p class=\"lead\">Time, speed and the work done." + resolution(report) + "</p>\n" +
          comparison_section(report) + chart_panels(cost_charts(report));
  page += phase_table(report) + rank_table(report) + census_table(report);
  page += "<h2>How right it is</h2><p class=\"lead\">Measured during the run, not assumed.</p>\n" +
          chart_panels(accuracy_charts(report));
  page += output_table(report) + parameter_tables(report) + glossary;
  return page + end_of_page(report);
}

}  // namespace multiwalk
