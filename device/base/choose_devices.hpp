// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices a back end works on.
#pragma once

#include <string>
#include <vector>

#include "device/base/devices.hpp"

namespace multiwalk {

/// The devices with these numbers, or all that work if there are no numbers; `why` says which, or why there is none.
/// Throws InputError if one asked for does not exist or does not work.
std::vector<DeviceDescription> choose_devices(const std::vector<int>& wanted, std::string& why);

}  // namespace multiwalk
