// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation by any back end: every walk has all particles as sources.
#pragma once

#include <memory>

#include "host/force/force_backend.hpp"

namespace multiwalk {

/// The same back end, but summing over all particles: each walk is a group with one range, and no tree is walked.
std::unique_ptr<ForceBackend> make_all_pairs_backend(std::unique_ptr<ForceBackend> evaluator);

}  // namespace multiwalk
