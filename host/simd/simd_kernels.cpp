// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/simd/simd_kernels.hpp"

#include <string>
#include <vector>

#include "host/base/error.hpp"

namespace multiwalk {

namespace portable {
extern const SimdKernels kernels;
}
#if defined(MULTIWALK_X86)
namespace avx2 {
extern const SimdKernels kernels;
}
namespace avx512 {
extern const SimdKernels kernels;
}
#endif
#if defined(MULTIWALK_ARM)
namespace neon {
extern const SimdKernels kernels;
}
#endif

namespace {

std::vector<const SimdKernels*> detect() {
  std::vector<const SimdKernels*> found;
#if defined(MULTIWALK_X86)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    found.push_back(&avx512::kernels);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&avx2::kernels);
#endif
#if defined(MULTIWALK_ARM)
  found.push_back(&neon::kernels);
#endif
  found.push_back(&portable::kernels);
  return found;
}

}  // namespace

std::span<const SimdKernels* const> available_simd_kernels() {
  static const std::vector<const SimdKernels*> found = detect();
  return found;
}

const SimdKernels& simd_kernels(std::string_view name) {
  std::string choices;
  for (const SimdKernels* kernels : available_simd_kernels()) {
    if (name.empty() || kernels->name == name) return *kernels;
    choices.append(" ").append(kernels->name);
  }
  throw InputError("this machine has no instruction set '" + std::string(name) + "'; it has:" + choices);
}

}  // namespace multiwalk
