# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests that look at pages.

# shows PAGE WORDS: whether a browser shows them in one piece; without node, only whether the page is whole.
shows() {
  if command -v node >/dev/null; then
    node "$(dirname "${BASH_SOURCE[0]}")/../pages/page_reader.js" "$1" | grep -qF "$2"
  else
    echo "no node here: '$2' is not sought in $1" >&2
    tail -c 8 "$1" | grep -q '</html>'
  fi
}
