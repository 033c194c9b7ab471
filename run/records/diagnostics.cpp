// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/diagnostics.hpp"

#include <algorithm>
#include <bit>

#include "analysis/conservation/conservation.hpp"
#include "analysis/conservation/core_density.hpp"
#include "run/files/hdf5_file.hpp"
#include "run/files/partial_file.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t diagnostics_numbers = sizeof(Diagnostics) / sizeof(double);
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

void write_diagnostics(const std::string& path, std::span<const Diagnostics> rows) {
  PartialFile partial(path);
  hdf5::File file = hdf5::File::create(partial.partial_path());
  file.write("lagrangian_fractions", std::span<const double>(lagrangian_fractions));
  file.write_text("units", "G = 1, those of the model");
  for_each_column([&](const DiagnosticsColumn& column, std::size_t place) {
    const auto make = [&rows, &column, place](std::uint64_t first, std::uint64_t count, double* out) {
      for (std::uint64_t i = first; i < first + count; ++i)
        out = std::copy_n(std::bit_cast<DiagnosticsRow>(rows[i]).begin() + static_cast<std::ptrdiff_t>(place),
                          column.width, out);
    };
    const auto source = hdf5::RowSource::of<double>(column.name, column.width, make);
    const hdf5::Object dataset = file.create_dataset(source, rows.size(), hdf5::Storage::checked);
    dataset.write_rows(source, 0, rows.size(), 0);
    dataset.finish_rows();
  });
  file.close();
  partial.commit();
}

json to_json(const std::vector<Diagnostics>& rows) {
  json list = json::array();
  for (const Diagnostics& row : rows) list.push_back(std::bit_cast<DiagnosticsRow>(row));
  return list;
}

std::vector<Diagnostics> diagnostics_from_json(const json& list) {
  std::vector<Diagnostics> rows;
  for (const json& row : list) rows.push_back(std::bit_cast<Diagnostics>(row.get<DiagnosticsRow>()));
  return rows;
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
