// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots of a periodic box, written again in another code's format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

enum class FileFormat { gadget1, gadget2, hdf5, swift };

struct ConvertRequest {
  std::string input, output;
  FileFormat format = FileFormat::hdf5;
  std::optional<unsigned> width;  ///< bytes of each real number, 4 or 8; none: as in the input
  Unsaid unsaid;
};

/// Reads the set that `input` belongs to piece by piece and writes one file. GADGET's formats keep the units of a
/// GADGET file, and numbers whose unit and precision stay the same keep their bits; SWIFT's units are Mpc, 1e10 Msun
/// and km/s. Potentials and accelerations are left out. Returns the number of particles. Throws InputError (files that
/// cannot be read or that the format cannot hold) or Error, with nothing under the name of `output`.
std::uint64_t convert_snapshot(const ConvertRequest& request);

}  // namespace multiwalk
