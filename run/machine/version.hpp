// SPDX-License-Identifier: GPL-3.0-or-later
// The identity of this program: its version, the commit it was built from, and what it was built with.
#pragma once

#include <string>

namespace multiwalk {

/// "0.2.0 (commit 0123456789)"; the commit ends in "-dirty" when files were changed, and is "unknown" outside a
/// checkout.
std::string version_short();

/// The lines of `multiwalk --version`: version, build type, compiler, CUDA, MPI, HDF5, FFTW and GSL.
std::string version_text();

}  // namespace multiwalk
