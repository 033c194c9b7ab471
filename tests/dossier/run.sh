#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [BUILD] [options]: compares Multiwalk with other people's results and writes a page; see tests/dossier/README.md.
# The Python packages go into CACHE/python (--cache CACHE, default $XDG_CACHE_HOME/multiwalk_dossier); a package that
# cannot be installed leaves its comparisons out. MULTIWALK_DOSSIER_PYTHON names a Python that has them already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/multiwalk_dossier
arguments=("$@")
for ((i = 0; i < $#; ++i)); do
  case ${arguments[i]} in
    --cache) cache=${arguments[i + 1]:?--cache needs a folder} ;;
    --cache=*) cache=${arguments[i]#--cache=} ;;
    -h | --help) exec python3 "$here/dossier.py" --help ;;
  esac
done

python=${MULTIWALK_DOSSIER_PYTHON:-$cache/python/bin/python}
if [ -z "${MULTIWALK_DOSSIER_PYTHON:-}" ]; then
  mkdir -p "$cache"
  [ -x "$python" ] || python3 -m venv "$cache/python"
  while read -r package module; do
    "$python" -c "import $module" 2>/dev/null && continue
    echo "installing $package"
    "$python" -m pip install --quiet --disable-pip-version-check --prefer-binary "$package" ||
      echo "$package cannot be installed: what needs it will not run"
  done < <(grep -v '^#' "$here/packages.txt")
fi
"$python" -c 'import numpy, h5py, matplotlib' || {
  echo "the dossier needs numpy, h5py and matplotlib in $python" >&2
  exit 2
}
exec "$python" "$here/dossier.py" --cache "$cache" "$@"
