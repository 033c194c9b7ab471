# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters have the names, checks and help of the parameter file."""
import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import multiwalk as mw
from multiwalk import InputError, Parameters, UnknownKey


def test_sections_are_dictionaries(source):
    p = Parameters.from_toml(source / "run/examples/lcdm_box.toml", force={"accuracy": "fast"})
    assert p["model"]["kind"] == "box" and p["force"]["accuracy"] == "fast" and p["force.accuracy"] == "fast"
    p["time"]["eta"] = 0.1
    p["output.redshifts"] = np.array([3.0, 1.0])
    assert p["time"]["eta"] == 0.1 and p["output"]["redshifts"] == [3.0, 1.0]
    assert set(p) >= {"run", "model", "force"} and "theta" in p["force"] and len(p["force"]) > 5
    assert p["force"].get("nothing") is None and "nothing" not in p["force"] and "nothing" not in p
    del p["time"]["eta"]  # back to that of the file
    assert p == Parameters.from_toml(source / "run/examples/lcdm_box.toml", force={"accuracy": "fast"},
                                     output={"redshifts": [3.0, 1.0]})


def test_lengths_may_have_units():
    p = Parameters(model={"kind": "box", "box_size": "100 Mpc"})
    assert p["model"]["box_size"] == pytest.approx(100 * p["cosmology"]["h"])


@pytest.mark.parametrize("sections, message", [
    ({"force": {"tehta": 0.5}}, "theta"), ({"frce": {"theta": 0.5}}, "force"), ({"force": {"theta": -1}}, "force.theta"),
    ({"force": {"theta": "wide"}}, "force.theta"), ({"force": {"accuracy": "best"}}, "reference"),
    ({"force": 3}, "dictionary"), ({"force": {"theta": object()}}, "force.theta"),
    ({"time": {"eta": float("nan")}}, "time.eta"), ({"run": {"title": "a\nb\x01\""}}, None),
    ({"run": {"threads": 2**70}}, "run.threads"), ({"run": {"threads": True}}, "run.threads"),
    ({"ic": {"grid": 1.5}}, "ic.grid"), ({"output": {"redshifts": [1, "a"]}}, "output.redshifts")])
def test_refused_values_say_what_is_meant(sections, message):
    if message is None:
        assert Parameters(**sections)["run"]["title"] == sections["run"]["title"]
        return
    with pytest.raises(InputError, match=message):
        Parameters(**sections)


def test_a_refused_value_changes_nothing():
    p = Parameters(force={"theta": 0.4})
    with pytest.raises(InputError):
        p["force"]["theta"] = -2
    assert p["force"]["theta"] == 0.4 and p == Parameters(force={"theta": 0.4})


def test_unknown_names_are_key_errors():
    p = Parameters()
    with pytest.raises(KeyError):
        p["nothing"]
    with pytest.raises(UnknownKey, match="theta"):
        p["force"]["tehta"]


def test_messages_name_file_and_line(tmp_path):
    (tmp_path / "p.toml").write_text("[force]\n\nthteta = 1\n")
    with pytest.raises(InputError, match=r"p\.toml:3: .*force\.theta"):
        Parameters.from_toml(tmp_path / "p.toml")
    with pytest.raises(InputError, match="none.toml"):
        Parameters.from_toml("none.toml")


def test_copies_and_texts_are_the_same():
    p = Parameters(model={"kind": "box", "box_size": 50.5}, run={"title": "ü \\ \"x\""}, ic={"lpt_order": 1})
    assert pickle.loads(pickle.dumps(p)) == p == copy.deepcopy(p) == p.copy()
    assert Parameters(text=p.to_toml()) == p
    other = p.copy(ic={"grid": 32})
    assert other["ic"]["grid"] == 32 and p["ic"]["grid"] != 32 and other != p


def test_help_is_that_of_the_table(source):
    page = (source / "run/PARAMETERS.md").read_text()
    rows = Parameters.help().rows
    assert len(rows) > 80
    for row in rows:
        assert row.help.replace("|", "\\|") in page
    assert "theta" in repr(Parameters.help("force.theta"))
    assert "<table>" in Parameters.help("force")._repr_html_()
    with pytest.raises(UnknownKey, match="force.theta"):
        Parameters.help("force.thteta")


def test_reprs():
    p = Parameters(run={"title": "<b>"}, force={"theta": 0.4})
    assert "force.theta = 0.4" in repr(p) and "&lt;b&gt;" in p._repr_html_() and "theta" in repr(p["force"])


def test_import_loads_nothing_heavy():
    code = """
import sys, multiwalk
assert not {"numpy", "multiwalk._multiwalk"} & set(sys.modules)
assert set(multiwalk.__all__) <= set(dir(multiwalk))
for name in multiwalk.__all__:
    assert name == "plot" or getattr(multiwalk, name) is not None
assert "matplotlib" not in sys.modules
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
