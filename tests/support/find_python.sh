# Sourced by tests that read files in Python: $python is the first of those here that has h5py, that of check.sh's
# build/python, with yt and pynbody, before others; empty if none has. Needs $multiwalk.
python=
for candidate in "$(dirname "$multiwalk")/python/bin/python" python3 /usr/bin/python3; do
  "$candidate" -c 'import h5py' 2>/dev/null || continue
  python=$candidate
  break
done
[ -n "$python" ] || echo "not tested here: the files in Python (no h5py)"
