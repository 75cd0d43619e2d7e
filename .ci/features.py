"""Every build of this workspace asks the same features of the crates that it shares with the others. Run by .ci/lint."""

import subprocess
import sys
from collections import defaultdict

PACKAGES = ["seidel-kernels", "seidel-kinds", "seidel-workers", "seidel-hash", "seidel-rigid", "seidel", "seidel-io", "seidel-live", "seidel-capi", "seidel-python", "seidel-cli", "seidel-bench"]


def tree(*options):
    """Features of each crate, by its name and version: a list of sets, for builds of host tools may have their own."""
    command = ["cargo", "tree", "--locked", "--prefix", "none", "--no-dedupe", "-f", "{p}|{f}", *options]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = defaultdict(set)
    for crate, _, features in (line.partition("|") for line in lines if line):
        found[" ".join(crate.split()[:2])].add(features.removesuffix(" (*)"))
    return found


everything = tree("--workspace", "-e", "normal,build,dev")
red = False
for package in PACKAGES:
    engine = tree("-p", package, "-e", "normal,build")
    for crate, features in tree("-p", package, "-e", "normal,build,dev").items():
        more = features - everything[crate]
        if crate in engine and more:
            print(f"-p {package} builds {crate} with {more}, the workspace with {everything[crate]}")
            red = True
program = tree("-e", "normal,build")
for crate, features in program.items():
    if features - everything[crate]:
        print(f"the program builds {crate} with {features}, the workspace with {everything[crate]}")
        red = True
if red:
    print("the fuller set belongs into bench/unify/Cargo.toml")
sys.exit(red)
