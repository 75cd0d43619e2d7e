"""CGAL, by libigl, finds as many pairs of intersecting triangles as `--check intersections`, exactly: in the frames of FILE.npz, of FILE.json.
Run by .ci/files."""

import json
import sys

import numpy as np
from igl.copyleft import cgal

most = []
for name in sys.argv[1:]:
    run, stats = np.load(f"{name}.npz"), json.load(open(f"{name}.json"))
    counts, every = stats["intersections"]["triangles"], stats["frames"] // (len(run["positions"]) - 1)
    found = []
    # The first is the start, which the program has not looked at.
    for x in run["positions"][1:]:
        *_, pairs, _, _ = cgal.remesh_self_intersections(x.astype(np.float64), run["triangles"].astype(np.int64), True)
        found.append(len(pairs))
    assert found == counts[every - 1 :: every], (name, found, counts)
    most.append(max(found))
    print(f"{name}: {found} pairs of triangles intersect")
# Both kinds of answers were asked for.
assert min(most) == 0 < max(most), most
