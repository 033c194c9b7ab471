// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/outputs/output.hpp"
#include "run/outputs/pictures.hpp"

namespace multiwalk {

/// Writes `png`, which rank 0 has. Collective. Throws SharedError if that fails.
void write_picture(const std::string& path, const std::vector<std::uint8_t>& png, const Communicator& comm);

/// What the parameters ask images to show.
View view_of(const OutputParameters& output);

/// image_NNN.png: the projected density. Entry: its path, empty if there is none.
class ImageOutput final : public Output {
 public:
  static constexpr std::string_view files = R"(image_\d+\.png)";

  nlohmann::json write(const OutputMoment& moment) override;
};

}  // namespace multiwalk
