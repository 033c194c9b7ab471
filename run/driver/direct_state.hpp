// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a direct integrator as checkpoints store it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

/// Everything but the rungs, which are stored with the bodies.
nlohmann::json state_json(const DirectState& state);
DirectState state_from_json(const nlohmann::json& json);

}  // namespace multiwalk
