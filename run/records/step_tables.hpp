// SPDX-License-Identifier: GPL-3.0-or-later
// steps.csv, with a row for every step of a run, and rungs.csv, with the number of particles on each rung at the
// beginning of each block of steps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "run/files/growing_table.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Rank 0 writes them. All members except `counted` and `warning` are collective, and throw SharedError if a file
/// cannot be written.
class StepTables {
 public:
  /// Columns beyond those that every step has.
  struct Columns {
    bool diagnostics = false;
    int rungs = 0;  ///< 0: no rungs.csv
  };

  /// Continues after the rows that the checkpoint's `state` counts under "tables"; null: begins new tables.
  StepTables(const Communicator& comm, const std::string& directory, const Columns& columns,
             const nlohmann::json& state);

  /// Adds a step, which cannot be changed afterwards.
  void add(const StepRecord& step);
  /// Forces all rows to disk.
  void sync();
  /// Writes all diagnostics of steps.csv as HDF5. Also throws if the table was changed by someone else.
  void write_diagnostics(const std::string& path);
  /// For a checkpoint: the number of rows of each table, on rank 0.
  [[nodiscard]] nlohmann::json counted() const;
  /// A warning, on rank 0, if the tables lack rows that the checkpoint counted; otherwise empty.
  [[nodiscard]] std::string warning() const;

 private:
  Communicator comm_;
  Columns columns_;
  std::optional<GrowingTable> steps_, rungs_;
};

}  // namespace multiwalk
