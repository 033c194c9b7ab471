# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests that look at pages, which end with `exit_unless_shown`.

# shows PAGE WORDS: whether a browser shows them in one piece; without node, only whether the page is whole.
shows() {
  if command -v node >/dev/null; then
    node "$(dirname "${BASH_SOURCE[0]}")/../pages/page_reader.js" "$1" | grep -qF "$2"
  else
    tail -c 8 "$1" | grep -q '</html>'
  fi
}

# What passed without node counts as skipped.
exit_unless_shown() {
  command -v node >/dev/null || { echo "SKIPPED, not tested here: what pages show, without node (apt-get install nodejs)" && exit 77; }
}
