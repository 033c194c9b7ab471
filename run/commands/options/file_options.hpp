// SPDX-License-Identifier: GPL-3.0-or-later
// Options that name files.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace multiwalk {

/// The endings of file names that a format allows; empty: any.
using NameEndings = std::span<const std::string_view>;
inline constexpr std::array<std::string_view, 3> csv_names{".csv", ".txt", ".dat"};
inline constexpr std::array<std::string_view, 2> html_names{".html", ".htm"}, hdf5_names{".hdf5", ".h5"};
inline constexpr std::array<std::string_view, 1> json_names{".json"}, png_names{".png"}, mp4_names{".mp4"};

/// named_output (run/files/command_files.hpp), which "-" (standard output) and "" (none) need not be. Throws InputError
/// if the ending of the name promises another format.
std::string output_of(const std::string& path, const std::string& option, NameEndings endings = {});

/// Adds an option, or a positional argument, that names a file to write, for output_of. Every such option is added by
/// this function.
CLI::Option* add_output(CLI::App& command, const std::string& names, std::string& path, const std::string& help,
                        NameEndings endings = {});

/// Adds --json, for write_json (run/files/json_output.hpp).
CLI::Option* add_json_output(CLI::App& command, std::string& path);

/// Adds an option that names a table of the linear power spectrum, which this command reads.
CLI::Option* add_power_table(CLI::App& command, std::string& path, const std::string& help);

}  // namespace multiwalk
