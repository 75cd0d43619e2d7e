"""A search for parameters: which stretch compliance makes a hanging sheet sag by 2 cm? With Ray where it is installed, else in this process."""

from __future__ import annotations

import numpy as np
import seidel

SHEET = """
[solver]
substeps = 10
[[cloth]]
name = "sheet"
resolution = 12
rotation = { axis = [1, 0, 0], degrees = 90 }
pin = ["first-row"]
damping = 0.1
long_range = "off"
"""
WANTED = 0.02


def sag(compliance: float, frames: int = 60) -> float:
    """How far the lowest vertex has come down, metres."""
    scene = seidel.Scene.from_toml(SHEET, set=[f"cloth.stretch_compliance={compliance!r}"])
    solver = scene.solver(threads=1)
    x = solver["sheet"].positions
    low = float(x[:, 1].min())
    for _ in range(frames):
        solver.step()
    return low - float(x[:, 1].min())


def search(candidates: list[float], parallel: bool = True) -> tuple[float, list[float]]:
    """The candidate whose sag is nearest to what is wanted, and all sags."""
    try:
        if not parallel:
            raise ImportError
        import ray
    except ImportError:
        sags = [sag(compliance) for compliance in candidates]
    else:
        remote = ray.remote(sag)
        sags = ray.get([remote.remote(compliance) for compliance in candidates])
    best = int(np.argmin([abs(found - WANTED) for found in sags]))
    return candidates[best], sags


if __name__ == "__main__":
    candidates = [float(c) for c in np.geomspace(1e-5, 1e-1, 9)]
    found, sags = search(candidates)
    for compliance, down in zip(candidates, sags, strict=True):
        print(f"{compliance:9.2e} m/N: {down * 1e3:7.2f} mm")
    print(f"nearest to {WANTED * 1e3:.0f} mm: {found:.2e} m/N")
