"""The files of this repository, for the checks: what is built, fetched or cached is not among them."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

LEFT_OUT = {".git", ".cache", "build", "models", "__pycache__", "compile_commands.json"}
CPP = {".h", ".cpp"}
CODE = CPP | {".py", ".sh", ".cmake"}


def files(root=ROOT):
    """Paths relative to `root`, sorted."""
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in LEFT_OUT]
        found += [pathlib.Path(folder, name).relative_to(root) for name in names if name not in LEFT_OUT]
    return sorted(found)


def is_code(path):
    return path.suffix in CODE or path.name in {"CMakeLists.txt", "Makefile"} or path.parts[0] == ".ci"
