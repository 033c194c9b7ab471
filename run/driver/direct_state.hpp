// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a direct integrator as the checkpoint of a run holds it.
#pragma once

#include <nlohmann/json.hpp>

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

/// All but the rungs, which are kept with the bodies.
nlohmann::json state_json(const DirectState& state);
DirectState state_from_json(const nlohmann::json& json);

}  // namespace multiwalk
