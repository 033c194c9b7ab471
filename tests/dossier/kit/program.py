# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of the program, and the files that it reads and writes."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np

CM_PER_MPC, GRAM_PER_MASS, CM_PER_KM = 3.0856775814913673e24, 1.98841e43, 1e5
G = 6.67430e-8 * GRAM_PER_MASS / (CM_PER_MPC * CM_PER_KM**2)  #: Mpc/h (km/s)^2 / (1e10 Msun/h)
CRITICAL_DENSITY = 3 * 100**2 / (8 * np.pi * G)  #: 1e10 Msun/h / (Mpc/h)^3


class Program:
    """The program and the folder of its runs."""

    def __init__(self, binary: Path, folder: Path, *, reuse=False):
        self.binary, self.folder, self.reuse = binary, folder, reuse
        folder.mkdir(parents=True, exist_ok=True)

    def call(self, *arguments, accept=(0,)) -> str:
        """Standard output of a command; RuntimeError with its last line if it ends otherwise."""
        command = [str(self.binary), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env={"OMP_WAIT_POLICY": "passive", **os.environ})
        if done.returncode not in accept:
            last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
            raise RuntimeError(f"multiwalk {arguments[0]} ended with {done.returncode}: {last}")
        return done.stdout

    def initial_conditions(self, name: str, toml: Path, *settings: str) -> Path:
        path = self.folder / name / "ic.hdf5"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (self.reuse and path.exists()):
            self.call("ic", toml, "-o", path, *_set(settings))
        return path

    def run(self, name: str, toml: Path, *settings: str, accept=(0,)) -> Path:
        """The folder of a finished run."""
        folder = self.folder / name / "run"
        if not (self.reuse and (folder / "report.json").exists()):
            self.call("run", toml, "--overwrite", "--quiet", *_set([f"run.directory={folder}", *settings]), accept=accept)
        return folder

    def box(self, name: str, toml: Path, *settings: str) -> Path:
        """Initial conditions made by the program, and their run."""
        conditions = self.initial_conditions(name, toml, *settings)
        return self.run(name, toml, "model.kind=file", f"model.file={conditions}")

    def write_box(self, name: str, particles: dict, *, side: float, a: float, omega_m: float = 1.0) -> Path:
        """A snapshot of equal masses: position (N, 3) in Mpc/h, velocity (N, 3) peculiar in km/s."""
        x, v = particles["position"], particles["velocity"]
        path = self.folder / name / "ic.hdf5"
        path.parent.mkdir(parents=True, exist_ok=True)
        mass = omega_m * CRITICAL_DENSITY * side**3 / len(x)
        count = np.array([0, len(x), 0, 0, 0, 0])
        with h5py.File(path, "w") as file:
            file.create_group("Header").attrs.update({
                "NumPart_ThisFile": count.astype(np.uint32), "NumPart_Total": count.astype(np.uint32),
                "MassTable": np.array([0, mass, 0, 0, 0, 0.0]), "Time": a, "Redshift": 1 / a - 1, "BoxSize": side,
                "NumFilesPerSnapshot": np.int32(1), "Omega0": omega_m, "OmegaLambda": 1 - omega_m, "HubbleParam": 0.7})
            file.create_group("Parameters").attrs.update({
                "UnitLength_in_cm": CM_PER_MPC, "UnitMass_in_g": GRAM_PER_MASS, "UnitVelocity_in_cm_per_s": CM_PER_KM})
            group = file.create_group("PartType1")
            group["Coordinates"], group["Velocities"] = np.mod(x, side), v / np.sqrt(a)
            group["ParticleIDs"] = np.arange(1, len(x) + 1, dtype=np.uint64)
        return path

    def write_bodies(self, name: str, table: np.ndarray) -> Path:
        """Rows of mass, position and velocity, G = 1."""
        path = self.folder / name / "bodies.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(path, table, fmt="%.17g")
        return path


def _set(settings) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


def read_snapshot(path: Path) -> dict:
    """Position (Mpc/h, or model length from the origin), peculiar velocity (km/s, or model velocity) and
    acceleration (km/s)^2/(Mpc/h) of the particles in the order of their ids, and the time or expansion factor."""
    with h5py.File(path) as file:
        particles, header = file["PartType1"], file["Header"].attrs
        newtonian = file["Run"].attrs["frame"] == b"newtonian"
        order = np.argsort(particles["ParticleIDs"][:])
        found = {"time": float(header["Time"]), "position": particles["Coordinates"][:][order]}
        found["velocity"] = particles["Velocities"][:][order] * (1 if newtonian else np.sqrt(found["time"]))
        if newtonian:
            found["position"] = found["position"] - file["Run"].attrs["origin"]
        else:
            found["position"] /= 1000
        if "Acceleration" in particles:
            found["acceleration"] = particles["Acceleration"][:][order] * (1 if newtonian else 1000)
    return found


def read_table(path: Path) -> np.ndarray:
    """A table that the program wrote, by the names of its columns."""
    return np.genfromtxt(path, delimiter=",", names=True)
