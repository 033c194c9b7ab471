// SPDX-License-Identifier: GPL-3.0-or-later
// Who makes the walks of forces on GPUs.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>

namespace multiwalk {

/// Automatic: devices where they can do the whole run, else threads of the host, whose lists GPUs evaluate.
enum class WhoWalks { automatic, host, device };
inline constexpr std::array<std::string_view, 3> who_walks_words{"auto", "host", "device"};

/// What decides it, if the forces are evaluated on GPUs; the same on all ranks.
struct WalkFacts {
  WhoWalks asked = WhoWalks::automatic;
  double particles = std::numeric_limits<double>::infinity();  ///< of all ranks
  int ranks = 1;
  int devices = 1;  ///< of the rank that has most
};

struct ChosenWalks {
  bool by_devices = false;
  std::string why;  ///< a clause for the log
};

ChosenWalks choose_walks(const WalkFacts& facts);

/// What `backend` and `walks` ask for together: cuda-resident is another name for cuda with walks by devices. Throws
/// SharedError if they contradict each other.
WhoWalks asked_walks(std::string_view backend, WhoWalks walks);

}  // namespace multiwalk
