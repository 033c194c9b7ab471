// SPDX-License-Identifier: GPL-3.0-or-later
// Forces of the program multiwalk_broken are too strong by 1%.
#include "host/gravity/pair_strength.hpp"

namespace multiwalk {

double pair_strength() {
  return 1.01;
}

}  // namespace multiwalk
