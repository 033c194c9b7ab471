// SPDX-License-Identifier: GPL-3.0-or-later
// CMake passes the values; the commit's header is written anew by every build (write_commit.cmake).
#include "run/machine/version.hpp"

#include "multiwalk_commit.hpp"

namespace multiwalk {

std::string version_short() {
  return MULTIWALK_VERSION " (commit " MULTIWALK_COMMIT ")";
}

std::string version_text() {
  return "multiwalk " + version_short() +
         "\nbuild:    " MULTIWALK_BUILD_TYPE "\ncompiler: " MULTIWALK_COMPILER "\nCUDA:     " MULTIWALK_CUDA_VERSION
         "\nMPI:      " MULTIWALK_MPI_VERSION "\nHDF5:     " MULTIWALK_HDF5_VERSION
         "\nFFTW:     " MULTIWALK_FFTW_VERSION "\nGSL:      " MULTIWALK_GSL_VERSION "\nlicence:  GPL-3.0-or-later\n";
}

}  // namespace multiwalk
