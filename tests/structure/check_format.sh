#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_format.sh: every source is as clang-format 14 writes it. Another release formats otherwise: skipped (77) without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tool=$(command -v clang-format-14 || command -v clang-format) && "$tool" --version | grep -q 'version 14\.' ||
  exec tests/structure/skip_without.sh clang-format-14
# A folder that is still empty is not in a checkout.
folders=$(find host device decomposition ic analysis run tests -maxdepth 0 2>/dev/null || true)
# shellcheck disable=SC2086
find $folders -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.js' -not -path '*/uplot/*' |
  xargs "$tool" --dry-run -Werror
