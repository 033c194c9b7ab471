#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_arguments.py [ROOT]: no function, constructor, kernel or lambda of the sources takes more than six arguments.

Prints file:line, the name and how many there are of each breach; fails if there is any. Declarations are told from
calls by the house's style: parameters are a type and a snake_case name, or a type alone (CamelCase, built in, or with
&, * or > at its end)."""
import pathlib
import re
import sys

MOST = 6
FOLDERS = ("host", "device", "decomposition", "ic", "analysis", "run")
SUFFIXES = (".hpp", ".cpp", ".cuh", ".cu", ".h")
EXEMPT = "run/library/multiwalk_direct."  # C's and Fortran's interface: arrays one by one, in CUNBODY-1's order

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
NAME_AND_OPENING = re.compile(r"([A-Za-z_]\w*\)?|\])\s*\(")  # also (*name)( of a pointer, and ]( of a lambda
PARAMETER = re.compile(r"""
    [\w>\]](?:[\s&*]+(?:\.{3}\s*)?|\.{3}\s*|::\*)(?:const\s+)?[a-z]\w*(?:\[\w*\])*$   # a type and a name
    | \b(?:bool|char|int|unsigned|long|float|double|auto)$        # or a type alone
    | \b[A-Z]\w*$
    | [\w>]\s*[&*]+$
    | >$""", re.X)


def blanked(text):
    """The text without comments and with empty strings, every line where it was."""
    return COMMENT_OR_TEXT.sub(lambda m: ('""' if m[0][0] in '"R' else " ") + "\n" * m[0].count("\n"), text)


def arguments(text, begin):
    """What stands between the commas of the parenthesis that opens before `begin`, but not within others' brackets."""
    depth, angle, part, parts = 0, 0, begin, []
    for at in range(begin, len(text)):
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return parts + [text[part:at]]
            depth -= 1
        elif c == "<" and re.match(r"\w", text[at - 1]):
            angle += 1
        elif c == ">" and angle > 0 and text[at - 1] != "-":
            angle -= 1
        elif c == ";" and depth == 0:
            return []
        elif c == "," and depth == 0 and angle == 0:
            parts.append(text[part:at])
            part = at + 1
    return []


def is_parameter(text):
    return PARAMETER.search(re.sub(r"\s*=(?!=).*", "", text.strip(), flags=re.S)) is not None


def breaches(text):
    text = blanked(text)
    for match in NAME_AND_OPENING.finditer(text):
        parts = arguments(text, match.end())
        if len(parts) > MOST and all(map(is_parameter, parts)):
            name = "a lambda" if match[1] == "]" else match[1].rstrip(")")
            yield text.count("\n", 0, match.start()) + 1, name, len(parts)


def sources(root):
    """The C++ and CUDA sources of the product below the root: paths and names."""
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in SUFFIXES):
        yield path, path.relative_to(root).as_posix()


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    found = False
    for path, name in sources(root):
        if name.startswith(EXEMPT):
            continue
        for line, function, count in breaches(path.read_text(encoding="utf-8")):
            print(f"{name}:{line}: {function} takes {count} arguments, {MOST} at most: make a struct of some")
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
