// The folder a run writes into.
#pragma once

#include <string>

namespace multiwalk {

enum class ExistingRun { refuse, overwrite, restart };

/// Creates `directory`, or checks that it may be used. Refuses (InputError) a folder that holds a run unless it is to
/// be overwritten (its files are removed, by their exact names) or restarted, and a folder of other things in any case.
void prepare_run_directory(const std::string& directory, ExistingRun existing);

}  // namespace multiwalk
