// SPDX-License-Identifier: GPL-3.0-or-later
// convert: a snapshot in another code's format.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "host/base/error.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/files/printable.hpp"
#include "run/snapshots/convert_snapshot.hpp"

namespace multiwalk {

namespace {

/// Their names, in the order of FileFormat.
constexpr std::array format_names{"gadget1", "gadget2", "hdf5", "swift"};

struct ConvertArguments {
  std::string input, output, format, precision = "keep";
  UnsaidOption unsaid;
};

/// The format asked for, or that of the output's extension.
FileFormat format_from(const ConvertArguments& arguments) {
  for (std::size_t i = 0; i < format_names.size(); ++i)
    if (arguments.format == format_names[i]) return static_cast<FileFormat>(i);
  if (arguments.output.ends_with(".hdf5") || arguments.output.ends_with(".h5")) return FileFormat::hdf5;
  throw InputError(arguments.output + ": its name does not end in .hdf5: add --format gadget1, gadget2, hdf5 or swift");
}

void convert(const ConvertArguments& arguments) {
  ConvertRequest request{
      arguments.input, arguments.output, format_from(arguments), {}, Unsaid::of(arguments.unsaid.settings)};
  if (arguments.precision != "keep") request.width = arguments.precision == "double" ? 8 : 4;
  const std::uint64_t particles = convert_snapshot(request);
  fmt::print("{}: {} particles, {}\n", printable(arguments.output), particles,
             format_names[static_cast<std::size_t>(request.format)]);
}

}  // namespace

void add_convert_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "convert",
      "Write a snapshot in another code's format: GADGET's formats 1 and 2, or the HDF5 of GADGET-4 or SWIFT");
  auto arguments = std::make_shared<ConvertArguments>();
  command->add_option("input", arguments->input, "snapshot, or any file of one that is split")->required();
  add_output(*command, "output", arguments->output, "file to write")->required();
  command->add_option("--format", arguments->format, "format of the output (default: hdf5 for names that end in .hdf5)")
      ->check(CLI::IsMember(std::vector<std::string>(format_names.begin(), format_names.end())));
  command
      ->add_option("--precision", arguments->precision,
                   "precision of real numbers: single, double, or keep (that of the input; gadget1, gadget2: that of "
                   "its positions)")
      ->check(CLI::IsMember({"keep", "single", "double"}))
      ->capture_default_str();
  arguments->unsaid.add_to(*command);
  command->callback([arguments] { convert(*arguments); });
}

}  // namespace multiwalk
