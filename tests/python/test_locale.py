# SPDX-License-Identifier: GPL-3.0-or-later
"""A process whose locale writes a decimal comma: numbers keep their point."""
import json
import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("localedef"), reason="no localedef here")

COMMA = 'comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n'

USE = """
import hashlib, json, locale, sys
if sys.argv[1:]:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","
import numpy as np, multiwalk as mw
k = np.logspace(-3, 2, 60)
with open("power.txt", "w") as file:
    file.writelines(f"{a:.6e} {1e4 * a / (1 + (a / 0.02) ** 2) ** 1.5:.6e}\\n" for a in k)
p = mw.Parameters(text='[model]\\nkind = "box"\\nbox_size = "20.5 Mpc/h"\\n', run={"directory": "box", "threads": 1, "deterministic": True},
                  model={"seed": 3}, ic={"grid": 8, "z_start": 9.5},
                  time={"z_end": 4.5, "eta": 0.5, "max_dlna": 0.25},
                  cosmology={"transfer": "file", "transfer_file": "power.txt", "h": 0.675},
                  output={"error_sample": 0, "census_epochs": 0, "images": False, "power": True, "halos": True})
sim = mw.Simulation(p, progress=False).run()
made = {"parameters": p.to_toml(), "time": sim.time, "sigma8": sim.parameters["cosmology"]["sigma8"],
        "image": hashlib.sha256(sim.image(width="13.5 Mpc", pixels=32).png).hexdigest(),
        "power": [float(v) for v in sim.power_spectrum().power],
        "files": {path: [line for line in open(path) if not line.startswith(("# run ", "transfer_file"))]
                  for path in ("box/parameters.toml", "box/power_000.csv")}}
with open("bodies.txt", "w") as file:
    file.write("mass x y z vx vy vz\\n0.5 0.25 0 0 0 0.5 0\\n0.5 -0.25 0 0 0 -0.5 0\\n")
bodies = mw.Parameters(run={"directory": "bodies", "threads": 1}, model={"kind": "bodies", "file": "bodies.txt"},
                       force={"softening": 0.125}, time={"integrator": "hermite", "t_end": 0.25},
                       output={"images": False})
pair = mw.Simulation(bodies, progress=False).run()
made["bodies"] = pair.particles.position.tolist()
made["table"] = [line for line in open("box/steps.csv")][0]
try:
    mw.Parameters(model={"kind": "box", "box_size": 20.5}, time={"eta": -0.5})
except mw.InputError as error:
    made["message"] = str(error)
print(json.dumps(made))
"""


def test_a_decimal_comma_changes_nothing(tmp_path):
    (tmp_path / "comma").write_text(COMMA)
    subprocess.run(["localedef", "-c", "--no-archive", "-i", str(tmp_path / "comma"), str(tmp_path / "xx_XX")],
                   capture_output=True)
    environment = dict(os.environ, LOCPATH=str(tmp_path))
    made = {}
    for name in ((), ("xx_XX",)):
        folder = tmp_path / f"as{len(name)}"
        folder.mkdir()
        used = subprocess.run([sys.executable, "-c", USE, *name], cwd=folder, env=environment, capture_output=True,
                              text=True, timeout=120)
        assert used.returncode == 0, used.stderr
        made[name] = json.loads(used.stdout)
    plain, comma = made.values()
    assert plain["bodies"] and plain["power"] and plain["files"]
    assert comma == plain
