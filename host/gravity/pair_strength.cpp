// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/pair_strength.hpp"

namespace multiwalk {

double pair_strength() {
  return 1;
}

}  // namespace multiwalk
