# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests that read files in Python, after `reader`, a module, and $multiwalk are set: $python is the first of
# those here that has it, that of check.sh's build/python before others. Ends the test as skipped if none has.
python_with() {
  local candidate
  for candidate in "$(dirname "$multiwalk")/python/bin/python" python3 /usr/bin/python3; do
    "$candidate" -c "import h5py, $1" 2>/dev/null && echo "$candidate" && return
  done
  return 1
}
skip_without() {
  echo "SKIPPED, not tested here: files read with $1, which no Python here has (pip install h5py $1)"
  exit 77
}
python=$(python_with "$reader") || skip_without "$reader"

# as_each_reads FUNCTION READER...: calls it with each $reader that a $python here has; at last skips if one was missing.
as_each_reads() {
  local missing=
  for reader in "${@:2}"; do
    if python=$(python_with "$reader"); then "$1"; else missing+=${missing:+ }$reader; fi
  done
  [ -z "$missing" ] || skip_without "$missing"
}
