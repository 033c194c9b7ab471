// Repeatable samples of particles that do not depend on their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace multiwalk {

/// Indices (rising) of the `sample` particles whose ids hash lowest; all of them if `sample` is 0 or too large.
std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, std::uint64_t sample, std::uint64_t seed);

}  // namespace multiwalk
