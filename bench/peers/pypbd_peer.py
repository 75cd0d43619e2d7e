#!/usr/bin/env python3
"""pyPBD (PositionBasedDynamics, Bender et al.; pip install pyPBD) at the works of the scoreboard.

Called as bench/src/peers.rs says: `pypbd_peer.py list`, `pypbd_peer.py answer ENGINE WORK THREADS`. Grids of n x n vertices,
structural edges and both diagonals as XPBD distances, dihedral or XPBD isometric bending over all inner edges, particles in
motion as the engine's own sweeps have them. The wheel computes in double precision; constraints of one of its colors run in
parallel. A time is the slope of a step's time over the number of iterations, so that what a step does besides is not in it.
"""

import json
import math
import os
import sys
import time

SUBSTEP = 1.0 / 1200.0
FEW, MORE = 1, 11


def main():
    words = sys.argv[1:]
    if words == ["list"]:
        print(engine())
    elif len(words) == 4 and words[0] == "answer":
        answer(words[2], int(words[3]))
    else:
        sys.exit("usage: pypbd_peer.py list | answer ENGINE WORK THREADS")


def engine():
    import pypbd  # noqa: F401: that it is there is what is asked

    from importlib.metadata import version

    return "pyPBD " + version("pyPBD")


def answer(work, threads):
    # Read by OpenMP when the library is loaded.
    os.environ["OMP_NUM_THREADS"] = str(threads)
    kind, _, side = work.partition("-grid-")
    # Going back to the start takes a call a vertex: too long for large grids.
    if kind not in ("distance", "dihedral", "isometric") or not side.isdigit() or int(side) > 200:
        print("null")
        return
    model, steps, restore = prepare(kind, int(side))
    count = len(model.getConstraints())
    entry = {
        "work": work,
        "engine": engine(),
        "lanes": "f64",
        "threads": threads,
        "value": 0.0,
        "unit": "ns",
        "percent_of_limit": None,
        "state_hash": None,
        "constraints": count,
        "machine": "",
        "date": time.strftime("%Y-%m-%d"),
    }
    print(json.dumps(entry), flush=True)
    for _ in sys.stdin:
        slope = (timed(steps, restore, MORE) - timed(steps, restore, FEW)) / (MORE - FEW)
        # A slope that another program has turned over is no time; it never counts as the smallest.
        print(slope * 1e9 / count if slope > 0 else math.inf, flush=True)


def timed(steps, restore, iterations):
    """Seconds of one of the first steps from the start: the least of three."""
    restore()
    least = math.inf
    for _ in range(3):
        begin = time.perf_counter()
        steps(iterations)
        least = min(least, time.perf_counter() - begin)
    return least


def prepare(kind, n):
    import numpy as np
    import pypbd as pbd

    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    particles = model.getParticles()
    spacing = 1.0 / (n - 1)
    i, j = np.meshgrid(np.arange(n), np.arange(n))
    rest = np.stack([i.ravel() * spacing, np.zeros(n * n), j.ravel() * spacing], axis=1)
    for position in rest:
        particles.addVertex(position)
    random = np.random.default_rng(n)
    start = rest + 0.1 * spacing * random.uniform(-1, 1, rest.shape)
    velocity = 0.01 * spacing / SUBSTEP * random.uniform(-1, 1, rest.shape)
    for v in range(n * n):
        particles.setMass(v, 0.0 if v < n else 0.2 / (n * n))

    def at(i, j):
        return j * n + i

    # Rest values are those of the positions at this moment.
    if kind == "distance":
        for j in range(n):
            for i in range(n):
                if i + 1 < n:
                    model.addDistanceConstraint_XPBD(at(i, j), at(i + 1, j), 1e7)
                if j + 1 < n:
                    model.addDistanceConstraint_XPBD(at(i, j), at(i, j + 1), 1e7)
                if i + 1 < n and j + 1 < n:
                    model.addDistanceConstraint_XPBD(at(i, j), at(i + 1, j + 1), 1e7)
                    model.addDistanceConstraint_XPBD(at(i + 1, j), at(i, j + 1), 1e7)
    else:
        add = model.addDihedralConstraint if kind == "dihedral" else model.addIsometricBendingConstraint_XPBD
        stiffness = 0.5 if kind == "dihedral" else 1e-3
        for wing, other, a, b in hinges(n, at):
            add(wing, other, a, b, stiffness)
    model.initConstraintGroups()

    pbd.TimeManager.getCurrent().setTimeStepSize(SUBSTEP)
    step = simulation.getTimeStep()
    step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, 1)

    def restore():
        for v in range(n * n):
            particles.setPosition(v, start[v])
            particles.setVelocity(v, velocity[v])

    def steps(iterations):
        step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, iterations)
        step.step(model)

    return model, steps, restore


def hinges(n, at):
    """Every inner edge of a grid cut along one diagonal, between its two opposite vertices."""
    for j in range(n):
        for i in range(n):
            if i + 1 < n and j + 1 < n:
                yield at(i, j), at(i + 1, j + 1), at(i + 1, j), at(i, j + 1)
            if i + 1 < n and 0 < j < n - 1:
                yield at(i + 1, j - 1), at(i, j + 1), at(i, j), at(i + 1, j)
            if j + 1 < n and 0 < i < n - 1:
                yield at(i - 1, j + 1), at(i + 1, j), at(i, j), at(i, j + 1)


if __name__ == "__main__":
    main()
