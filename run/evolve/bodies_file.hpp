// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of bodies: text or CSV, one body per line, with columns mass x y z vx vy vz in units of G = 1.
#pragma once

#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

/// Columns are separated by spaces, tabs, commas or semicolons; a # begins a comment; the first line may name the
/// columns. Bodies are numbered from 0 in the order of their lines and dealt out to the ranks one by one. Throws
/// SharedError naming file and line. Collective.
Bodies read_bodies_file(const std::string& path, const Communicator& comm = {});

/// Checks the table without keeping anything. Collective.
void check_bodies_file(const std::string& path, const Communicator& comm = {});

}  // namespace multiwalk
