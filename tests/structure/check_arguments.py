#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_arguments.py [ROOT]: no function, constructor, lambda or function-like member of the sources takes more than
six arguments. Prints file:line, the name and how many there are; fails if there is any. It reads declarations as they
are written here: parameters have names (snake_case) or types alone (CamelCase, &, *), so that a call is none."""
import pathlib
import re
import sys

most = 6
folders = ("host", "device", "decomposition", "ic", "analysis", "run")
# C's own interface of direct summation, whose arrays come one by one as C and Fortran have them.
exempt = ("run/library/multiwalk_direct.h",)

text_or_comment = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
opening = re.compile(r"([A-Za-z_]\w*\)?|\]|operator\S{1,3}|operator\(\))\s*\(")
builtin = r"(?:bool|char|int|unsigned|long|float|double|auto|void|size_t)"
# Two words, or a type's end and a word; or a type alone: its last word a built-in or CamelCase, or it ends in & or *.
parameter = re.compile(rf"(?:[\w>\]][\s&*.]+(?:const\s+)?[a-z]\w*(?:\[\w*\])?$)|(?:\b{builtin}$)|(?:\b[A-Z]\w*$)|(?:[\w>][\s]*[&*]+$)|(?:>$)")


def blanked(text):
    """The text without comments and with empty strings, every line where it was."""
    return text_or_comment.sub(lambda m: ('""' if m[0][0] in '"R' else " ") + "\n" * m[0].count("\n"), text)


def arguments(text, begin):
    """The parts between the commas of the parenthesis opened before `begin`; commas in brackets and templates are no
    commas of its own."""
    depth, angle, part, parts = 0, 0, begin, []
    for at in range(begin, min(len(text), begin + 4000)):
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return parts + [text[part:at]]
            depth -= 1
        elif c == "<" and re.search(r"\w$", text[part:at]):
            angle += 1
        elif c == ">" and angle > 0 and text[at - 1] != "-":
            angle -= 1
        elif c == "," and depth == 0 and angle == 0:
            parts.append(text[part:at])
            part = at + 1
    return []


def is_declaration(parts):
    return all(parameter.search(re.sub(r"\s*=[^=].*$", "", p.strip(), flags=re.S)) for p in parts)


def breaches(path):
    text = blanked(path.read_text(encoding="utf-8"))
    for match in opening.finditer(text):
        parts = arguments(text, match.end())
        if len(parts) > most and is_declaration(parts):
            yield text.count("\n", 0, match.start()) + 1, match[1], len(parts)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    found = False
    for path in sorted(p for f in folders for p in (root / f).rglob("*") if p.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".h")):
        name = path.relative_to(root).as_posix()
        if name in exempt:
            continue
        for line, function, count in breaches(path):
            print(f"{name}:{line}: {function} takes {count} arguments   <- at most {most}: give them a struct with a meaning")
            found = True
    return 1 if found else 0


sys.exit(main())
