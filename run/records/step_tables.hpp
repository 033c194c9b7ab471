// SPDX-License-Identifier: GPL-3.0-or-later
// steps.csv, a row for every step of a run, and rungs.csv, the particles on each rung at the beginning of each block of
// steps.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "run/files/growing_table.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Rank 0 writes them. The members are collective but for `counted` and `warning`, and throw SharedError if a file
/// cannot be written.
class StepTables {
 public:
  /// What the tables hold besides what every step has.
  struct Columns {
    bool diagnostics = false;
    int rungs = 0;  ///< 0: no rungs.csv
  };

  /// Goes on with the rows that the checkpoint's `state` counts under "tables"; null begins anew.
  StepTables(const Communicator& comm, const std::string& directory, const Columns& columns,
             const nlohmann::json& state);

  /// A step that nothing changes any more.
  void add(const StepRecord& step);
  /// To disk.
  void sync();
  /// Writes all diagnostics of steps.csv as HDF5; an error too if somebody changed the table.
  void write_diagnostics(const std::string& path);
  /// For a checkpoint: rows of each table; on rank 0.
  [[nodiscard]] nlohmann::json counted() const;
  /// Empty unless the tables lack rows that the checkpoint counted; on rank 0.
  [[nodiscard]] std::string warning() const;

 private:
  Communicator comm_;
  Columns columns_;
  std::optional<GrowingTable> steps_, rungs_;
};

}  // namespace multiwalk
