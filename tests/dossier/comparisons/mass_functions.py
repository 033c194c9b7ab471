# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of halos: fitted mass functions (colossus) and the Mira-Titan emulator."""
import contextlib
import io
from dataclasses import dataclass

import h5py
import numpy as np

from kit.charts import BLUE, GOLD, INK, RED, TEAL, chart, limits
from kit.comparison import Comparison, NotRun, package, version

FORCES = False
BLANK = Comparison(
    "Mass functions: colossus and the Mira-Titan emulator",
    "Diemer (2018, ApJS 239, 35) for Watson et al. (2013), Jenkins et al. (2001) and Tinker et al. (2008); Bocquet et "
    "al. (2020, ApJ 901, 5) for the emulator",
    "The pair of boxes of the emulator for the power spectrum, and a box of 128 Mpc/h with 96^3 particles (192^3 with "
    "--gpu), at z = 0. Groups are linked at 0.2 of the mean spacing, and their masses corrected for the number N of "
    "particles by 1 - N^-0.6 (Warren et al. 2006); M200c, which few particles make 8% too low, is divided by 0.92, and M200m "
    "is not corrected. Halos below 100 particles are left out. The tolerance is 10% for the fits, which differ from each "
    "other by as much, and 5% for the emulator, plus twice the Poisson error")
COSMOLOGY = {"omega_m": 0.3111, "omega_b": 0.0490, "h": 0.6766, "n_s": 0.9665, "sigma8": 0.8102}
LEAST = 100  # particles
PER_DECADE = 4


@dataclass
class Definition:
    """A mass, and the dn/dlnM that others give for it: h^3/Mpc^3 of Msun/h."""

    name: str
    dataset: str
    fits: dict  #: name: function
    least: float = 0.0  #: Msun/h: the fits begin here
    low: float = 0.0  #: the part of the mass that halos of few particles lack (README.md)
    spread: float = 0.10  #: of the fits

    def masses(self, file) -> np.ndarray:
        """Msun/h of the groups in a catalogue."""
        mass = file[f"Group/{self.dataset}"][:].astype(float)
        if self.dataset == "GroupMass":
            mass = mass * (1 - file["Group/GroupLen"][:].astype(float) ** -0.6)
        return mass * 1e10 / (1 - self.low)


def colossus_fit(mass_function, model: str, definition: str):
    return lambda mass: mass_function.massFunction(mass, 0.0, mdef=definition, model=model, q_out="dndlnM")


def mira_titan():
    """The emulator for M200c, or none where it is missing."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            emulator = package("MiraTitanHMFemulator").Emulator()
    except NotRun:
        return None
    c = COSMOLOGY
    words = {"Ommh2": c["omega_m"] * c["h"] ** 2, "Ombh2": c["omega_b"] * c["h"] ** 2, "Omnuh2": 0.0, "n_s": c["n_s"],
             "h": c["h"], "sigma_8": c["sigma8"], "w_0": -1.0, "w_a": 0.0}
    return lambda mass: emulator.predict(words, 0.0, mass, get_errors=False)[0].ravel()


def definitions() -> list[Definition]:
    cosmology = package("colossus.cosmology.cosmology", "colossus")
    mass_function = package("colossus.lss.mass_function", "colossus")
    c = COSMOLOGY
    cosmology.setCosmology("dossier", flat=True, H0=100 * c["h"], Om0=c["omega_m"], Ob0=c["omega_b"], sigma8=c["sigma8"],
                           ns=c["n_s"], relspecies=False, persistence="")
    found = [Definition("friends of friends", "GroupMass",
                        {"Watson et al. (2013)": colossus_fit(mass_function, "watson13", "fof"),
                         "Jenkins et al. (2001)": colossus_fit(mass_function, "jenkins01", "fof")}),
             Definition("200 mean", "Group_M_Mean200",
                        {"Tinker et al. (2008)": colossus_fit(mass_function, "tinker08", "200m")})]
    emulated = mira_titan()
    if emulated:
        found.append(Definition("200 critical", "Group_M_Crit200", {"Mira-Titan": emulated}, 1e13, low=0.08, spread=0.05))
    return found


@dataclass
class Sample:
    """Boxes of one kind at z = 0."""

    catalogues: list
    side: float  #: Mpc/h
    particle: float  #: Msun/h

    @property
    def volume(self) -> float:
        return len(self.catalogues) * self.side**3


def sample(runs: list) -> Sample:
    catalogues = [sorted(run.glob("fof_subhalo_tab_*.hdf5"))[-1] for run in runs]
    with h5py.File(catalogues[0]) as file:
        group, header = file["Group"], file["Header"].attrs
        return Sample(catalogues, header["BoxSize"] / 1000, 1e10 * float(group["GroupMass"][0] / group["GroupLen"][0]))


def counted(sample: Sample, definition: Definition, edges: np.ndarray) -> np.ndarray:
    counts = np.zeros(len(edges) - 1)
    for path in sample.catalogues:
        with h5py.File(path) as file:
            counts += np.histogram(definition.masses(file), edges)[0]
    return counts


def expected(fit, edges: np.ndarray, volume: float) -> np.ndarray:
    """Halos between the edges: dn/dlnM integrated by Simpson's rule."""
    low, high = np.log(edges[:-1]), np.log(edges[1:])
    values = [fit(np.exp(x)) for x in (low, (low + high) / 2, high)]
    return volume * (high - low) * (values[0] + 4 * values[1] + values[2]) / 6


