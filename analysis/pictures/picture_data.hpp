// SPDX-License-Identifier: GPL-3.0-or-later
// Font and colours of pictures as they were when the program was built (embed.cmake makes the source).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace multiwalk {

/// The bytes of DejaVuSans.ttf.
std::string_view caption_font();

/// Colours of inferno.txt, magma.txt, plasma.txt and viridis.txt, in this order, as 0xRRGGBB from dark to bright.
std::span<const std::uint32_t, 256> colour_table(std::size_t map);

}  // namespace multiwalk
