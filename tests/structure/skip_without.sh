#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# skip_without.sh TOOL: for tests that need one version of a tool. Skipped (77) without it, except on Debian 12, as in CI,
# which has it: failed (1) there. OS_RELEASE names another /etc/os-release.
. "${OS_RELEASE:-/etc/os-release}"
echo "SKIPPED: no $1 here (${PRETTY_NAME:-an unknown system}); CI checks with it on Debian 12"
[ "${VERSION_CODENAME:-}" != bookworm ] || { echo "FAILED: Debian 12 has it: apt-get install $1" && exit 1; }
exit 77
