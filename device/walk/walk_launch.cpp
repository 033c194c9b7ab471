// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/walk/walk_launch.cuh"

#include "host/gravity/pair_strength.hpp"

namespace multiwalk {

WalkLaunch walk_launch(const ResidentArrays& arrays, const PairLaw& law, bool shared, bool own_tree) {
  WalkLaunch launch;
  launch.position = arrays.position.data();
  launch.mass = arrays.mass.data();
  launch.multipole = arrays.multipole.data();
  launch.target_position = shared ? arrays.position.data() : arrays.target_position.data();
  launch.target_mass = shared ? arrays.mass.data() : arrays.target_mass.data();
  launch.gravitational_constant = pair_strength() * law.gravitational_constant;
  launch.softening2 = static_cast<float>(law.softening * law.softening);
  launch.period = law.box_size;
  launch.inverse_period = law.box_size > 0 ? 1 / law.box_size : 0;
  if (law.split.scale > 0) launch.split = ShortRange(law.split, law.expansion);
  launch.quadrupole = law.order == MultipoleOrder::quadrupole;
  launch.own_tree = own_tree;
  launch.own_depth = static_cast<float>(own_depth(law));
  launch.expansion = law.expansion;
  return launch;
}

StoreResults results_in(ResidentArrays& arrays, bool accumulate) {
  return {arrays.order.data(), arrays.acceleration.data(), arrays.potential.data(), arrays.work.data(), accumulate};
}

}  // namespace multiwalk
