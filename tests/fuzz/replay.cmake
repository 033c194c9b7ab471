# SPDX-License-Identifier: GPL-3.0-or-later
# fuzz_replay: all fuzz targets in one program without libFuzzer, linked to the sanitized libraries of a debug build. The
# entry points of each target get its name.
file(GLOB targets CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.cpp)
add_executable(fuzz_replay EXCLUDE_FROM_ALL fuzz/replay.cpp)
set(names)
foreach(target ${targets})
  get_filename_component(file ${target} NAME_WE)
  string(REPLACE fuzz_ "" name ${file})
  string(APPEND names "TARGET(${name})\n")
  add_library(replayed_${name} OBJECT EXCLUDE_FROM_ALL ${target})
  target_compile_definitions(replayed_${name} PRIVATE LLVMFuzzerTestOneInput=one_input_${name}
    LLVMFuzzerCustomMutator=mutate_${name})
  target_include_directories(replayed_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(replayed_${name} PRIVATE -O0 -g0)
  target_link_libraries(replayed_${name} PRIVATE multiwalk::run)
  target_link_libraries(fuzz_replay PRIVATE replayed_${name})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fuzz_targets/fuzz_targets.inc CONTENT "${names}" @ONLY)
target_include_directories(fuzz_replay PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/fuzz_targets)
target_link_libraries(fuzz_replay PRIVATE multiwalk::run)
