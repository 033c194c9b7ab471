#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh clone to a universe: installs what is missing (Debian, Ubuntu), builds, runs the demo and lists its files.
# Safe to repeat: a finished demo is kept; `run/quickstart.sh --again` runs it anew; --sphere: a sphere in a vacuum instead
# of a periodic box. A new build has kernels for the GPUs that are here, if there are any; --gpu: for A100 and H100, also
# without a GPU; --no-gpu: none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh

demo=run/examples/lcdm_box.toml again='' kernels=''
for option in "$@"; do
  case $option in
    --again) again=yes ;;
    --box) demo=run/examples/lcdm_box.toml ;;
    --sphere) demo=run/examples/demo.toml ;;
    --gpu) kernels=-DMULTIWALK_CUDA=ON ;;
    --no-gpu) kernels=-DMULTIWALK_CUDA=OFF ;;
    *) fail "unknown option '$option': usage is run/quickstart.sh [--sphere] [--again] [--gpu | --no-gpu]" ;;
  esac
done
directory=$(sed -nE "s/^ *directory *= *[\"']([^\"']*)[\"'].*/\1/p" "$demo")
[ -n "$directory" ] || fail "$demo names no run directory: add directory = \"demo\" to its [run] section"

SECONDS=0
install_packages "${build_packages[@]}"
if [ -z "$kernels" ] && [ ! -e build/CMakeCache.txt ]; then  # a configured folder stays as it is
  architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | awk '$1 >= 8 {print 10 * $1}' | sort -u | paste -sd ';') || true
  if [ -n "$architectures" ]; then
    kernels="-DMULTIWALK_CUDA=AUTO -DCMAKE_CUDA_ARCHITECTURES=$architectures"
  else
    say "no GPU here that is new enough: building for CPUs only (run/quickstart.sh --gpu builds for GPUs elsewhere, too)"
    kernels=-DMULTIWALK_CUDA=OFF
  fi
fi
MULTIWALK_CMAKE_ARGS="$kernels ${MULTIWALK_CMAKE_ARGS:-}"
configure release build
minutes=$(minutes_to_build build installed)
[ "$minutes" -eq 0 ] || say "the build will take about $minutes min"
build build installed
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
