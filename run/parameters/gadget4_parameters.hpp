// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter files of GADGET-4 (Springel et al. 2021), turned into ours.
#pragma once

#include <string>

namespace multiwalk {

/// Whether a text is such a file and not ours.
bool is_gadget4_file(const std::string& text);

/// A parameter file of ours for the run that `parameters` (a file of "Name value" lines) and `config` (Config.sh;
/// empty: not given) describe, followed by comments that name the settings without a counterpart. `folder`: that of the
/// file, where its list of outputs is sought. Throws InputError headed by `name` if the run is not a comoving periodic
/// one or the result is not a valid parameter file.
std::string parameters_from_gadget4(const std::string& parameters, const std::string& config, const std::string& folder,
                                    const std::string& name);

}  // namespace multiwalk
