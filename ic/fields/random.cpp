// SPDX-License-Identifier: GPL-3.0-or-later
// Philox4x64-10 from Random123.
#include "ic/fields/random.hpp"

#include <Random123/philox.h>

namespace multiwalk {

RandomWords philox(const RandomWords& counter, std::uint64_t seed, std::uint64_t stream) {
  const r123::Philox4x64::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x64::key_type key = {{seed, stream}};
  const r123::Philox4x64::ctr_type words = r123::Philox4x64()(c, key);
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace multiwalk
