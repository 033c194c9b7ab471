// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of the header record of GADGET's binary files: reader and writer agree on it here.
#pragma once

#include <cstdint>
#include <type_traits>

namespace multiwalk::gadget {

/// As GADGET-2 declares it; no padding.
struct RawHeader {
  std::uint32_t here[6];
  double mass[6];
  double time, redshift;
  std::int32_t flag_sfr, flag_feedback;
  std::uint32_t total[6];
  std::int32_t flag_cooling, files;
  double box, omega_m, omega_lambda, h;
  std::int32_t flag_age, flag_metals;
  std::uint32_t total_high[6];
  std::int32_t flag_entropy, flag_double;
  char unused[56];
};

inline constexpr std::uint32_t header_bytes = 256;
inline constexpr std::uint32_t label_bytes = 8;
static_assert(sizeof(RawHeader) == header_bytes && std::is_trivially_copyable_v<RawHeader>);

}  // namespace multiwalk::gadget
