// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion, on a device, of numbers that the caller has there or in page-locked memory, and of results back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/base/vec3.hpp"
#include "host/particles/number_array.hpp"

namespace multiwalk {

/// What one thread block found among the numbers that it converted.
struct ConvertedPart {
  double sum = 0, most = 0;
  std::int64_t wrong = 0;
};
/// Blocks of convert_numbers: sums do not depend on the device.
inline constexpr unsigned convert_parts = 256;

/// Enqueues to[i] = factor * from[i] for all numbers. `part` has convert_parts elements. A number is wrong if it is not
/// finite, larger than largest_number or, among masses, negative.
void convert_numbers(const NumberArray& from, double factor, bool masses, double* to, ConvertedPart* part,
                     const Stream& stream);
void convert_numbers(const NumberArray& from, double factor, bool masses, float* to, ConvertedPart* part,
                     const Stream& stream);

/// Results in internal units, and the caller's arrays and factors.
struct ConvertedResults {
  const Vec3f* acceleration = nullptr;
  const float* potential = nullptr;
  double pull = 1, energy = 1;
  ResultArrays to;  ///< in device memory; their size is the number of results
};
/// Enqueues; *wrong, which was 0, becomes 1 if a result is not finite.
void convert_results(const ConvertedResults& results, int* wrong, const Stream& stream);

}  // namespace multiwalk
