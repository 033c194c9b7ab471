# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUTPUT=... -P write_commit.cmake: the header with the commit being built; untouched if it is right.
find_package(Git QUIET)
set(commit unknown)
if(GIT_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude=*
    OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define MULTIWALK_COMMIT \"${commit}\"\n")
