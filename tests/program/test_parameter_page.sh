#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_parameter_page.sh PROGRAM SOURCE_FOLDER: run/PARAMETERS.md is what `multiwalk params --markdown` prints.
set -euo pipefail
diff -u "$2/run/PARAMETERS.md" <("$1" params --markdown) && exit 0
echo "run/PARAMETERS.md is out of date: $1 params --markdown > run/PARAMETERS.md"
exit 1
