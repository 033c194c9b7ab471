#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh clone to a universe: installs what is missing (Debian, Ubuntu), builds, runs the demo and lists its files.
# Safe to repeat: a finished demo is kept; `run/quickstart.sh --again` runs it anew; --sphere: a sphere in a vacuum instead
# of a periodic box.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh

demo=run/examples/lcdm_box.toml again=
for option in "$@"; do
  case $option in
    --again) again=yes ;;
    --box) demo=run/examples/lcdm_box.toml ;;
    --sphere) demo=run/examples/demo.toml ;;
    *) fail "unknown option '$option': usage is run/quickstart.sh [--sphere] [--again]" ;;
  esac
done
directory=$(sed -nE "s/^ *directory *= *[\"']([^\"']*)[\"'].*/\1/p" "$demo")
[ -n "$directory" ] || fail "$demo names no run directory: add directory = \"demo\" to its [run] section"

SECONDS=0
install_packages "${build_packages[@]}"
configure_and_build release build installed
say "set up and built in $SECONDS s"

SECONDS=0
finished=$(grep -s '^ "finished": true' "$directory/report.json" || true)   # written last, when all files are there
if [ -z "$again" ] && [ -n "$finished" ] && [ "$directory/report.json" -nt "$demo" ]; then
  say "the demo has run already: its files are kept (run/quickstart.sh --again runs it anew)"
else
  # A demo that was stopped goes on from its checkpoint; otherwise it starts anew.
  if [ -z "$again$finished" ] && compgen -G "$directory/checkpoint_*.mwc" >/dev/null; then
    how=(--restart "$directory")
  else
    how=("$demo" --overwrite)
  fi
  say "running the demo: build/multiwalk run ${how[*]}"
  build/multiwalk run "${how[@]}" || fail "the demo stopped: the reason is above; run/quickstart.sh goes on with it"
  say "the demo ran in $SECONDS s"
fi

say "what it wrote:"
find "$directory" -type f -printf '%s\t%p\n' | sort -k 2 | numfmt --to=iec --field=1 --padding=6
say "open the report in a browser: xdg-open $directory/report.html"
