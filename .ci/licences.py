"""Licences, sources and requirements of every package of a workspace, by deny.toml. Run by .ci/licences: licences.py Cargo.toml ..."""

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
RULES = tomllib.loads(Path("deny.toml").read_text())
ALLOWED = set(RULES["licenses"]["allow"])
EXCEPTIONS = {rule["crate"]: set(rule["allow"]) for rule in RULES["licenses"]["exceptions"]}


def permitted(expression, allowed):
    """Whether an SPDX expression can be met by these licences: AND binds before OR; `/` is OR, as crates wrote it once."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def term():
        token = tokens.pop(0)
        if token == "(":
            met = either()
            if not tokens or tokens.pop(0) != ")":
                raise ValueError(expression)
            return met
        if token in (")", "AND", "OR", "WITH"):
            raise ValueError(expression)
        if tokens[:1] == ["WITH"]:
            token = f"{token} WITH {tokens[1]}"
            del tokens[:2]
        return token in allowed

    def both():
        met = term()
        while tokens[:1] == ["AND"]:
            del tokens[0]
            met = term() and met
        return met

    def either():
        met = both()
        while tokens[:1] == ["OR"]:
            del tokens[0]
            met = both() or met
        return met

    met = either()
    if tokens:
        raise ValueError(expression)
    return met


def wrong(package):
    """What is wrong with a package, in sentences."""
    allowed = ALLOWED | EXCEPTIONS.get(package["name"], set())
    try:
        if not permitted(package["license"] or "", allowed):
            yield f"its licence {package['license']} is not in deny.toml"
    except (ValueError, IndexError):
        yield f"its licence {package['license']} is no expression"
    if package["source"] not in (None, CRATES_IO):
        yield f"it comes from {package['source']}"
    public = package["publish"] != []
    for needs in package["dependencies"]:
        # A path without a version is a wildcard, too; a package that is published names one, but for its tests.
        at_hand = needs["source"] is None and (not public or needs["kind"] == "dev")
        if needs["req"] == "*" and not at_hand:
            yield f"it takes any version of {needs['name']}"


def check(manifest):
    """Whether all packages that a lock file holds are as they may be."""
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1", "--manifest-path", manifest]
    packages = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    faults = [f"{package['name']} {package['version']}: {says}" for package in packages for says in wrong(package)]
    versions = defaultdict(list)
    for package in packages:
        versions[package["name"]].append(package["version"])
    twice = [f"{name} {' and '.join(found)}" for name, found in versions.items() if len(found) > 1]
    print(f"{manifest}: {len(packages)} packages, {len(faults)} faults; more than one version (no fault): {', '.join(twice) or 'none'}")
    print(*faults, sep="\n", end="\n" if faults else "")
    return not faults


# It can refuse.
assert permitted("(MIT OR Apache-2.0) AND Unicode-3.0", ALLOWED) and permitted("GPL-3.0/MIT", ALLOWED)
assert not permitted("MIT AND GPL-3.0", ALLOWED) and not permitted("GPL-3.0 OR (MIT AND NCSA)", ALLOWED)
assert not permitted("GPL-3.0 WITH LLVM-exception", ALLOWED)
sys.exit(not all([check(manifest) for manifest in sys.argv[1:]]))
