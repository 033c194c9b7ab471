# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear theory: transfer functions and growth of a Boltzmann code."""
import numpy as np

from kit.charts import BLUE, INK, RED, chart, limits
from kit.comparison import Comparison, package, version
from kit.program import read_table

FORCES = False
BLANK = Comparison(
    "Linear power and growth: the Boltzmann code CAMB",
    "Lewis, Challinor & Lasenby (2000, ApJ 538, 473), massless neutrinos",
    "The fit of Eisenstein & Hu (1998), the default, departs from CAMB by a few per cent. With CAMB's own table for z = 0 and "
    "cosmology.radiation = true, the spectrum of our particles must follow CAMB back to z = 49. CAMB is compared in "
    "the bins that multiwalk power prints")
PARAMETERS = {"omega_m": 0.3111, "omega_b": 0.0490, "h": 0.6766, "n_s": 0.9665, "sigma8": 0.8102}
REDSHIFTS = (0, 9, 49)


class Camb:
    """Linear P(k) in (Mpc/h)^3, k in h/Mpc, normalised to sigma8."""

    def __init__(self, camb):
        c = PARAMETERS
        setting = camb.set_params(H0=100 * c["h"], ombh2=c["omega_b"] * c["h"] ** 2, mnu=0, num_massive_neutrinos=0,
                                  omch2=(c["omega_m"] - c["omega_b"]) * c["h"] ** 2, ns=c["n_s"], As=2e-9, omk=0)
        setting.set_matter_power(redshifts=sorted(REDSHIFTS, reverse=True), kmax=30, k_per_logint=40)
        results = camb.get_results(setting)
        self.scale = (c["sigma8"] / results.get_sigma8_0()) ** 2
        self.table = results.get_matter_power_interpolator(nonlinear=False, extrap_kmax=100)

    def power(self, z: float, k) -> np.ndarray:
        return self.scale * self.table.P(z, k)


def toml(context, camb: Camb):
    """A parameter file, and CAMB's table beside it."""
    folder = context.program.folder / "boltzmann"
    folder.mkdir(parents=True, exist_ok=True)
    k = np.geomspace(1e-4, 30, 600)
    np.savetxt(folder / "camb.txt", np.column_stack([k, camb.power(0, k)]))
    values = "".join(f"{name} = {value}\n" for name, value in PARAMETERS.items())
    path = folder / "box.toml"
    path.write_text(f'[model]\nkind = "box"\nbox_size = 1000\n[cosmology]\nomega_lambda = {1 - PARAMETERS["omega_m"]}\n{values}'
                    "[ic]\ngrid = 64\nlpt_order = 1\nfixed_amplitude = true\n")
    return path


def spectrum(context, path, name: str, *settings: str) -> np.ndarray:
    """The table that `multiwalk power` writes of initial conditions, up to three quarters of the Nyquist wavenumber."""
    snapshot = context.program.initial_conditions(f"boltzmann/{name}", path, *settings)
    table = snapshot.with_suffix(".csv")
    transfer = ["--transfer", path.parent / "camb.txt"] if "camb" in name else []
    context.program.call("power", snapshot, "--csv", table, *transfer)
    rows = read_table(table)
    return rows[rows["k"] < 0.75 * np.pi * 64 / 1000]


def compare(context) -> Comparison:
    camb_module = package("camb")
    camb = Camb(camb_module)
    path = toml(context, camb)
    result = Comparison(BLANK.title, f"{version('camb')}: {BLANK.reference}", BLANK.setting)
    fit = spectrum(context, path, "fit", "ic.z_start=0.0001", "model.box_size=500")
    departure = fit["linear"] / camb.power(0, fit["k"]) - 1
    result.measure("Eisenstein & Hu: rms departure of P(k) at z = 0", np.sqrt(np.mean(departure**2)), 0.03)
    result.measure("Eisenstein & Hu: largest departure", np.abs(departure).max(), 0.06)
    with chart("P(k) of our initial conditions / CAMB's") as drawn:
        axes = drawn.axes[0]
        axes.semilogx(fit["k"], 1 + departure, color=INK, linewidth=1.2, label="Eisenstein & Hu, z = 0")
        for z, colour in zip(REDSHIFTS[1:], (BLUE, RED)):
            rows = spectrum(context, path, f"camb_{z}", f"ic.z_start={z}", "cosmology.radiation=true",
                            'cosmology.transfer="file"', f"cosmology.transfer_file={path.parent / 'camb.txt'}")
            exact = camb.power(z, rows["k"])
            for kind, column in (("particles", "power"), ("linear theory", "linear")):
                ratio = rows[column] / exact
                result.ratio(f"CAMB's table, z = {z}: mean P(k) of our {kind} / CAMB's", ratio.mean(), 0.9984)
            axes.semilogx(rows["k"], rows["power"] / exact, "o", markersize=3, color=colour, label=f"CAMB's table, z = {z}")
        limits(axes, 0.99, 1.01)
        axes.set(xlabel="k [h/Mpc]", ylabel="ratio", ylim=(0.9, 1.1))
        axes.legend()
    result.charts.append(drawn.svg)
    return result
