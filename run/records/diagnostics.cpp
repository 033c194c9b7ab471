// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "analysis/conservation/conservation.hpp"
#include "analysis/conservation/core_density.hpp"
#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t diagnostics_numbers = sizeof(Diagnostics) / sizeof(double);
constexpr std::uint64_t rows_of_a_piece = 65536;  // whole chunks of the file
using DiagnosticsRow = std::array<double, diagnostics_numbers>;

struct DiagnosticsColumn {
  const char* name;
  std::size_t width;
};

/// The members in their order.
constexpr DiagnosticsColumn diagnostics_columns[] = {{"time", 1},
                                                     {"kinetic_energy", 1},
                                                     {"potential_energy", 1},
                                                     {"momentum", 3},
                                                     {"angular_momentum", 3},
                                                     {"density_centre", 3},
                                                     {"core_density", 1},
                                                     {"density_radius", 1},
                                                     {"core_radius", 1},
                                                     {"lagrangian_radii", lagrangian_fractions.size()}};

/// Calls act(column, its first number's place in a row).
template <class Act>
void for_each_column(Act act) {
  std::size_t first = 0;
  for (const DiagnosticsColumn& column : diagnostics_columns) {
    act(column, first);
    first += column.width;
  }
}

/// One column in the file.
class DiagnosticsDataset {
 public:
  DiagnosticsDataset(const hdf5::File& file, const DiagnosticsColumn& column, std::size_t first, std::uint64_t rows)
      : first_(first),
        width_(column.width),
        source_(hdf5::RowSource::of<double>(column.name, column.width, nullptr)),
        dataset_(file.create_dataset(source_, rows, hdf5::Storage::checked)) {}

  /// Writes the rows from `at` on.
  void write(std::span<const Diagnostics> rows, std::uint64_t at) {
    values_.clear();
    for (const Diagnostics& row : rows) {
      const auto numbers = std::bit_cast<DiagnosticsRow>(row);
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first_);
      values_.insert(values_.end(), begin, begin + static_cast<std::ptrdiff_t>(width_));
    }
    dataset_.write_made_rows(source_, values_.data(), rows.size(), at);
  }
  void finish() const { dataset_.finish_rows(); }

 private:
  std::size_t first_, width_;
  hdf5::RowSource source_;
  hdf5::Object dataset_;
  std::vector<double> values_;
};

}  // namespace

Diagnostics measure_diagnostics(const Bodies& bodies, double time, const Communicator& comm) {
  const EnergySums energy = energy_sums(bodies, comm);
  const MomentumSums momentum = momentum_sums(bodies, comm);
  const ClusterCore core = cluster_core(bodies, comm);
  Diagnostics row{time,        energy.kinetic, energy.potential,    momentum.linear,  momentum.angular,
                  core.centre, core.density,   core.density_radius, core.core_radius, {}};
  std::ranges::copy(lagrangian_radii(bodies, core.centre, lagrangian_fractions, comm), row.lagrangian_radius.begin());
  return row;
}

const std::vector<std::string>& diagnostics_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for_each_column([&names](const DiagnosticsColumn& column, std::size_t) {
      constexpr const char* axes[] = {"x", "y", "z"};
      for (std::size_t i = 0; i < column.width; ++i) {
        names.push_back(column.width == 1   ? column.name
                        : column.width == 3 ? fmt::format("{}_{}", column.name, axes[i])
                                            : fmt::format("lagrangian_radius_{}", lagrangian_fractions[i]));
      }
    });
    return names;
  }();
  return all;
}

std::vector<double> numbers_of(const Diagnostics& diagnostics) {
  const auto row = std::bit_cast<DiagnosticsRow>(diagnostics);
  return {row.begin(), row.end()};
}

Diagnostics diagnostics_of(std::span<const double> numbers) {
  require(numbers.size() == diagnostics_numbers, "diagnostics of another length");
  DiagnosticsRow row;
  std::ranges::copy(numbers, row.begin());
  return std::bit_cast<Diagnostics>(row);
}

void write_diagnostics(const std::string& path, std::uint64_t rows,
                       const std::function<void(std::span<Diagnostics>)>& next) {
  hdf5::write_file(path, [&](hdf5::File& file) {
    file.write("lagrangian_fractions", std::span<const double>(lagrangian_fractions));
    file.write_text("units", "G = 1, those of the model");
    std::vector<DiagnosticsDataset> datasets;
    for_each_column(
        [&](const DiagnosticsColumn& column, std::size_t first) { datasets.emplace_back(file, column, first, rows); });
    std::vector<Diagnostics> piece;
    for (std::uint64_t done = 0; done < rows; done += piece.size()) {
      piece.resize(std::min<std::uint64_t>(rows - done, rows_of_a_piece));
      next(piece);
      for (DiagnosticsDataset& dataset : datasets) dataset.write(piece, done);
    }
    for (const DiagnosticsDataset& dataset : datasets) dataset.finish();
  });
}

json to_json(const Diagnostics& diagnostics) {
  return std::bit_cast<DiagnosticsRow>(diagnostics);
}

Diagnostics diagnostics_from_json(const json& numbers) {
  return std::bit_cast<Diagnostics>(numbers.get<DiagnosticsRow>());
}

json diagnostics_json(const std::vector<Diagnostics>& rows) {
  json result{{"lagrangian_fractions", lagrangian_fractions}};
  for_each_column([&](const DiagnosticsColumn& column, std::size_t place) {
    json& list = result[column.name] = json::array();
    for (const Diagnostics& row : rows) {
      const DiagnosticsRow values = std::bit_cast<DiagnosticsRow>(row);
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(place);
      if (column.width == 1) {
        list.push_back(*first);
      } else {
        list.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(column.width)));
      }
    }
  });
  return result;
}

}  // namespace multiwalk
