// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/step_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <fstream>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

/// The columns that repeat bit for bit from run to run. Measured seconds and speeds follow, with six digits.
constexpr std::string_view reproducible =
    "step,time,a,z,energy_error,substeps,evaluations,pp_pairs,pc_pairs,expansions,"
    "walks";
constexpr std::size_t first_diagnostics = 11;  // the column after those

std::string step_heading(bool diagnostics) {
  std::string text(reproducible);
  // The first diagnostic is the time, which the step already has.
  for (std::size_t i = 1; diagnostics && i < diagnostics_names().size(); ++i) text += "," + diagnostics_names()[i];
  text += ",seconds";
  for (const std::string_view phase : phase_names) text += fmt::format(",seconds_{}", phase);
  return text + ",particles_per_second,imbalance,joules";
}

std::string step_row(const StepRecord& s) {
  const std::uint64_t substeps = s.block.substeps;
  std::string text =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{}", s.step, s.time, s.a, s.z, s.energy_error, substeps,
                  s.block.evaluations, s.raw.particle_pairs, s.raw.cell_pairs, s.raw.expansions, s.raw.walks);
  if (s.diagnostics) {
    const std::vector<double> numbers = numbers_of(*s.diagnostics);
    text += fmt::format(",{}", fmt::join(numbers.begin() + 1, numbers.end(), ","));
  }
  text += fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},", total(s.seconds), fmt::join(s.seconds, ","),
                      s.particles_per_second, s.imbalance);
  return s.joules ? text + fmt::format("{}", *s.joules) : text;
}

std::string rung_heading(int rungs) {
  std::string text = "step,time,a,z,substeps,evaluations";
  for (int k = 0; k < rungs; ++k) text += fmt::format(",rung_{}", k);
  return text;
}

std::string rung_row(const StepRecord& s, int rungs) {
  std::vector<std::uint64_t> particles = s.block.rungs;
  particles.resize(static_cast<std::size_t>(rungs));
  return fmt::format("{},{},{},{},{},{},{}", s.step, s.time, s.a, s.z, s.block.substeps, s.block.evaluations,
                     fmt::join(particles, ","));
}

/// What a checkpoint counted of a table; nothing if it had none.
TableRows table_rows(const nlohmann::json& state, const std::string& name) {
  if (state.is_null()) return {};
  return values_from("the state of " + name + " in the checkpoint", [&]() -> TableRows {
    const nlohmann::json table = state.at("tables").value(name, nlohmann::json());
    if (table.is_null()) return {};
    return {whole_number(table.at("rows")), static_cast<std::uint32_t>(whole_number(table.at("checksum")))};
  });
}

/// Reads the first numbers of the next row; false if it has fewer, or anything else.
bool read_numbers(std::istream& table, std::span<double> numbers) {
  std::string line;
  std::getline(table, line);
  const char *at = line.data(), *const end = at + line.size();
  for (double& number : numbers) {
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || rest == end || *rest != ',') return false;
    at = rest + 1;
  }
  return true;
}

/// Writes the rows of a table as HDF5, after its heading was read.
void copy_diagnostics(std::istream& table, const GrowingTable& steps, const std::string& path) {
  constexpr std::size_t time = 1;
  std::vector<double> numbers(first_diagnostics - 1 + diagnostics_names().size());
  std::uint64_t number = 0;
  write_diagnostics(path, steps.rows(), [&](std::span<Diagnostics> rows) {
    for (Diagnostics& row : rows) {
      ++number;
      if (!read_numbers(table, numbers)) {
        throw InputError(fmt::format("{}: row {} is not as the run wrote it", steps.path(), number));
      }
      numbers[first_diagnostics - 1] = numbers[time];
      row = diagnostics_of(std::span(numbers).subspan(first_diagnostics - 1));
    }
  });
}

}  // namespace

StepTables::StepTables(const Communicator& comm, const std::string& directory, const Columns& columns,
                       const nlohmann::json& state)
    : comm_(comm), columns_(columns) {
  collectively(comm_, [&] {
    if (!comm_.root()) return;
    const auto open = [&](std::optional<GrowingTable>& table, const std::string& name, const std::string& heading) {
      table.emplace(directory + "/" + name, heading, table_rows(state, name));
    };
    open(steps_, "steps.csv", step_heading(columns.diagnostics));
    if (columns.rungs > 0) open(rungs_, "rungs.csv", rung_heading(columns.rungs));
  });
}

void StepTables::add(const StepRecord& step) {
  collectively(comm_, [&] {
    if (steps_) steps_->add(step_row(step));
    if (rungs_ && step.block.substeps > 0) rungs_->add(rung_row(step, columns_.rungs));
  });
}

void StepTables::sync() {
  collectively(comm_, [&] {
    if (steps_) steps_->sync();
    if (rungs_) rungs_->sync();
  });
}

void StepTables::write_diagnostics(const std::string& path) {
  collectively(comm_, [&] {
    if (!steps_) return;
    steps_->flush();
    std::ifstream table(steps_->path());
    std::string heading;
    std::getline(table, heading);
    copy_diagnostics(table, *steps_, path);
  });
}

nlohmann::json StepTables::counted() const {
  nlohmann::json rows = nlohmann::json::object();
  const auto put = [&](const std::optional<GrowingTable>& table, const char* name) {
    if (table) rows[name] = {{"rows", table->stored().rows}, {"checksum", table->stored().checksum}};
  };
  put(steps_, "steps.csv");
  put(rungs_, "rungs.csv");
  return rows;
}

std::string StepTables::warning() const {
  for (const std::optional<GrowingTable>* table : {&steps_, &rungs_}) {
    if (*table && (*table)->missing() > 0) {
      return fmt::format("{} lacks {} of the rows that the run had written before its checkpoint", (*table)->path(),
                         (*table)->missing());
    }
  }
  return "";
}

}  // namespace multiwalk
