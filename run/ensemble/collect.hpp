// SPDX-License-Identifier: GPL-3.0-or-later
// From the reports of all finished runs to the files of the ensemble.
#pragma once

#include <string>

namespace multiwalk {

/// Writes ensemble.json, ensemble.hdf5 and ensemble.html of the ensemble in this directory, whose lock the caller
/// holds. Returns a line that says what was collected. Throws InputError.
std::string collect_ensemble(const std::string& directory);

}  // namespace multiwalk
