#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_headers.py BUILD: every header compiles alone, with the flags of the build. A source of the same name that begins with its
header is such a test already.

Headers are joined into few texts: in each, a header includes all that stand before it, so that they add nothing to it. With
MULTIWALK_QUICK=1 only texts with the eight most recently changed headers are compiled."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("host", "device", "decomposition", "ic", "analysis", "run", "tests")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# Of clang's fuzzer and of nanobind, which not every build finds: fuzz_replay and the Python module have them all.
FOREIGN = re.compile(r'^#include (<(fuzzer|nanobind)/|"fuzz_targets)', re.M)


def has_own_source(path):
    sources = [path.with_suffix(suffix) for suffix in (".cpp", ".cu") if path.with_suffix(suffix).exists()]
    first = INCLUDE.search(sources[0].read_text()) if sources else None
    return first is not None and first[1] == path.relative_to(ROOT).as_posix()


def headers(with_cuda):
    for folder in FOLDERS:
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".hpp", ".cuh")):
            name = path.relative_to(ROOT).as_posix()
            wanted = with_cuda or not re.match("(tests/)?device/", name)
            if wanted and not has_own_source(path) and not FOREIGN.search(path.read_text()):
                yield name


def all_included(name, known):
    """The headers that a header includes, directly or by others."""
    if name not in known:
        known[name] = set()
        path = ROOT / name
        for included in INCLUDE.findall(path.read_text()) if path.exists() else []:
            known[name] |= {included} | all_included(included, known)
    return known[name]


def joined(names):
    """The names as few lists in which each header includes all before it: a largest matching of headers to ones they include."""
    known, before = {}, {}
    names = sorted(names, key=lambda name: len(all_included(name, known)))
    after = {}

    def find(name, seen):
        for other in names:
            if other in known[name] and other not in seen:
                seen.add(other)
                if other not in after or find(after[other], seen):
                    after[other], before[name] = name, other
                    return True
        return False

    for name in names:
        find(name, set())
    for last in names:
        if last not in after:
            text = [last]
            while text[0] in before:
                text.insert(0, before[text[0]])
            yield text


def command_of(entries, target):
    """A compiler and its flags for sources of a target, without what names files."""
    entry = next((e for e in entries if f"{target}.dir/" in e["command"]), None)
    if entry is None:
        return None
    words = shlex.split(entry["command"])
    kept = [word for word, previous in zip(words, [""] + words) if previous not in ("-o", "-MF", "-MT", "-x", "-c")
            and not re.match("-(o|c|x|M[A-Z]*|O[0-9])$|--generate-code|-Xcicc=", word)]
    return kept[1:] if kept[0].endswith("ccache") else kept


def compiles(text, cpp, cuda):
    kernels = any(name.endswith(".cuh") for name in text)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "headers.cu" if kernels else "headers.cpp")
        source.write_text("".join(f'#include "{name}"\n' for name in text))
        how = [*cuda, "-arch=compute_80", "-Xcicc=-O0", "--ptx", "-o", "/dev/null"] if kernels else [*cpp, "-fsyntax-only"]
        said = subprocess.run([*how, str(source)], capture_output=True, text=True)
        if said.returncode != 0:
            print(f"FAILED alone: one of {' '.join(text)}\n{said.stderr}", flush=True)
        return said.returncode == 0


def main():
    build = pathlib.Path(sys.argv[1])
    entries = json.loads((build / "compile_commands.json").read_text())
    cpp, cuda = command_of(entries, "unit_tests"), command_of([e for e in entries if e["file"].endswith(".cu")], "multiwalk_device")
    texts = list(joined(list(headers(cuda is not None))))
    if os.environ.get("MULTIWALK_QUICK"):
        recent = subprocess.run([ROOT / "tests/structure/recent.sh", "^[a-z]+/.*[.](hpp|cuh)$", "100000"], capture_output=True, text=True)
        wanted = [name for name in recent.stdout.split() if any(name in text for text in texts)][:8]
        texts = [text for text in texts if any(name in text for name in wanted)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(lambda text: compiles(text, cpp, cuda), texts))
    print(f"{sum(map(len, texts))} headers in {len(texts)} texts")
    return 0 if texts and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
