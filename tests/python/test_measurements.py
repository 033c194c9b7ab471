# SPDX-License-Identifier: GPL-3.0-or-later
"""Initial conditions, snapshots, halos, spectra, images, ensembles and figures."""
import importlib.util
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest

import multiwalk as mw
from multiwalk import InputError

have = importlib.util.find_spec


@pytest.fixture(scope="module")
def clustered(tmp_path_factory):
    """The directory of a run with halos."""
    directory = tmp_path_factory.mktemp("clustered") / "run"
    p = mw.Parameters(run={"directory": directory}, model={"kind": "box", "box_size": 16, "seed": 5},
                      ic={"grid": 24, "z_start": 24}, force={"accuracy": "fast"}, time={"eta": 0.3},
                      output={"redshifts": [0], "halos": True, "error_sample": 0, "census_epochs": 0})
    return mw.Simulation(p, progress=False).run()


def test_snapshots_are_read_when_used(clustered):
    path = pathlib.Path(clustered.directory) / "snapshot_000.hdf5"
    snap = mw.open(path)
    assert len(snap) == 24**3 and snap.redshift == pytest.approx(0) and snap.box_size == 16 and snap._owner is None
    assert "gadget" in repr(snap) and snap._owner is None
    order, ours = np.argsort(snap.id), np.argsort(clustered.particles.id)
    assert np.allclose(snap.position[order], clustered.particles.position[ours], rtol=0, atol=1e-12)
    assert np.allclose(snap.velocity[order], clustered.particles.velocity[ours], rtol=3e-7, atol=1e-4)
    assert not snap.position.stale and not snap.position.flags.writeable
    pathlib.Path("no.hdf5").write_text("no snapshot")
    for bad in ("nothing.hdf5", "no.hdf5", "."):
        with pytest.raises((InputError, mw.Error)):
            mw.open(bad)


def test_halos_are_those_of_the_run(clustered):
    halos = clustered.halos()
    report = clustered.report["outputs"][-1]["halos"]
    assert len(halos) == report["halos"] > 5 and halos["particles"].sum() == report["members"]
    assert (np.diff(halos["mass"]) <= 0).all() and halos.units["mass"] == "Msun/h"
    assert 1e11 < halos[0]["mass"] < 1e15 and ((0 <= halos["position"]) & (halos["position"] < 16)).all()
    again = mw.open(f"{clustered.directory}/snapshot_000.hdf5").halos()
    assert np.array_equal(again["particles"], halos["particles"])
    assert type(halos["mass"]) is np.ndarray and len(halos[halos["mass"] > halos["mass"][3]]) == 3
    mass, density, error = halos.mass_function(bins=4)
    assert np.isclose((density * 16**3).sum() * (np.log(mass[1]) - np.log(mass[0])), len(halos))
    assert "halos" in repr(halos) == str(halos) and "M200c" in halos._repr_html_()
    for options in ({"linking": -1}, {"linking": True}, {"linking": float("nan")}, {"linking": "x"}, {"min_particles": 0}, {"min_particles": 2**40}, {"min_particles": 1.5}):
        with pytest.raises(InputError):
            clustered.halos(**options)


@pytest.mark.skipif(not have("pandas"), reason="no pandas here")
def test_tables_for_pandas(clustered):
    table = clustered.halos().to_pandas()
    assert {"mass", "position_x", "spin_z"} <= set(table.columns) and len(table) == len(clustered.halos())
    assert len(clustered.power_spectrum().to_pandas()) > 5


def test_power_is_that_of_the_run(clustered):
    k, power = spectrum = clustered.power_spectrum()
    bins = clustered.report["outputs"][-1]["power"]["bins"]
    assert np.allclose(k, [b["k"] for b in bins], rtol=1e-12, atol=0)
    assert np.allclose(power, [b["power"] for b in bins], rtol=1e-9, atol=0)
    assert np.isfinite(spectrum.linear).all() and "sigma" in spectrum._repr_html_() and "z = " in repr(spectrum)
    assert len(clustered.power_spectrum(mesh=32, folds=0).k) < len(k)
    for options in ({"mesh": -1}, {"mesh": 1.5}, {"assignment": "ngp"}, {"assignment": 3}, {"folds": 99}):
        with pytest.raises(InputError):
            clustered.power_spectrum(**options)


def size_of(png):
    return struct.unpack(">II", png[16:24])


