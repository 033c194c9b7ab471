// What to say when a run loses its energy.
#pragma once

#include <span>
#include <string>

namespace multiwalk {

/// A sentence if `error` (of the energy, relative to its first value) is beyond `worrying` and three times the worst of
/// `before`, the last of which was measured at `time`; else empty. `advice` ends it: what to choose instead.
std::string energy_warning(double error, double worrying, std::span<const double> before, double time,
                           const std::string& advice);

}  // namespace multiwalk
