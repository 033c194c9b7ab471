// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace multiwalk {

/// Exit codes besides 0: 1 for an error, `stopped` for a run that ended early with a checkpoint.
enum class ExitCode { ok = 0, error = 1, stopped = 3 };

}  // namespace multiwalk