def test_images(clustered):
    halo = clustered.halos()[0]
    assert size_of(clustered.image(pixels=64).png) == (64, 64)
    for options in ({"width": "5 Mpc/h", "center": halo}, {"center": halo}, {"width": 3, "center": [1, 2, 3], "axis": "x"},
                    {"width": "2 Mpc"}):
        image = clustered.image(pixels=32, **options)
        assert size_of(image.png) == (32, 32) and image._repr_png_() == image.png
    image.save("a.png")
    assert pathlib.Path("a.png").read_bytes() == image.png
    pathlib.Path("a.hdf5").write_text("a snapshot")
    with pytest.raises(InputError, match="written as .png"):
        image.save("a.hdf5")
    assert pathlib.Path("a.hdf5").read_text() == "a snapshot"
    for options in ({"pixels": 1}, {"pixels": 1e3}, {"axis": "w"}, {"width": "wide"}, {"width": "3 s"}, {"width": 0},
                    {"width": float("nan")}, {"center": [1, 2]}, {"center": "here"}, {"center": [1, 2, np.nan], "width": 1},
                    {"center": [1, 2, 3]}, {"width": []}):
        with pytest.raises(InputError):
            clustered.image(**options)


def test_projections_have_extent_and_mass(clustered):
    halo = clustered.halos()[0]
    p = clustered.projection(width=4, center=halo, pixels=64)
    assert p.values.shape == (64, 64) and p.extent[1] - p.extent[0] == pytest.approx(4)
    assert (p.extent[0] + p.extent[1]) / 2 == pytest.approx(halo["position"][0])
    offset = (np.asarray(clustered.particles.position) - halo["position"] + 8) % 16 - 8
    inside = (np.abs(offset) < 2).all(axis=1)
    assert p.values.sum() * (4 / 64) ** 2 == pytest.approx(np.asarray(clustered.particles.mass)[inside].sum(), rel=0.02)
    # The densest pixel is the halo.
    row, column = np.unravel_index(p.values.argmax(), p.values.shape)
    assert abs(row - 32) < 4 and abs(column - 32) < 4


def test_initial_conditions(box):
    ic = mw.initial_conditions(box)
    assert len(ic.particles) == 16**3 and ic.redshift == pytest.approx(24)
    assert ic.write("ic.hdf5") == ["ic.hdf5"]
    assert np.allclose(mw.open("ic.hdf5").position, ic.particles.position, rtol=0, atol=1e-12)
    assert np.isfinite(ic.power_spectrum().power).all() and "4096" in repr(ic)
    sim = mw.Simulation(box, progress=False)
    assert np.array_equal(np.sort(sim.particles.position, axis=0), np.sort(ic.particles.position, axis=0))
    cluster = mw.Parameters(model={"kind": "plummer", "particles": 50}, force={"softening": 0.1},
                            time={"integrator": "hermite"})
    assert len(mw.initial_conditions(cluster).particles) == 50
    with pytest.raises(InputError):
        mw.initial_conditions(mw.Parameters(model={"kind": "file", "file": "ic.hdf5"}))
    x = mw.initial_conditions(box).particles.position  # its owner is gone
    assert np.isfinite(x).all()


@pytest.mark.parametrize("package", ["unyt", "astropy"])
def test_units_of_packages(box, package):
    if not have(package):
        pytest.skip(f"no {package} here")
    ic = mw.initial_conditions(box)
    h = box["cosmology"]["h"]
    x = ic.particles.with_units("position", package)
    assert np.allclose(x.to("kpc").value, np.asarray(ic.particles.position) / h * 1000, rtol=1e-9, atol=0)
    sun, critical = 1.98841e30, 27.75366e10  # kg, h^2 solar masses in a cubic Mpc
    kilograms = box["cosmology"]["omega_m"] * critical * 20**3 / h * sun
    assert ic.particles.with_units("mass", package).to("kg").value.sum() == pytest.approx(kilograms, rel=1e-3)


def test_ensembles(box):
    p = box.copy(output={"redshifts": [], "images": False})
    runs = mw.ensemble(p, seeds=range(2), paired=True, directory="many")
    assert len(runs) == 4 and "4 realisations" in repr(runs)
    made = list(runs)
    assert [(r.seed, r.paired) for r in made] == [(0, False), (0, True), (1, False), (1, True)]
    assert len(made[0].snapshot()) == 16**3
    k, mean, error = runs.mean_power()
    assert len(k) == len(mean) == len(error) and np.allclose(k, made[0].power_spectrum().k, rtol=1e-9, atol=0)
    pairs = [made[0].power_spectrum().power + made[1].power_spectrum().power,
             made[2].power_spectrum().power + made[3].power_spectrum().power]
    assert np.allclose(mean, np.sum(pairs, axis=0) / 4, rtol=1e-9, atol=0)
    assert json.loads(pathlib.Path("many/ensemble.json").read_text())["realisations"][3]["state"] == "finished"
    assert pathlib.Path("many/ensemble.html").exists()
    for seeds in ([1, 1], ["a"], [1.5], [-1], [], 3):
        with pytest.raises(InputError):
            list(mw.ensemble(p, seeds=seeds, directory="other"))
    with pytest.raises(InputError):  # other parameters
        list(mw.ensemble(p.copy(ic={"grid": 8}), seeds=range(3), directory="many"))


