#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_wheel.sh WHEEL [PYTHON]: installs the wheel in a fresh environment and runs there without any other variable of the
# environment: a small box with its picture. Fails if that loads a library that is neither in the environment, nor Python's,
# nor part of the manylinux policy; if the wheel takes more than 50 MB; if pip finds conflicts; or if h5py and netCDF4
# do not work beside it.
set -euo pipefail
wheel=$(realpath "$1") python=${2:-python3}
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

[ "$(stat -c %s "$wheel")" -le 50000000 ] || { echo "$wheel has more than 50 MB" >&2 && exit 1; }
"$python" -m venv bare
bare/bin/pip install -q "$wheel"
bare/bin/pip check
env -i bare/bin/python - <<'PY'
import ctypes  # noqa: F401 - this and what follows bring libraries of Python's own
import pathlib
import re
import ssl  # noqa: F401
import sys


def mapped():
    return {pathlib.Path(line.split(None, 5)[5].strip()) for line in open("/proc/self/maps") if ".so" in line}


of_python = mapped()
import multiwalk as mw  # noqa: E402

p = mw.Parameters(run={"directory": "box"}, model={"kind": "box", "box_size": 20}, ic={"grid": 16}, force={"accuracy": "fast"},
                  time={"z_end": 1, "eta": 0.3}, output={"redshifts": [1], "error_sample": 0})
sim = mw.Simulation(p, progress=False).run()
assert sim.finished and sim.image(pixels=100).png.startswith(b"\x89PNG")
sim.power_spectrum()
assert len(mw.open("box/snapshot_000.hdf5").particles.position) == 16**3

policy = re.compile(r"(ld-linux-.*|lib(c|m|dl|rt|pthread|util|resolv|nsl|z|stdc\+\+|gcc_s))\.so[.\d]*|ld-\d.*")
loaded = mapped() - of_python
own = [path for path in loaded if pathlib.Path("bare").resolve() in path.parents]
assert any("libhdf5" in path.name for path in own), own
foreign = [str(path) for path in loaded if path not in own and "lib-dynload" not in path.parts and not policy.fullmatch(path.name)]
if foreign:
    sys.exit("the wheel is not self-contained, it loads " + " ".join(sorted(foreign)))
print(f"{mw.__version__} runs alone: {len(own)} libraries of the environment")
PY

bare/bin/pip install -q --only-binary :all: pytest h5py netCDF4
bare/bin/pip check
cp "$source"/tests/python/{conftest,test_neighbours}.py .
env -i PYTHONDONTWRITEBYTECODE=1 bare/bin/python -m pytest -q -p no:cacheprovider test_neighbours.py
