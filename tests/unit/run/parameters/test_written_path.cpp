// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/base/error.hpp"
#include "run/parameters/parameters.hpp"
#include "run/parameters/written_path.hpp"

namespace multiwalk {
namespace {

TEST(WrittenPath, IsExpandedAsAShellWould) {
  ::setenv("HOME", "/home/me", 1);
  ::setenv("SCRATCH_1", "/scratch/$me", 1);
  ::unsetenv("NOWHERE");
  for (const auto& [path, expanded] : {std::pair{"", ""},
                                       {"runs/a", "runs/a"},
                                       {"~", "/home/me"},
                                       {"~/a", "/home/me/a"},
                                       {"a~b/~", "a~b/~"},
                                       {"./~me", "./~me"},
                                       {"$SCRATCH_1/a", "/scratch/$me/a"},
                                       {"x${SCRATCH_1}y/$HOME", "x/scratch/$mey//home/me"}}) {
    EXPECT_EQ(expanded_path(path), expanded);
  }
  for (const char* path : {"~me/a", "$NOWHERE/a", "${NOWHERE}", "a$", "$(pwd)", "${HOME", "$1", "a/$$"}) {
    EXPECT_THROW(expanded_path(path), InputError) << path;
  }
}

TEST(WrittenPath, EveryPathOfAParameterFileIsExpanded) {
  ::setenv("SCRATCH_1", "/scratch/me", 1);
  const Parameters p = parse_parameters(
      "[run]\ndirectory = \"$SCRATCH_1/a\"\ntitle = \"$5\"\n[model]\nkind = \"file\"\nfile = \"$SCRATCH_1/b\"\n"
      "[cosmology]\ntransfer_file = \"$SCRATCH_1/c\"\n",
      "test");
  EXPECT_EQ(p.run.directory, "/scratch/me/a");
  EXPECT_EQ(p.model.file, "/scratch/me/b");
  EXPECT_EQ(p.ic.transfer_file, "/scratch/me/c");
  EXPECT_EQ(p.run.title, "$5");
  try {
    parse_parameters("", "test", {"run.directory=~you/a"});
    ADD_FAILURE() << "a folder ~you is accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--set run.directory=~you/a: the path ~you/a"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace multiwalk
