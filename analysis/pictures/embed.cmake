# SPDX-License-Identifier: GPL-3.0-or-later
# Puts the font of captions and the colour maps into a source, ${picture_data_source}; a change of one configures anew.
set(picture_data_source ${CMAKE_CURRENT_BINARY_DIR}/pictures/picture_data.cpp)
set(colour_files inferno.txt magma.txt plasma.txt viridis.txt)
list(TRANSFORM colour_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/colours/)
find_file(MULTIWALK_CAPTION_FONT DejaVuSans.ttf PATHS /usr/share/fonts /usr/local/share/fonts
  PATH_SUFFIXES truetype/dejavu dejavu dejavu-sans-fonts TTF DOC "DejaVuSans.ttf, for captions of pictures")
if(NOT MULTIWALK_CAPTION_FONT)
  message(FATAL_ERROR "The font DejaVuSans.ttf was not found: install it (Debian: fonts-dejavu-core), or name the file "
    "with -DMULTIWALK_CAPTION_FONT=FILE")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${MULTIWALK_CAPTION_FONT} ${colour_files})
set(picture_data_is_old NO)
foreach(file ${MULTIWALK_CAPTION_FONT} ${colour_files} ${CMAKE_CURRENT_LIST_FILE})
  if(NOT EXISTS ${picture_data_source} OR ${file} IS_NEWER_THAN ${picture_data_source})
    set(picture_data_is_old YES)
  endif()
endforeach()
if(picture_data_is_old)
  set(colour_tables)
  foreach(file ${colour_files})
    file(STRINGS ${file} colours REGEX "^[0-9a-f]+$")
    list(LENGTH colours count)
    if(NOT count EQUAL 256)
      message(FATAL_ERROR "${file} holds ${count} colours: 256 are wanted")
    endif()
    list(TRANSFORM colours PREPEND "0x")
    list(JOIN colours ", " colours)
    string(APPEND colour_tables "    {${colours}},\n")
  endforeach()
  list(LENGTH colour_files maps)
  file(SIZE ${MULTIWALK_CAPTION_FONT} bytes)
  file(READ ${MULTIWALK_CAPTION_FONT} font HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" font "${font}")
  string(CONCAT source "#include \"analysis/pictures/picture_data.hpp\"\n\nnamespace multiwalk {\n\n"
    "std::string_view caption_font() {\n  static constexpr char file[] =\n    \"${font}\";\n  return {file, ${bytes}};\n}\n\n"
    "std::span<const std::uint32_t, 256> colour_table(std::size_t map) {\n"
    "  static constexpr std::uint32_t colours[${maps}][256] = {\n${colour_tables}  };\n"
    "  return colours[map];\n}\n\n}  // namespace multiwalk\n")
  file(WRITE ${picture_data_source} "${source}")
endif()
