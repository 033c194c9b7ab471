// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's FFT library, loaded on first use: programs start without it, and nothing is linked to it.
#pragma once

#include <cufft.h>

namespace multiwalk {

/// The functions of cuFFT that are used. Meanings and errors are cuFFT's own (https://docs.nvidia.com/cuda/cufft).
struct CufftLibrary {
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftMakePlanMany64) make_plan = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftExecC2C) c2c = nullptr;
  decltype(&cufftExecR2C) r2c = nullptr;
  decltype(&cufftExecC2R) c2r = nullptr;
  decltype(&cufftExecD2Z) d2z = nullptr;
};

/// Looks where the system's loader looks (LD_LIBRARY_PATH, ldconfig, what is loaded already), in the toolkit that built
/// this program, in /usr/local/cuda, and, for the Python module, in NVIDIA's wheels beside it. Throws Error if the
/// version that this program was built for is in none of these places; later calls then look again.
[[nodiscard]] const CufftLibrary& cufft_library();

}  // namespace multiwalk
