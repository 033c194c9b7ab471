// SPDX-License-Identifier: GPL-3.0-or-later
// Images: colour map, letters, labels, round lengths, and a PNG read back by libpng.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "analysis/pictures/colour_bar.hpp"
#include "analysis/pictures/colour_map.hpp"
#include "analysis/pictures/lettering.hpp"
#include "analysis/pictures/render_image.hpp"
#include "host/base/error.hpp"

namespace multiwalk {
namespace {

double luminance(const std::array<double, 3>& c) {
  const auto linear = [](double v) {
    return v <= 10.31475 ? v / 255 / 12.92 : std::pow((v / 255 + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
}

double lightness(Colours colours, double level) {
  return 116 * std::cbrt(luminance(colour_of(colours, level)) + 1e-12) - 16;
}

TEST(Image, ColourMapsRiseEvenlyInLightness) {
  for (std::size_t map = 0; map < colours_names.size(); ++map) {
    const auto colours = static_cast<Colours>(map);
    const double range = lightness(colours, 1) - lightness(colours, 0);
    EXPECT_GT(range, 70) << colours_names[map];
    for (int i = 17; i < 255; i += 17) {
      const double step = lightness(colours, (i + 17) / 255.0) - lightness(colours, i / 255.0);
      EXPECT_NEAR(step, range / 15, 2.5) << colours_names[map] << " " << i;
    }
    EXPECT_EQ(colour_of(colours, -1), colour_of(colours, 0));
    EXPECT_EQ(colour_of(colours, std::nan("")), colour_of(colours, 0));
    EXPECT_EQ(colour_of(colours, 7), colour_of(colours, 1));
  }
  EXPECT_NE(colour_of(Colours::magma, 0.5), colour_of(Colours::inferno, 0.5));
  EXPECT_NEAR(lightness(Colours::grey, 0.5), 50, 0.5);
}

TEST(Image, TheMedianHasItsLevelAndVoidsAreNotBlack) {
  // A median of 1 with halos of 50 and more, and voids of a tenth.
  std::vector<float> values(10000, 1);
  for (std::size_t i = 0; i < 100; ++i) values[i] = 50;
  for (std::size_t i = 100; i < 3000; ++i) values[i] = 0.1F;
  const ColourScale scale = choose_scale(values);
  EXPECT_DOUBLE_EQ(scale.high, 50);
  EXPECT_NEAR(scale.level(1), 0.33, 1e-6);
  EXPECT_GT(scale.level(0.1), 0.05);
  EXPECT_EQ(scale.level(0), 0);
  EXPECT_EQ(scale.level(50), 1);
  EXPECT_EQ(scale.level(500), 1);
  EXPECT_EQ(scale.level(std::nan("")), 0);
  const ColourScale smooth = choose_scale(std::vector<float>(100, 2));
  EXPECT_NEAR(smooth.high, 8, 1e-6);
  EXPECT_NEAR(smooth.level(2), 0.33, 1e-6);
}

std::string text_of(const std::vector<ColourTick>& ticks) {
  std::string text;
  for (const ColourTick& tick : ticks) text += tick.text + (tick.exponent.empty() ? "" : "^" + tick.exponent) + " ";
  return text;
}

TEST(Image, ColourBarsHaveRoundTicksInReach) {
  EXPECT_EQ(text_of(colour_ticks({1e9, 3e11})), "0 10^9 10^10 10^11 ");
  EXPECT_EQ(text_of(colour_ticks({2e9, 7e9})), "0 2×10^8 5×10^8 10^9 2×10^9 5×10^9 ");
  EXPECT_EQ(text_of(colour_ticks({0.01, 1.5})), "0 0.01 0.1 1 ");
  EXPECT_EQ(text_of(colour_ticks({20, 600})), "0 10 100 ");
  EXPECT_EQ(text_of(colour_ticks({1e-6, 1e-4})), "0 10^−6 10^−5 10^−4 ");
}

TEST(Image, TheColourBarIsShownWhereThereIsRoomForIt) {
  const auto drawn = [](std::uint32_t width, Lettered lettered) {
    const SurfaceDensity flat{width, width, std::vector<float>(std::size_t{width} * width, 1), 0};
    return render(flat, {"", "", "M", 1}, {.lettered = lettered}).rgb;
  };
  EXPECT_NE(drawn(300, Lettered::everything), drawn(300, Lettered::scale));
  EXPECT_EQ(drawn(300, Lettered::scale), drawn(300, Lettered::nothing));  // neither caption nor length
  EXPECT_EQ(drawn(200, Lettered::everything), drawn(200, Lettered::nothing));
}

TEST(Image, AGivenScaleIsUsedInTheUnitOfTheColourBar) {
  SurfaceDensity ramp{64, 64, std::vector<float>(64 * 64), 0};
  for (std::size_t i = 0; i < ramp.value.size(); ++i) ramp.value[i] = static_cast<float>(i % 64);
  const ImageStyle style{Colours::grey, ColourScale{1e10, 32e10}, Lettered::nothing};
  const Image image = render(ramp, {"", "", "", 1e10}, style);
  EXPECT_EQ(image.rgb[0], 0);
  EXPECT_EQ(image.rgb[3 * 32], 255);
  EXPECT_EQ(image.rgb[3 * 63], 255);
  const double level = std::log(11.0) / std::log(33.0);
  EXPECT_EQ(image.rgb[3 * 10], std::lround(colour_of(Colours::grey, level)[0]));
}

TEST(Image, RoundLengths) {
  EXPECT_DOUBLE_EQ(round_length(30), 20);
  EXPECT_DOUBLE_EQ(round_length(5), 5);
  EXPECT_DOUBLE_EQ(round_length(0.0199), 0.01);
  EXPECT_DOUBLE_EQ(round_length(1), 1);
  EXPECT_EQ(round_length(0), 0);
  EXPECT_EQ(round_length(std::nan("")), 0);
}

int right_of(const Ink& ink) {
  return ink.left + ink.width;
}

TEST(Lettering, TextIsAsWideAsItSays) {
  const Lettering letters(21);
  for (const char* text : {"z = 0.50", "20 Mpc/h", "M"}) {
    const double right = right_of(letters.line(text, 0, 0));
    EXPECT_LE(right, letters.width(text) + 1) << text;
    EXPECT_GT(right, 0.8 * letters.width(text)) << text;
  }
  EXPECT_TRUE(letters.line(" ", 0, 0).cover.empty());
  EXPECT_EQ(letters.width(""), 0);
}

TEST(Lettering, DigitsAreAsHighAsAskedAndBeginOnTheBaseline) {
  for (const double height : {9.0, 16.8, 42.0}) {
    const Ink ink = Lettering(height).line("1", 10, 100);
    EXPECT_NEAR(ink.height, height, 1.5);
    EXPECT_NEAR(ink.top + ink.height, 100, 1);
    EXPECT_GE(ink.left, 10);
    EXPECT_EQ(*std::ranges::max_element(ink.cover), 255);
  }
}

TEST(Lettering, ARimIsAllAroundTheLetters) {
  const Lettering letters(20);
  const Ink plain = letters.line("z = 8", 5, 40), rim = letters.line("z = 8", 5, 40, 3);
  EXPECT_NEAR(plain.left - rim.left, 3, 1);
  EXPECT_NEAR(right_of(rim) - right_of(plain), 3, 1);
  EXPECT_NEAR(rim.height - plain.height, 6, 2);
  for (int row = 0; row < plain.height; ++row) {
    for (int column = 0; column < plain.width; ++column) {
      const int there = (plain.top - rim.top + row) * rim.width + plain.left - rim.left + column;
      EXPECT_GE(rim.cover[static_cast<std::size_t>(there)],
                plain.cover[static_cast<std::size_t>(row * plain.width + column)]);
    }
  }
}

TEST(Lettering, ReadsUtf8) {
  const Lettering letters(20);
  const auto cover = [&](const char* text) { return letters.line(text, 0, 0).cover; };
  EXPECT_EQ(letters.width("10¹⁴ M☉/h"),
            letters.width("10") + letters.width("¹") + letters.width("⁴") + letters.width(" M☉/h"));
  for (const char* sign : {"¹", "⁴", "☉", "×", "e"}) EXPECT_NE(cover(sign), cover("?")) << sign;
}

TEST(Lettering, WhatTheFontLacksIsAQuestionMark) {
  const Lettering letters(20);
  const auto cover = [&](const char* text) { return letters.line(text, 0, 0).cover; };
  for (const char* one : {"\xe9", "\x07", "\xc2", "\xff", "\xf0\xa0\x80\x80"}) EXPECT_EQ(cover(one), cover("?"));
  for (const char* two : {"\xe9\x07", "\xe2\x98", "\x80\xbf"}) EXPECT_EQ(cover(two), cover("??"));
  EXPECT_EQ(cover("\xc2z"), cover("?z"));
}

/// The lettering of a short scale bar may be wider than the bar.
TEST(Image, LabelsKeepClearOfTheEdges) {
  const SurfaceDensity density{200, 200, std::vector<float>(200 * 200, 1), 3.9};
  const Image image = render(density, {"Mpc/h", "z = 0.00"}), plain = render({200, 200, density.value, 0}, {"", ""});
  for (std::size_t i = 0; i < 200; ++i) {
    for (const std::size_t edge : {std::size_t{0}, std::size_t{1}, std::size_t{198}, std::size_t{199}}) {
      EXPECT_EQ(image.rgb[3 * (200 * i + edge)], plain.rgb[3 * (200 * i + edge)]) << i << " " << edge;
      EXPECT_EQ(image.rgb[3 * (200 * edge + i)], plain.rgb[3 * (200 * edge + i)]) << edge << " " << i;
    }
  }
}

TEST(Image, BrighterWhereDenserAndLabelled) {
  SurfaceDensity density{64, 64, std::vector<float>(64 * 64), 100};
  for (std::size_t i = 0; i < density.value.size(); ++i) density.value[i] = std::exp(static_cast<float>(i % 64) / 16);
  const Image image = render(density, {"Mpc/h", ""});
  const std::size_t row = 3 * 64 * 24;
  for (std::size_t c = 8; c < 60; c += 8) {
    EXPECT_GT(int{image.rgb[row + 3 * c]} + image.rgb[row + 3 * c + 1],
              int{image.rgb[row + 3 * c - 24]} + image.rgb[row + 3 * c - 23]);
  }
  EXPECT_NE(render(density, {"Mpc/h", "z = 1"}).rgb, image.rgb);
}

TEST(Image, PanelsStandSideBySideOnOneColourScale) {
  const auto panel = [](float factor) {
    Panel made{{32, 24, std::vector<float>(32 * 24), 0}, {}};
    for (std::size_t i = 0; i < made.density.value.size(); ++i) {
      made.density.value[i] = factor * std::exp2(static_cast<float>(i % 32) / 8);
    }
    return made;
  };
  // Eight columns to the right the first has the second's values, and the third is the first.
  const std::vector<Panel> panels{panel(1), panel(2), panel(1)};
  const Image figure = render_panels(panels, 2);
  ASSERT_EQ(figure.width, 64U);
  ASSERT_EQ(figure.height, 48U);
  const auto pixel = [&](std::size_t x, std::size_t y) { return &figure.rgb[3 * (y * 64 + x)]; };
  for (std::size_t x = 0; x < 24; ++x) EXPECT_TRUE(std::equal(pixel(x + 8, 10), pixel(x + 9, 10), pixel(32 + x, 10)));
  for (std::size_t x = 0; x < 32; ++x) EXPECT_TRUE(std::equal(pixel(x, 7), pixel(x + 1, 7), pixel(x, 31)));
  EXPECT_EQ(*pixel(40, 40), 0);
  EXPECT_FALSE(std::equal(pixel(20, 10), pixel(21, 10), pixel(32 + 20, 10)));
  std::vector<Panel> uneven = panels;
  uneven[1].density = {24, 24, std::vector<float>(24 * 24), 0};
  EXPECT_THROW(render_panels(uneven, 2), InputError);
  EXPECT_THROW(render_panels({}, 2), InputError);
}

TEST(Image, PngReadsBack) {
  Image image{31, 17, std::vector<std::uint8_t>(3 * 31 * 17)};
  for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<std::uint8_t>(i * 7 % 251);
  const std::vector<std::uint8_t> bytes = encode_png(image);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(header.width, 31U);
  EXPECT_EQ(header.height, 17U);
  header.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(header));
  ASSERT_NE(png_image_finish_read(&header, nullptr, read.data(), 0, nullptr), 0);
  EXPECT_EQ(read, image.rgb);
  EXPECT_THROW(encode_png(Image{}), Error);
}

}  // namespace
}  // namespace multiwalk