@pytest.mark.skipif(not have("matplotlib"), reason="no matplotlib here")
def test_figures(clustered):
    from matplotlib import pyplot

    assert len(mw.plot.power(clustered.power_spectrum()).lines) >= 2
    fits = clustered.report["outputs"][-1]["halos"]["mass_functions"]
    axes = mw.plot.mass_function(clustered.halos(), fits=fits)
    assert axes.get_yscale() == "log" and len(axes.lines) >= 2
    image = mw.plot.projection(clustered.projection(pixels=64))
    assert image.get_images()[0].get_extent()[1] == 16
    for decades in (0, float("nan"), -1, "3"):
        with pytest.raises(mw.InputError, match="decades"):
            mw.plot.projection(clustered.projection(pixels=64), decades=decades)
    pyplot.close("all")


def test_import_is_quick_and_needs_numpy_only():
    code = ("import sys, time, numpy; began = time.perf_counter(); import multiwalk; "
            "took = time.perf_counter() - began; assert 'mpi4py' not in sys.modules and 'matplotlib' not in sys.modules "
            "and 'pandas' not in sys.modules; print(took)")
    took = min(float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
               for _ in range(3))
    assert took < 0.5


@pytest.mark.skipif(not have("h5py"), reason="no h5py here")
@pytest.mark.parametrize("first, second", [("multiwalk", "h5py"), ("h5py", "multiwalk")])
def test_h5py_in_the_same_process(clustered, first, second):
    code = f"""
import {first}
import {second}
import numpy as np
path = {clustered.directory!r} + "/snapshot_000.hdf5"
for _ in range(2):
    with h5py.File(path) as file:
        theirs = file["PartType1/Coordinates"][:] / 1000
    ours = multiwalk.open(path).position
    assert np.allclose(ours, theirs, rtol=0, atol=1e-9)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types_are_declared():
    package = pathlib.Path(mw.__file__).parent
    assert (package / "py.typed").exists()
    assert "tree_forces" in (package / "_multiwalk.pyi").read_text()


def test_names_of_other_formats_are_refused(clustered, tmp_path):
    image, ic = clustered.image(pixels=16), mw.initial_conditions(clustered.parameters)
    for name in ("density.pdf", "density.JPG", "density.hdf5"):
        with pytest.raises(InputError, match=r"written as \.png, not as"):
            image.save(name)
    for name in ("ic.txt", "ic.png", "ic.dat"):
        with pytest.raises(InputError, match=r"written as \.hdf5 or \.h5, not as"):
            ic.write(name)
    assert not list(tmp_path.glob("density*")) and not list(tmp_path.glob("ic.*"))
    image.save("density_0.5")
    image.save("density.png")
    assert (tmp_path / "density_0.5").read_bytes() == (tmp_path / "density.png").read_bytes() == image.png
    assert [pathlib.Path(path).name for path in ic.write("ic_z0.5")] == ["ic_z0.5.hdf5"]


def test_particles_are_not_written_over_their_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, k = pathlib.Path("table.hdf5"), np.geomspace(1e-4, 1e2, 400)
    np.savetxt(table, np.column_stack([k, 1e4 * k / (1 + (k / 0.02) ** 2) ** 1.8]))
    pathlib.Path("other.hdf5").symlink_to("table.hdf5")
    content = table.read_bytes()
    ic = mw.initial_conditions(mw.Parameters(model={"kind": "box", "box_size": 64}, ic={"grid": 8},
                                             cosmology={"transfer": "file", "transfer_file": "other.hdf5"}))
    for name in ("table.hdf5", "other.hdf5"):
        with pytest.raises(InputError, match="is the input of these particles"):
            ic.write(name)
    assert table.read_bytes() == content and ic.write("copy.hdf5") == ["copy.hdf5"]


def test_numbers_and_flags_that_are_none_are_refused(clustered):
    """Each would count as true, as 1, or as anything."""
    nan = float("nan")
    calls = [lambda: clustered.power_spectrum(interlacing="no"), lambda: clustered.power_spectrum(subtract_shot_noise="no"),
             lambda: clustered.image(axis=True), lambda: clustered.image(width=True), lambda: clustered.image(width=nan),
             lambda: clustered.image(width="nan Mpc/h"), lambda: clustered.image(width=1, center=(1, nan, 1)),
             lambda: clustered.halos().mass_function([25.0, nan, 30.0]), lambda: clustered.run(redshift=nan),
             lambda: clustered.step(nan), lambda: clustered.step(0), lambda: clustered.at(redshifts=[nan]),
             lambda: mw.Simulation(clustered.parameters, overwrite="no"),
             lambda: mw.ensemble(clustered.parameters, [1], paired="no")]
    for call in calls:
        with pytest.raises(InputError):
            call()
