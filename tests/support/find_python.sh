# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests that read files in Python, after `reader`, a module, and $multiwalk are set: $python is the first of
# those here that has it, that of check.sh's build/python before others. Ends the test as skipped if none has.
python=
for candidate in "$(dirname "$multiwalk")/python/bin/python" python3 /usr/bin/python3; do
  "$candidate" -c "import h5py, $reader" 2>/dev/null || continue
  python=$candidate
  break
done
[ -n "$python" ] || {
  echo "SKIPPED, not tested here: files read with $reader, which no Python here has (pip install h5py $reader)"
  exit 77
}