def compare(context) -> Comparison:
    kinds = definitions()
    samples = {"256 Mpc/h": (sample(context.emulator_boxes()), 1.6e15, RED),
               "128 Mpc/h": (sample([context.mass_function_box()]), 1.6e14, BLUE)}
    packages = f"{version('colossus')}, {version('MiraTitanHMFemulator')}"
    result = Comparison(BLANK.title, f"{packages}: {BLANK.reference}", BLANK.setting)
    for definition in kinds:
        with chart(f"Halos by mass: {definition.name}", rows=2) as drawn:
            for label, (boxes, most, colour) in samples.items():
                draw(drawn.axes, measured(result, definition, boxes, most, label), label, colour)
            limits(drawn.axes[1], 0.9, 1.1)
            name = next(iter(definition.fits))
            drawn.axes[0].set(ylabel=r"dn/dlnM [$(h/{\rm Mpc})^3$]")
            drawn.axes[1].set(xlabel=r"M [${\rm M}_\odot/h$]", ylabel=f"ratio to\n{name}", ylim=(0.6, 1.4))
            drawn.axes[0].legend()
        result.charts.append(drawn.svg)
    return result


def measured(result: Comparison, definition: Definition, boxes: Sample, most: float, label: str) -> dict:
    """Counts and fits in bins. The figures count all halos from 100 particles, or from the first mass of the fits, to `most`."""
    least = max(LEAST * boxes.particle, definition.least)
    edges = np.geomspace(least, most, 1 + int(np.ceil(PER_DECADE * np.log10(most / least))))
    counts = counted(boxes, definition, edges)
    fits = {name: expected(fit, edges, boxes.volume) for name, fit in definition.fits.items()}
    for name, number in fits.items():
        tolerance = definition.spread + 2 / np.sqrt(number.sum())
        result.measure(f"{definition.name}, {label}, {counts.sum():.0f} halos above {least:.2g} Msun/h / {name}",
                       counts.sum() / number.sum(), 1 + tolerance, 1 - tolerance)
    return {"mass": np.sqrt(edges[1:] * edges[:-1]), "counts": counts, "fits": fits,
            "density": 1 / (boxes.volume * np.log(edges[1:] / edges[:-1]))}


def draw(axes, bins: dict, label: str, colour: str) -> None:
    above, below = axes
    mass, counts, density = bins["mass"], bins["counts"], bins["density"]
    some = counts > 0
    above.errorbar(mass[some], (counts * density)[some], (np.sqrt(counts) * density)[some], fmt="o", markersize=3,
                   color=colour, label=label)
    reference = None
    for (name, number), line in zip(bins["fits"].items(), (INK, TEAL, GOLD)):
        first = label.startswith("256")
        above.loglog(mass, number * density, color=line, linewidth=1, label=name if first else None)
        if reference is None:
            reference = number
        else:
            below.semilogx(mass, number / reference, color=line, linewidth=1)
    below.errorbar(mass[some], (counts / reference)[some], (np.sqrt(counts) / reference)[some], fmt="o", markersize=3,
                   color=colour)
