// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/lettering.hpp"

#include <ft2build.h>
// FreeType names its headers by macros of the one above.
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_STROKER_H

#include <algorithm>
#include <climits>
#include <cmath>
#include <string>
#include <type_traits>

#include "analysis/pictures/picture_data.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr FT_Int32 unhinted = FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP;

void succeed(FT_Error error, const char* what) {
  require(error == 0,
          std::string("the font for captions: ") + what + " failed (FreeType's error " + std::to_string(error) + ")");
}

template <auto done>
struct Done {
  template <class Object>
  void operator()(Object* object) const {
    done(object);
  }
};
using Library = std::unique_ptr<std::remove_pointer_t<FT_Library>, Done<FT_Done_FreeType>>;
using Face = std::unique_ptr<std::remove_pointer_t<FT_Face>, Done<FT_Done_Face>>;
using Stroker = std::unique_ptr<std::remove_pointer_t<FT_Stroker>, Done<FT_Stroker_Done>>;
using Glyph = std::unique_ptr<std::remove_pointer_t<FT_Glyph>, Done<FT_Done_Glyph>>;

/// The characters of a text in UTF-8; bytes that are none are each a character of their own that no font has.
std::vector<FT_ULong> characters(std::string_view text) {
  constexpr FT_ULong none = 0;
  std::vector<FT_ULong> all;
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    FT_ULong character = lead < 0x80 ? lead : length == 1 ? none : lead & (0xffU >> (length + 1));
    std::size_t read = 1;
    while (read < length && i + read < text.size() && (text[i + read] & 0xc0) == 0x80) {
      character = character << 6 | (text[i + read] & 0x3fU);
      ++read;
    }
    all.push_back(read == length ? character : none);
    i += read == length ? length : 1;
  }
  return all;
}

/// FreeType's unit of places and sizes.
FT_Pos in_64ths(double pixels) {
  return std::lround(64 * pixels);
}

/// The glyph with `rim` around it.
Glyph grown(Glyph glyph, FT_Library library, double rim) {
  FT_Stroker made = nullptr;
  succeed(FT_Stroker_New(library, &made), "FT_Stroker_New");
  const Stroker stroker(made);
  FT_Stroker_Set(made, in_64ths(rim), FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND, 0);
  FT_Glyph changed = glyph.get();  // becomes another, the first stays
  succeed(FT_Glyph_StrokeBorder(&changed, made, false, false), "FT_Glyph_StrokeBorder");
  return Glyph(changed);
}

Ink ink_of(const FT_BitmapGlyphRec& glyph) {
  const FT_Bitmap& bitmap = glyph.bitmap;
  Ink ink{glyph.left, -glyph.top, static_cast<int>(bitmap.width), static_cast<int>(bitmap.rows), {}};
  for (int row = 0; row < ink.height; ++row) {
    const unsigned char* begin = bitmap.buffer + static_cast<std::ptrdiff_t>(row) * bitmap.pitch;
    ink.cover.insert(ink.cover.end(), begin, begin + ink.width);
  }
  return ink;
}

/// All of them in one, the most of each pixel.
Ink joined(const std::vector<Ink>& parts) {
  int left = INT_MAX, top = INT_MAX, right = INT_MIN, bottom = INT_MIN;
  for (const Ink& part : parts) {
    if (part.cover.empty()) continue;
    left = std::min(left, part.left);
    top = std::min(top, part.top);
    right = std::max(right, part.left + part.width);
    bottom = std::max(bottom, part.top + part.height);
  }
  if (left > right) return {};
  Ink all{left, top, right - left, bottom - top, {}};
  const auto place = [](const Ink& ink, int column, int row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(ink.width) + static_cast<std::size_t>(column);
  };
  all.cover.resize(place(all, 0, all.height));
  for (const Ink& part : parts) {
    for (int row = 0; row < part.height; ++row) {
      for (int column = 0; column < part.width; ++column) {
        std::uint8_t& cover = all.cover[place(all, part.left - left + column, part.top - top + row)];
        cover = std::max(cover, part.cover[place(part, column, row)]);
      }
    }
  }
  return all;
}

}  // namespace

struct Lettering::Font {
  Library library;
  Face face;

  explicit Font(double height) {
    FT_Library opened = nullptr;
    succeed(FT_Init_FreeType(&opened), "FT_Init_FreeType");
    library.reset(opened);
    const std::string_view file = caption_font();
    FT_Face read = nullptr;
    succeed(FT_New_Memory_Face(opened, reinterpret_cast<const FT_Byte*>(file.data()), static_cast<FT_Long>(file.size()),
                               0, &read),
            "FT_New_Memory_Face");
    face.reset(read);
    succeed(FT_Load_Char(read, '1', FT_LOAD_NO_SCALE), "FT_Load_Char");
    const double digit = static_cast<double>(read->glyph->metrics.height) / read->units_per_EM;
    succeed(FT_Set_Char_Size(read, 0, in_64ths(height / digit), 72, 72), "FT_Set_Char_Size");
  }

  /// Loads the letter; in pixels, how far it moves the pen.
  [[nodiscard]] double load(FT_ULong letter) const {
    const bool shown = letter >= ' ' && FT_Get_Char_Index(face.get(), letter) != 0;
    succeed(FT_Load_Char(face.get(), shown ? letter : '?', unhinted), "FT_Load_Char");
    return static_cast<double>(face->glyph->linearHoriAdvance) / 65536;
  }

  /// Draws the letter that was loaded.
  [[nodiscard]] Ink ink(double x, double y, double rim) const {
    FT_Glyph loaded = nullptr;
    succeed(FT_Get_Glyph(face->glyph, &loaded), "FT_Get_Glyph");
    Glyph glyph(loaded);
    if (rim > 0) glyph = grown(std::move(glyph), library.get(), rim);
    FT_Vector origin{in_64ths(x), in_64ths(-y)};
    FT_Glyph drawn = glyph.get();
    succeed(FT_Glyph_To_Bitmap(&drawn, FT_RENDER_MODE_NORMAL, &origin, false), "FT_Glyph_To_Bitmap");
    const Glyph bitmap(drawn);
    return ink_of(*reinterpret_cast<FT_BitmapGlyph>(drawn));
  }
};

Lettering::Lettering(double height) : font_(std::make_unique<Font>(height)) {}
Lettering::~Lettering() = default;

double Lettering::width(std::string_view text) const {
  double width = 0;
  for (const FT_ULong letter : characters(text)) width += font_->load(letter);
  return width;
}

Ink Lettering::line(std::string_view text, double x, double y, double rim) const {
  std::vector<Ink> letters;
  for (const FT_ULong letter : characters(text)) {
    const double advance = font_->load(letter);
    letters.push_back(font_->ink(x, y, rim));
    x += advance;
  }
  return joined(letters);
}

}  // namespace multiwalk
