#!/usr/bin/env python3
"""Writes the named seeds of all corpora. What a fuzzer found is added beside them, by hand, under a name that says what it is.

obj/*: OBJ files. mesh/*: scenes in the encoding of ../src/mesh.rs and ../src/bytes.rs.
gltf/*: after a byte of 0 files, after 1 documents and after 2 meshes in the encoding of ../src/gltf.rs.
hash/*: points and boxes in that of ../src/hash.rs.
contact/*: moving features and small bodies in that of ../src/contact.rs.
rigid/*: rigid bodies and joints, in that of ../src/rigid.rs. fluid/*: fluids and what is beside them, in that of ../src/fluid.rs.
snapshot/*: states and changes to them, in that of ../src/snapshot.rs.
message/*: messages to a session, in the encoding of ../src/message.rs. surface/*: PLY and STL files. tets/*: files of TetGen and Gmsh, and meshes in the encoding of ../src/tets.rs.
"""

import base64
import json
import math
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).parent
FAN = 300


def obj_seeds():
    def text(vertices, faces):
        lines = ["v " + " ".join(str(c) for c in v) for v in vertices]
        return "\n".join(lines + ["f " + " ".join(str(i) for i in f) for f in faces]) + "\n"

    square = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]
    triangle, two = square[:3], [(1, 2, 3), (1, 3, 4)]
    grid = [(i * 0.1, 0.5, j * 0.1) for j in range(6) for i in range(6)]
    cells = [(6 * j + i + 1, 6 * j + i + 2, 6 * j + i + 8, 6 * j + i + 7) for j in range(5) for i in range(5)]
    ring = [(math.cos(2 * math.pi * k / FAN), 0, math.sin(2 * math.pi * k / FAN)) for k in range(FAN)]
    ring = [tuple(round(c, 4) for c in p) for p in ring]
    fan = [(FAN + 1, k + 1, (k + 1) % FAN + 1) for k in range(FAN)]
    cube = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sides = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    scaled = lambda s: [tuple(f"{c * s:g}" for c in v) for v in square]
    yield "empty", ""
    yield "comment-only", "# nothing here\n"
    yield "one-vertex", "v 0 0 0\n"
    yield "no-faces", text(square, [])
    yield "no-vertices", "f 1 2 3\n"
    yield "one-triangle", text(triangle, [(1, 2, 3)])
    yield "two-triangles", text(square, two)
    yield "quads", text(grid, cells)
    yield "closed-cube", text(cube, sides)
    yield "concave-polygon", text([(0, 0, 0), (2, 0, 0), (0.5, 0, 0.5), (0, 0, 2), (-1, 0, 1)], [(1, 2, 3, 4, 5)])
    yield "polygon-of-40", text([(math.cos(k / 6.4), 0, math.sin(k / 6.4)) for k in range(40)], [range(1, 41)])
    yield "negative-indices", text(square, [(-4, -3, -2), (-4, -2, -1)])
    yield "negative-index-before-vertices", "f -1 -2 -3\n" + text(square, [])
    yield "index-zero", text(square, [(0, 1, 2)])
    yield "index-out-of-range", text(square, [(1, 2, 9)])
    yield "index-huge", text(square, [(1, 2, 4294967296), (1, 2, 99999999999999999999)])
    yield "repeated-corner", text(square, [(1, 1, 2), *two])
    yield "duplicate-triangle", text(square, [*two, (3, 1, 2)])
    yield "non-manifold-fin", text([*square, (0.5, 1, 0.5), (0.5, -1, 0.5)], [*two, (1, 3, 5), (1, 3, 6)])
    yield "coincident-vertices", text([*square, *square], [(1, 2, 3), (5, 7, 8)])
    yield "all-at-one-point", text([(1, 1, 1)] * 4, two)
    yield "sliver", text([(0, 0, 0), (1, 0, 0), (0.5, 0, 1e-9)], [(1, 2, 3)])
    yield "nearly-sliver", text([(0, 0, 0), (1, 0, 0), (0.5, 0, 2e-6)], [(1, 2, 3)])
    yield "folded-flat", text([(0, 0, 0), (0, 0, 1), (1, 0, 0.4), (1, 0, 0.6)], [(1, 2, 3), (2, 1, 4)])
    yield "bow-tie", text([(0, 0, 0), (1, 0, 1), (1, 0, -1), (-1, 0, 1), (-1, 0, -1)], [(1, 2, 3), (1, 5, 4)])
    yield "inconsistent-orientation", text(square, [(1, 2, 3), (1, 4, 3)])
    yield "isolated-vertices", text([*square, (9, 9, 9), (8, 8, 8)], two)
    yield "nan", text([("NaN", 0, 0), *square], [(1, 2, 3), (2, 3, 4)])
    yield "infinite", text([("inf", "-inf", "infinity"), *square], [(1, 2, 3), (2, 3, 4)])
    yield "huge-numbers", text([*scaled(1e38), ("1e999", 0, 0)], two)
    yield "large-1e5", text(scaled(1e5), two)
    yield "tiny-1e-20", text(scaled(1e-20), two)
    yield "subnormal-1e-44", text(scaled(1e-44), two)
    yield "far-from-origin", text([(x + 9e5, y, z) for x, y, z in square], two)
    yield "fan-of-300", text([*ring, (0, 0.2, 0)], fan)
    yield "texture-and-normals", "vt 0 0\nvn 0 1 0\n" + text(square, []) + "f 1/1/1 2/1/1 3/1/1\nf 1//1 3//1 4//1\nf 1/1 2/1 4/1\n"
    yield "crlf", text(square, two).replace("\n", "\r\n")
    yield "carriage-returns-only", text(square, two).replace("\n", "\r")
    yield "continued-lines", text(square, []) + "f 1 \\\n2 \\\n3\nf 1 3 \\\n4"
    yield "continued-at-the-end", text(square, two) + "f 1 2 \\"
    yield "byte-order-mark", b"\xef\xbb\xbf" + text(square, two).encode()
    yield "not-utf-8", b"# caf\xe9\n" + text(square, two).encode() + b"f 1 2 \xff\n"
    yield "nul-bytes", text(square, two).replace(" ", "\0").encode()
    yield "line-element", text(square, two) + "l 1 2 3\np 1\n"
    yield "objects-and-groups", "o a\n" + text(triangle, [(1, 2, 3)]) + "g b\nusemtl none\ns off\no c\n" + text(square, [(-4, -3, -1)])
    yield "two-corners", text(square, [(1, 2)])
    yield "words", "v one two three\nf a b c\n"
    yield "not-obj-but-stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\nendsolid\n"
    yield "random-bytes", random.Random(1).randbytes(600)
    seam = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 1 0\nvn 0 0 1\n"
    yield "names-and-a-seam", "mtllib a.mtl\no s\n" + text(square, []) + seam + "g a b\nusemtl silk\nf 1/1/1 2/2/1 3/3/1\ng\nusemtl red paint\nf 1/3/2 3/3/1 4//2\n"
    yield "names-not-utf-8", b"o caf\xe9\ng \x01\nusemtl \\\n" + text(square, two).encode() + b"mtllib\n"
    yield "names-by-the-hundred", text(square, []) + "g " + " ".join(f"g{k}" for k in range(100)) + "\nf 1 2 3\n"
    yield "name-of-4000-letters", text(square, []) + "o " + "\u00e9" * 2000 + "\nf 1 2 3\n"
    yield "continued-texture-coordinate", text(square, []) + "vt 0 \\\nf 1 2 3\nf 1/1 2/1 3/1\ng a \\\nf 1 3 4\n"
    yield "vertex-with-color-and-weight", "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 0 1 1 0 0 1\nf 1 2 3\n"


NAN, INF, MAX, MIN_POSITIVE, SUBNORMAL, E30, E18, E9, E6, TINY = 2, 3, 5, 7, 8, 11, 13, 15, 17, 19
FREEZE, STOP, GO_ON = 0, 254, 255


def special(tag):
    return bytes([tag])


def number(x):
    return special(x) if isinstance(x, int) else bytes([255]) + struct.pack("<f", x)


def seventh(x):
    return b"\xfe" + number(x)


def point(p):
    return b"".join(number(c) for c in p)


def mostly(share):
    """A number as a share 0..1 of the sane range, or as it is if it is an int (a special one)."""
    return bytes([255, share]) if isinstance(share, int) else bytes([round(share * 191)])


def settings(substeps=2, iterations=1, policy=FREEZE, gravity=0.5):
    return bytes([substeps - 1, iterations - 1, policy]) + mostly(gravity)


def sphere(radius, at, motion=b"\x03"):
    return b"\0" + mostly(radius) + motion + point(at) + b"\0" + mostly(0.25)


def plane(at, motion=b"\x03"):
    return b"\1" + motion + point(at) + b"\0" + mostly(0.25)


def soup(positions, triangles):
    return bytes([len(positions)]) + b"".join(map(point, positions)) + bytes([len(triangles)]) + bytes(sum(triangles, ()))


def uniform(share, pbd=False):
    return bytes([pbd, round(share * 199)])


def cloth(pins=(), density=0.2, thickness=0.02, friction=0.5, damping=0.0, stretch=uniform(0.001), compress=None, bend=None, isometric=False, plastic=None, plastic_bend=None, tear=None):
    out = bytes([len(pins), *pins]) + b"".join(map(mostly, (density, thickness, friction, damping))) + stretch
    out += b"\0" if compress is None else b"\1" + mostly(compress)
    bits = (bend is not None) + 2 * isometric + 4 * (plastic is not None) + 8 * (plastic_bend is not None) + 16 * (tear is not None)
    out += bytes([bits]) + b"".join(of for of in (bend, plastic, plastic_bend, tear) if of is not None)
    return out + b"\0" + b"\xff"


def yields(point, creep=None, limit=None, fatigue=None, breaks=None):
    others = (limit, fatigue, breaks)
    bits = sum(2**k for k, of in enumerate(others) if of is not None)
    flows = b"\0" if creep is None else b"\1" + mostly(creep)
    return mostly(point) + flows + bytes([bits]) + b"".join(mostly(of) for of in others if of is not None)


def rows(kind, at, rest=(), stiffness=uniform(0.1), hub=False, count=0, plastic=None):
    slots = [2, 2, 2, 2, 4, 4][kind]
    head = bytes([kind, count or len(at) // slots, hub + 2 * (plastic is not None)]) + (b"" if hub else bytes(at))
    return head + (b"\2" + b"".join(map(mostly, rest)) if rest else b"\0") + stiffness + (plastic or b"")


def raw(mesh, inv_mass=None, thickness=0.2, damping=0.0, families=()):
    out = b"\1" + mesh + (b"\1" if inv_mass is None else b"\0" + b"".join(map(mostly, inv_mass)))
    out += mostly(thickness) + mostly(0.5) + mostly(damping) + b"\0"
    return out + bytes([len(families)]) + b"".join(families) + b"\0"


def rope(points, slack=False, damping=0.0, mass=0.1, plastic=None):
    out = b"\0\0" + bytes([len(points)]) + b"".join(map(point, points))
    return out + mostly(mass) + mostly(0.05) + mostly(damping) + bytes([slack + 2 * (plastic is not None)]) + uniform(0.0) + b"\0" + (plastic or b"") + b"\0"


def scene(bodies, colliders=(), tail=b"", **of):
    head = settings(**of) + bytes([len(colliders)]) + b"".join(colliders)
    return head + bytes([len(bodies) - 1]) + b"".join(bodies) + tail


def mesh_seeds():
    square = [(0.0, 0.3, 0.0), (1.0, 0.3, 0.0), (1.0, 0.3, 1.0), (0.0, 0.3, 1.0)]
    two = [(0, 1, 2), (0, 2, 3)]
    grid = [(i * 0.25, 0.4, j * 0.25) for j in range(5) for i in range(5)]
    quads = [t for j in range(4) for i in range(4) for a in [5 * j + i] for t in [(a, a + 5, a + 1), (a + 1, a + 5, a + 6)]]
    ball, ground = sphere(0.2, (0.5, 0.2, 0.5)), plane((0, 0, 0))
    raw_cloth = lambda mesh, **of: b"\6" + mesh + cloth(**of)
    mended = lambda mesh, **of: b"\5" + mesh + cloth(**of)
    grid_cloth = lambda n, **of: bytes([4, n, n]) + mostly(0.5) + cloth(**of)
    both = (ball, ground)
    yield "nothing", b""
    yield "square-on-ball", scene([raw_cloth(soup(square, two), pins=(0,), bend=uniform(0.5))], both)
    yield "grid-all-options", scene([grid_cloth(8, pins=(0, 7), damping=0.3, compress=0.5, bend=uniform(0.1))], both, iterations=3, substeps=4)
    yield "grid-pbd", scene([grid_cloth(6, stretch=uniform(0.9, True), bend=uniform(0.3, True))], both, iterations=3)
    yield "grid-isometric", scene([grid_cloth(8, pins=(0, 7), bend=uniform(0.5), isometric=True)], both, iterations=3)
    yield "isometric-rows", scene([raw(soup(square, two), families=[rows(5, [0, 2, 1, 3])])], both, iterations=2)
    yield "isometric-on-a-line", scene([raw(soup([(k * 0.1, 0.1, 0.1) for k in range(4)], []), families=[rows(5, [1, 2, 0, 3])])], both)
    yield "isometric-slivers", scene([raw(soup([(k * 0.1, 0.1 + 1e-7 * (k % 2), 0.1) for k in range(12)], []), families=[rows(5, [k + i for k in range(9) for i in (1, 2, 0, 3)])])], both)
    yield "isometric-any-coefficients", scene([raw(soup(square, two), families=[rows(5, [0, 2, 1, 3], [E9, 0.5, E18])])], both)
    yield "empty-mesh-damped", scene([raw_cloth(soup([], []), damping=0.5)], both)
    yield "empty-body-last-damped", scene([grid_cloth(4, damping=0.5), raw(soup([], []), damping=0.5)], both)
    yield "one-particle", scene([raw(soup([(0.0, 0.1, 0.0)], []), damping=1.0)], both)
    yield "fixed-particles-only", scene([raw(soup(square, two), inv_mass=[0.0] * 4, damping=1.0, families=[rows(0, [0, 1, 1, 2])])], both)
    yield "nan-vertex", scene([mended(soup([*square, (NAN, 0, 0)], [*two, (0, 1, 4)]))], both)
    yield "infinite-and-huge", scene([mended(soup([*square, (INF, 0, 0), (E30, 0, 0), (MAX, MAX, MAX)], [*two, (0, 1, 4), (0, 2, 5), (1, 2, 6)]))], both)
    yield "subnormal-triangle", scene([raw_cloth(soup([(0, 0, 0), (SUBNORMAL, 0, 0), (0, SUBNORMAL, 0)], [(0, 1, 2)]))], both)
    yield "smallest-normal-triangle", scene([raw(soup([(0, 0, 0), (MIN_POSITIVE, 0, 0), (0, MIN_POSITIVE, 0)], [(0, 1, 2)]), families=[rows(0, [0, 1, 1, 2])])], both)
    yield "at-the-limit-1e6", scene([raw(soup([(E6, 0, 0), (0, E6, 0), (0, 0, E6)], [(0, 1, 2)]), families=[rows(0, [0, 1, 1, 2])])], both)
    yield "index-out-of-range", scene([mended(soup(square, [*two, (0, 1, 255), (254, 1, 2), (253, 0, 3)]))], both)
    yield "repeated-corners", scene([mended(soup(square, [*two, (0, 0, 1), (2, 2, 2)]))], both)
    yield "duplicates", scene([mended(soup(square, two * 4))], both)
    yield "non-manifold-hub", scene([mended(soup([(0.0, 0.0, 0.0), (0.0, 0.5, 0.0)] + [(math.cos(k), 0.2, math.sin(k)) for k in range(8)], [(0, 1, k + 2) for k in range(8)]), bend=uniform(0.1))], both)
    yield "slivers", scene([raw(soup([(k * 0.1, 0.1 + 1e-7 * (k % 2), 0.1) for k in range(12)], [(k, k + 1, k + 2) for k in range(10)]), families=[rows(4, [k + i for k in range(9) for i in (1, 2, 0, 3)])])], both)
    yield "coincident-points-with-constraints", scene([raw(soup([(0.1, 0.1, 0.1)] * 6, [(0, 1, 2), (3, 4, 5)]), families=[rows(0, [0, 1, 2, 3]), rows(4, [0, 1, 2, 3]), rows(3, [4, 5])])], both, iterations=2)
    yield "hub-of-240", scene([raw(soup([(math.cos(k / 38), 0.1, math.sin(k / 38)) for k in range(240)], []), families=[rows(0, [], hub=True, count=239)])], both, iterations=2)
    yield "fan-of-200", scene([raw_cloth(soup([(0.0, 0.2, 0.0)] + [(math.cos(k / 31.9), 0.1, math.sin(k / 31.9)) for k in range(200)], [(0, k + 1, k + 2) for k in range(199)]), bend=uniform(0.1), damping=0.2)], both)
    yield "same-row-many-times", scene([raw(soup(square, two), families=[rows(0, [0, 1] * 100)])], both, iterations=3)
    yield "all-kinds", scene([raw(soup(square, two), families=[rows(1, [0, 1], [0.5]), rows(2, [1, 2], [0.5, 0.5]), rows(4, [0, 2, 1, 3])])], both, iterations=2)
    yield "all-kinds-pbd", scene([raw(soup(square, two), families=[rows(k, at, stiffness=uniform(1.0, True)) for k, at in ((0, [0, 1]), (1, [2, 3]), (4, [0, 2, 1, 3]))])], both, iterations=3)
    yield "row-names-vertex-twice", scene([raw(soup(square, two), families=[rows(0, [1, 1])])])
    yield "row-names-no-vertex", scene([raw(soup(square, two), families=[rows(0, [0, 255])])])
    yield "mass-ratio", scene([raw(soup(square, two), inv_mass=[14, 20, 0.5, 0.5], families=[rows(0, [0, 1, 1, 2, 2, 3, 3, 0])])], both)
    yield "compliance-1e18", scene([grid_cloth(4, stretch=bytes([0, 255, E18]))], both, iterations=2)
    yield "compliance-nan", scene([grid_cloth(4, stretch=bytes([0, 255, NAN]))], both)
    yield "density-tiny", scene([grid_cloth(4, density=20)], both)
    yield "damping-one", scene([grid_cloth(5, damping=1.0)], both, substeps=4)
    yield "thick-1e6", scene([grid_cloth(5, thickness=17)], both, iterations=2)
    yield "friction-1e6", scene([grid_cloth(5, friction=17)], both, iterations=3)
    yield "inside-huge-sphere", scene([grid_cloth(5)], [sphere(17, (0, 0, 0))], iterations=2)
    yield "in-the-very-centre", scene([raw(soup([(0, 0, 0), (0.1, 0.0, 0.0), (-0.1, 0.0, 0.1), (-0.1, 0.0, -0.1)], [(0, 1, 2), (1, 3, 2)]))], [sphere(0.5, (0, 0, 0))], iterations=2)
    yield "tiny-sphere-through-triangle", scene([raw(soup(square, two))], [sphere(0.01, (0.4, 0.6, 0.4), b"\0" + point((0.0, -40.0, 0.0)))], iterations=2)
    yield "oscillating-with-tiny-period", scene([grid_cloth(5)], [sphere(0.2, (0.0, 0.0, 0.0), b"\1" + point((1.0, 0.0, 0.0)) + seventh(1e-44) + number(0.0))])
    yield "oscillating-at-1e9-rad", scene([grid_cloth(5)], [sphere(0.2, (0.0, 0.0, 0.0), b"\1" + point((1.0, 0.0, 0.0)) + special(20) + number(1e9))])
    yield "oscillating-with-huge-phase", scene([grid_cloth(5)], [sphere(0.2, (0.0, 0.0, 0.0), b"\1" + point((1.0, 0.0, 0.0)) + number(1.0) + seventh(MAX))])
    yield "turning-by-huge-angle", scene([grid_cloth(5)], [plane((0, 0, 0), b"\2" + number(0.0) + point((0, 0, 0)) + point((1.0, 0.0, 0.0)) + number(MAX) + number(1.0) + point((0.0, 1.0, 0.0)) + number(0.0) + seventh(1e-23) + number(0.0) + seventh(1e6))])
    yield "slack-rope", scene([rope([(0.0, 0.1 * k, 0.0) for k in range(12)], slack=True)], both)
    yield "rope-of-one-place", scene([rope([(0.3, 0.3, 0.3)] * 8, damping=0.5)], both, iterations=2)
    yield "plastic-grid", scene([grid_cloth(8, pins=(0, 7), stretch=uniform(0.9), bend=uniform(0.1), plastic=yields(0.01), plastic_bend=yields(0.1, 0.5, 0.9))], both)
    yield "torn-grid", scene([grid_cloth(8, pins=(0, 7), stretch=uniform(0.9), bend=uniform(0.1), tear=mostly(0.01) + bytes([200]))], both)
    yield "torn-beside-plastic", scene([grid_cloth(4, tear=mostly(0.1) + b"\x10"), grid_cloth(4, plastic=yields(0.1))], both)
    yield "plastic-rope", scene([rope([(0.0, 0.1 * k, 0.0) for k in range(12)], plastic=yields(0.0))], both)
    yield "plastic-rows", scene([raw(soup(square, two), families=[rows(0, [0, 1, 1, 2], [0.1, 0.9], plastic=yields(0.0)), rows(0, [0, 1, 1, 2], [0.5, 0.5], plastic=yields(0.5, 0.1)), rows(4, [0, 2, 1, 3], plastic=yields(0.0, None, 0.5))])], both, iterations=2)
    yield "plastic-at-the-limit-1e6", scene([raw(soup([(E6, 0, 0), (0, E6, 0), (0, 0, E6)], [(0, 1, 2)]), families=[rows(0, [0, 1, 1, 2], [0.1, 17], plastic=yields(0.0))])], both)
    yield "plastic-bend-without-bending", scene([grid_cloth(4, plastic_bend=yields(0.1))], both)
    yield "tired-grid", scene([grid_cloth(8, pins=(0, 7), stretch=uniform(0.9), bend=uniform(0.1), plastic=yields(0.01, fatigue=0.3, breaks=0.05), plastic_bend=yields(0.1, 0.5, 0.9, 0.1, 0.2))], both)
    yield "tired-rope", scene([rope([(0.0, 0.1 * k, 0.0) for k in range(12)], plastic=yields(0.0, breaks=0.02))], both)
    yield "tired-without-end", scene([grid_cloth(4, plastic=yields(0.1, fatigue=INF))], both)
    yield "broken-at-nan", scene([grid_cloth(4, plastic=yields(0.1, breaks=NAN))], both)
    yield "plastic-creep-nan", scene([grid_cloth(4, plastic=yields(0.1, NAN))], both)
    act = lambda write=0, to=b"", dt=b"\0", gravity=b"\0", pins=b"\0", forces=b"\0": bytes([0, write]) + to + dt + gravity + pins + forces
    still = grid_cloth(4, pins=(0, 3), damping=0.5)
    yield "step-of-1000-s", scene([still], both, act(dt=b"\xff" + number(1000.0)))
    yield "step-of-1e-9-s", scene([still], both, act(dt=b"\xff" + special(20), pins=b"\1\0" + point((E6, -0.5, E6))), substeps=4)
    yield "gravity-1e6", scene([still], both, act(gravity=b"\xff" + point((E6, E6, E6))))
    yield "force-nan-damped", scene([still], both, act(forces=b"\xff" + point((NAN, 0, 0))))
    yield "force-max", scene([still], both, act(forces=b"\xff" + point((MAX, MAX, MAX)) * 16))
    yield "state-overwritten", scene([still], both, act(write=200, to=point((E6, E6, 0.1)) * 16))
    yield "speed-1e6", scene([still], both, act(write=210, to=point((E6, 18, E6)) * 16))
    yield "stop-policy", scene([still], both, act(forces=b"\xff" + point((NAN, 0, 0))), policy=STOP)
    yield "go-on-policy", scene([still], both, act(forces=b"\xff" + point((NAN, INF, 0))), policy=GO_ON, iterations=2)
    yield "random-bytes", random.Random(2).randbytes(900)
    yield "random-bytes-short", random.Random(3).randbytes(90)


SAME, NEXT = b"\x00", b"\x20"


def cloud(points):
    """A point is three numbers, or SAME as the last, or NEXT to it in floating point."""
    return bytes([len(points)]) + b"".join(p if isinstance(p, bytes) else b"\xff" + point(p) for p in points)


def neighbours(points, radius=0.5, smaller=0.25):
    return b"\1" + cloud(points) + mostly(radius) + mostly(smaller)


def boxes(lows, sizes):
    """Three sizes a box: 0 for none, a share 0..1, or a special number."""
    size = lambda s: b"\0" if s == 0.0 and not isinstance(s, int) else b"\xff" + mostly(s)
    return cloud(lows) + b"".join(size(s) for s in sizes)


def pairs(first, second):
    return b"\0" + first + second


def hash_seeds():
    NAN, INF, MAX, LOWEST, TINY, E30 = 2, 3, 5, 6, 8, 11
    some = random.Random(4)
    lattice = [(0.5 * x, 0.5 * y, 0.5 * z) for x in range(4) for y in range(4) for z in range(3)]
    spread = [tuple(some.uniform(-1, 1) for _ in range(3)) for _ in range(60)]
    line = [(-3.0 + 0.25 * k, 0.0, 0.0) for k in range(40)]
    far = [(1e7 + k, -1e7, float(k % 3)) for k in range(40)]
    ones = [0.3] * 3
    yield "nothing", b""
    yield "no-points", b"\0" + neighbours([])
    yield "one-point", b"\0" + neighbours([(0.0, 0.0, 0.0)])
    yield "lattice-at-the-radius", b"\0" + neighbours(lattice, 0.25, 0.25)
    yield "spread", b"\0" + neighbours(spread, 0.2, 0.1)
    yield "one-cell", b"\0" + neighbours(spread, MAX, 1.0)
    yield "all-equal", b"\0" + neighbours([(0.25, -0.5, 1e30)] + [SAME] * 50)
    yield "next-to-each-other", b"\0" + neighbours([(1.0, -1.0, 0.0)] + [NEXT] * 50, TINY, TINY)
    yield "next-to-each-other-far-out", b"\0" + neighbours([(1e30, -1e30, 1e30)] + [NEXT] * 50, TINY, TINY)
    yield "line", b"\0" + neighbours(line, 0.3, 0.05)
    yield "far-from-the-origin", b"\0" + neighbours(far, 1.0, 0.5)
    yield "stray-point", b"\0" + neighbours([*spread, (E30, 12, E30)], 0.2, 0.1)
    yield "both-ends-of-f32", b"\0" + neighbours([(MAX, LOWEST, MAX), (LOWEST, MAX, 0.0), SAME, *spread[:9]], TINY, MAX)
    yield "zeros-of-both-signs", b"\0" + neighbours([(0, 1, 0), (1, 0, 1), SAME, (TINY, 9, 0)], 0.1, TINY)
    yield "nan", b"\0" + neighbours([*spread[:20], (0.0, NAN, 0.0)])
    yield "infinite", b"\0" + neighbours([(0.0, 0.0, INF), *spread[:20]])
    yield "radius-nan", b"\0" + neighbours(spread, NAN, 0.5)
    yield "radius-infinite", b"\0" + neighbours(spread, INF, INF)
    yield "radius-whose-square-vanishes", b"\0" + neighbours([*spread[:9], SAME, NEXT], 21, 20)
    yield "boxes", b"\0" + pairs(boxes(spread[:30], ones * 30), boxes(spread[30:], [0.2] * 90))
    yield "boxes-that-touch", b"\0" + pairs(boxes(lattice, [0.5] * 144), boxes(lattice[:9], [0.0] * 27))
    yield "boxes-without-extent", b"\0" + pairs(boxes([(1.0, 1.0, 1.0)] + [SAME] * 20, [0.0] * 63), boxes(line, [0.0] * 120))
    yield "boxes-of-all-sizes", b"\0" + pairs(boxes(spread[:12], [TINY] * 6 + [0.001] * 6 + ones * 7 + [E30] * 3), boxes(spread[:4], [MAX] * 3 + [16] * 9))
    yield "boxes-far-out", b"\0" + pairs(boxes([(E30, E30, 12)] + [NEXT] * 20, [0.0] * 63), boxes(far, [1.0] * 120))
    yield "box-inside-out", b"\0" + pairs(boxes(spread[:5], ones * 4 + [12] * 3), boxes(spread[:5], ones * 5))
    yield "box-nan", b"\0" + pairs(boxes(spread[:5], ones * 5), boxes([(0.0, NAN, 0.0), *spread[:4]], ones * 5))
    yield "one-memory", b"\2" + neighbours(spread, 0.2) + neighbours(line[:9], 0.3) + pairs(boxes(spread[:9], ones * 9), boxes([], []))
    yield "random-bytes", random.Random(5).randbytes(900)


def place(p):
    """Steps of a quarter within -1..1, any other number as its bytes."""
    quarter = lambda c: 4 * c == int(4 * c) and abs(c) <= 1
    number = lambda c: bytes([int(4 * c) + 4]) if quarter(c) else b"\xa0\xff" + struct.pack("<f", c)
    return b"".join(number(c) for c in p)


def ways(edges, start, end, least=0.1):
    return bytes([edges]) + b"".join(place(p) for p in [*start, *end]) + mostly(least)


def moving_body(points, velocities, fast, triangles, edges, thickness=0.05, fixed=(), friction=0.3):
    """Triangles and edges are filled up with those that name a vertex twice, which are left out."""
    mass = b"".join(b"\0" if i in fixed else b"\1\x20" for i in range(len(points)))
    corners = [c for t in (triangles + [(0, 0, 0)] * 5)[:5] for c in t] + [c for e in (edges + [(0, 0)] * 3)[:3] for c in e]
    speeds = b"".join(bytes([fast]) + place(v) for v in velocities)
    shape = bytes([len(points) - 2]) + b"".join(place(p) for p in points) + mass + speeds + bytes(corners)
    return shape + mostly(thickness / 0.1) + mostly(friction)


def flying(bodies, substeps=4, gravity=0.5):
    return bytes([0, substeps - 1, 0]) + mostly(gravity) + bytes([len(bodies) - 1]) + b"".join(bodies)


def contact_seeds():
    some = random.Random(6)
    flat = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]
    cross = lambda y: [(-1, y, 0), (1, y, 0), (0, 0, -1), (0, 0, 1)]
    down, rest = [(0, -1, 0)] * 3, [(0, 0, 0)] * 3
    above = [(x, 0.25, z) for x, _, z in flat]
    yield "nothing", b""
    yield "point-through-triangle", b"\1" + ways(0, [(0.25, 50.0, 0.25), *flat], [(0.25, -50.0, 0.25), *flat])
    yield "point-beside-triangle", b"\1" + ways(0, [(1, 1, 1), *flat], [(1, -1, 1), *flat])
    yield "point-in-the-plane", b"\1" + ways(0, [(-1, 0, 0.25), *flat], [(1, 0, 0.25), *flat])
    yield "triangle-without-area", b"\1" + ways(0, [(0.5, 1, 0), (0, 0, 0), (1, 0, 0), (0.5, 0, 0)], [(0.5, -1, 0), (0, 0, 0), (1, 0, 0), (0.5, 0, 0)])
    yield "triangle-of-one-place", b"\1" + ways(0, [(0, 1, 0)] + rest, [(0, -1, 0)] + rest)
    yield "triangle-turns-over", b"\1" + ways(0, [(0.25, 0.25, 0.25), *flat], [(0.25, 0.25, 0.25), flat[0], flat[2], flat[1]])
    yield "edges-cross", b"\1" + ways(1, cross(1), cross(-1))
    yield "edges-pass", b"\1" + ways(1, cross(1), cross(0.5))
    yield "edges-parallel", b"\1" + ways(1, [(0, 1, 0), (1, 1, 0), (0, 0, 0), (1, 0, 0)], [(0, -1, 0), (1, -1, 0), (0, 0, 0), (1, 0, 0)])
    yield "edges-on-one-line", b"\1" + ways(1, [(-1, 0, 0), (-0.5, 0, 0), (0, 0, 0), (1, 0, 0)], [(0.25, 0, 0), (0.5, 0, 0), (0, 0, 0), (1, 0, 0)])
    yield "edges-without-length", b"\1" + ways(1, [(0, 1, 0)] * 2 + [(0, 0, 0)] * 2, [(0, -1, 0)] * 2 + [(0, 0, 0)] * 2)
    yield "all-together-fast", b"\1" + ways(1, cross(0.25), [(x + 900.0, y - 900.0, z + 500.0) for x, y, z in cross(0.25)], 0.2)
    yield "far-out", b"\1" + ways(0, [(999.5, 999.25, 999.5), *[(x + 999.0, y + 999.0, z + 999.0) for x, y, z in flat]], [(999.5, 998.5, 999.5), *[(x + 999.0, y + 999.0, z + 999.0) for x, y, z in flat]], 0.01)
    yield "triangle-on-triangle", flying([moving_body(above, down, 0, [(0, 1, 2)], []), moving_body(flat, rest, 0, [(0, 1, 2)], [], fixed=(0, 1, 2))])
    yield "triangle-at-800-m-s", flying([moving_body(above, down, 2, [(0, 1, 2)], []), moving_body(flat, rest, 0, [(0, 1, 2)], [], fixed=(0, 1, 2))], 1)
    yield "triangles-of-one-body", flying([moving_body(above + flat, down + rest, 1, [(0, 1, 2), (3, 4, 5)], [])])
    yield "fan-that-closes", flying([moving_body([(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 0, 0.5), (1, 0, 1)], [(0, 0, 0)] * 2 + [(0, 0, 1), (0, 0, 0), (0, 0, -1)], 1, [(0, 1, 2), (0, 1, 3), (0, 1, 4)], [])])
    yield "edge-through-triangle", flying([moving_body([(-1, 0.5, 0.25), (1, 0.5, 0.25)], [(0, -1, 0)] * 2, 2, [], [(0, 1)]), moving_body(flat, rest, 0, [(0, 1, 2)], [])])
    yield "rope-on-rope", flying([moving_body([(-1, 0.5, 0), (1, 0.5, 0)], [(0, -1, 0)] * 2, 1, [], [(0, 1)]), moving_body([(0, 0, -1), (0, 0, 1)], [(0, 0, 0)] * 2, 0, [], [(0, 1)], fixed=(0, 1))])
    yield "sliver", flying([moving_body([(0, 0.5, 0), (1, 0.5, 0), (0.5, 0.5, 1e-6)], down, 1, [(0, 1, 2)], []), moving_body(flat, rest, 0, [(0, 1, 2)], [])])
    yield "triangle-without-area-falls", flying([moving_body([(0, 0.5, 0.25), (0.5, 0.5, 0.25), (1, 0.5, 0.25)], down, 1, [(0, 1, 2)], []), moving_body(flat, rest, 0, [(0, 1, 2)], [])])
    yield "begins-crossed", flying([moving_body([(0.25, 1, 0.25), (0.25, -1, 0.25), (0.5, -1, 0.25)], down, 0, [(0, 1, 2)], []), moving_body(flat, rest, 0, [(0, 1, 2)], [])])
    yield "thick-beside-edges", flying([moving_body(above, down, 0, [(0, 1, 2)], [], thickness=0.1), moving_body(flat, rest, 0, [(0, 1, 2)], [], thickness=0.1)])
    for k in range(4):
        yield f"random-bytes-{k}", bytes([k & 1]) + some.randbytes(400)


SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
HALVES = [(0, 1, 2), (0, 2, 3)]


def ply(form, vertices, faces, header="property float x\nproperty float y\nproperty float z", lists="list uchar int vertex_indices", counts=None, body=None):
    """Vertices and faces as text, or packed in the order of bytes that `form` says."""
    n, m = counts or (len(vertices), len(faces))
    head = f"ply\nformat {form} 1.0\ncomment a seed\nelement vertex {n}\n{header}\nelement face {m}\nproperty {lists}\nend_header\n".encode()
    if body is None and form == "ascii":
        rows = [" ".join(map(str, v)) for v in vertices] + [" ".join(map(str, (len(f), *f))) for f in faces]
        body = ("\n".join(rows) + "\n").encode()
    elif body is None:
        order = ">" if "big" in form else "<"
        body = b"".join(struct.pack(order + "3f", *v) for v in vertices)
        body += b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) for f in faces)
    return head + body


def stl_binary(triangles, count=None, head=b"seed"):
    count = len(triangles) if count is None else count
    corners = lambda t: struct.pack("<12fH", 0, 0, 0, *[c for p in t for c in p], 0)
    return head.ljust(80, b" ") + struct.pack("<I", count) + b"".join(corners(t) for t in triangles)


def stl_text(triangles, name="seed"):
    vertex = lambda p: "vertex " + " ".join(map(str, p))
    facet = lambda t: "\n".join(["facet normal 0 0 1", "outer loop", *map(vertex, t), "endloop", "endfacet"])
    return f"solid {name}\n" + "\n".join(map(facet, triangles)) + f"\nendsolid {name}\n"


def surface_seeds():
    halves = [[SQUARE[v] for v in t] for t in HALVES]
    LE, BE = "binary_little_endian", "binary_big_endian"
    yield "empty", b""
    yield "ply-text", ply("ascii", SQUARE, HALVES)
    yield "ply-text-quad", ply("ascii", SQUARE, [(0, 1, 2, 3)])
    yield "ply-little", ply(LE, SQUARE, HALVES)
    yield "ply-big", ply(BE, SQUARE, [(0, 1, 2, 3)])
    yield "ply-vertex-index", ply("ascii", SQUARE, HALVES, lists="list uint8 uint32 vertex_index")
    yield "ply-colors", ply("ascii", [(*v, 9, 9, 9) for v in SQUARE], HALVES, header="property double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue")
    yield "ply-crlf", ply("ascii", SQUARE, HALVES).replace(b"\n", b"\r\n")
    yield "ply-huge-counts", ply(LE, SQUARE, HALVES, counts=(2**63, 2**63))
    yield "ply-huge-list", ply(LE, SQUARE, [], lists="list uint int vertex_indices", counts=(4, 1), body=b"\0" * 48 + b"\xff" * 8)
    yield "ply-negative-list", ply(LE, SQUARE, [], lists="list int int vertex_indices", counts=(4, 1), body=b"\0" * 48 + b"\xff" * 40)
    yield "ply-cut-short", ply(BE, SQUARE, HALVES)[:-3]
    yield "ply-out-of-range", ply("ascii", SQUARE, [(0, 1, 4)])
    yield "ply-negative-index", ply("ascii", SQUARE, [(0, 1, -1)])
    yield "ply-two-corners", ply("ascii", SQUARE, [(0, 1)])
    yield "ply-nan", ply(LE, [*SQUARE, (math.nan, math.inf, 0)], [*HALVES, (0, 1, 4)])
    yield "ply-nan-text", ply("ascii", [("nan", 0, 0), *SQUARE], HALVES)
    yield "ply-no-properties", b"ply\nformat binary_little_endian 1.0\nelement x 18446744073709551615\nend_header\n"
    yield "ply-no-end", b"ply\nformat ascii 1.0\n" + b"comment\n" * 99
    yield "ply-same-element-twice", ply("ascii", SQUARE, HALVES).replace(b"element face", b"element vertex")
    yield "ply-repeated", ply("ascii", [*SQUARE, *SQUARE], [*HALVES, (0, 0, 1), (4, 5, 6), (0, 1, 2)])
    painted = "\n".join(f"property float {name}" for name in "x y z nx ny nz s t stiff".split())
    rows = [(*v, 0, 1, 0, k / 4, 1 - k / 3, k) for k, v in enumerate(SQUARE)]
    yield "ply-painted", ply("ascii", [*rows, (9,) * 9], HALVES, header=painted)
    yield "ply-painted-nan", ply("ascii", [("nan",) * 9, *rows], HALVES, header=painted)
    corners = "list uchar int vertex_indices\nproperty list uchar float texcoord"
    at_corners = "".join(f"{x} {y} {z}\n" for x, y, z in SQUARE)
    yield "ply-texcoord", ply("ascii", SQUARE, [], lists=corners, counts=(4, 2), body=(at_corners + "3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 0 0.5 1 0.5 1 1\n").encode())
    yield "ply-texcoord-of-one-face", ply("ascii", SQUARE, [], lists=corners, counts=(4, 2), body=(at_corners + "3 0 1 2 0\n3 0 2 3 6 nan 0.5 1 0.5 -0 -0\n").encode())
    yield "ply-texcoord-of-another-count", ply("ascii", SQUARE, [], lists=corners, counts=(4, 2), body=(at_corners + "3 0 1 2 5 0 0 1 0 1\n4 0 1 2 3 8 0 0 1 0 1 1 0 1\n").encode())
    yield "stl-text", stl_text(halves)
    yield "stl-two-solids", stl_text(halves[:1]) + "\n" + stl_text(halves[1:], "other")
    yield "stl-no-name", stl_text(halves).replace("solid seed", "solid")
    yield "stl-capitals", stl_text(halves).upper().replace("\n", "\r\n")
    yield "stl-not-finite", stl_text([[("nan", 0, 0), (0, 1, 0), (0, 0, "1e99")]])
    yield "stl-cut-short", stl_text(halves)[:-40]
    yield "stl-empty-solid", "solid\nendsolid\n"
    yield "stl-words", "solid x\nfacet normal a b c\n"
    yield "stl-binary", stl_binary(halves)
    yield "stl-binary-that-says-solid", stl_binary(halves, head=b"solid seed")
    yield "stl-binary-huge-count", stl_binary(halves, count=2**32 - 1)
    yield "stl-binary-solid-huge-count", stl_binary(halves, count=2**32 - 1, head=b"solid seed\n")
    yield "stl-binary-more-bytes", stl_binary(halves) + b"\0" * 7
    yield "stl-binary-nan", stl_binary([[(math.nan, -0.0, 0), (0, 1, 0), (0, 0, 1)], [(0, 0, 0), (0, 1, 0), (0, 0, 1)], [(-0.0, 0, 0), (0, 0, 1), (0, 1, 0)]])
    yield "stl-binary-empty", stl_binary([])
    yield "random-bytes", random.Random(7).randbytes(500)


CORNER = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
PAIR = [(0, 1, 2, 3), (1, 2, 3, 4)]


def tetgen(points=CORNER, tets=PAIR, first=0, counts=None, more=""):
    n, m = counts or (len(points), len(tets))
    node = [f"{n} 3 0 0"] + [" ".join(map(str, (first + k, *p))) + more for k, p in enumerate(points)]
    ele = [f"{m} 4 0"] + [" ".join(map(str, (first + k, *(first + v for v in t)))) for k, t in enumerate(tets)]
    return "n" + "\n".join(node) + "\n===\n" + "\n".join(ele) + "\n# end\n"


def msh(version="2.2", kind=0, size=8, sections=b""):
    one = b"" if kind == 0 else struct.pack("<i", 1) + b"\n"
    sections = sections.encode() if isinstance(sections, str) else sections
    return f"$MeshFormat\n{version} {kind} {size}\n".encode() + one + b"$EndMeshFormat\n" + sections


def section(name, body):
    body = body.encode() if isinstance(body, str) else body
    return b"$" + name.encode() + b"\n" + body + b"\n$End" + name.encode() + b"\n"


def msh_2(tets=PAIR, kind=4, nodes=None):
    rows = [str(len(CORNER))] + [" ".join(map(str, (10 * k + 1, *p))) for k, p in enumerate(CORNER)]
    elements = [str(1 + len(tets)), "1 2 2 0 1 1 11 21"] + [" ".join(map(str, (k + 2, kind, 2, 0, 1, *(10 * v + 1 for v in t)))) for k, t in enumerate(tets)]
    return msh(sections=section("PhysicalNames", '1\n3 1 "a"') + (nodes or section("Nodes", "\n".join(rows))) + section("Elements", "\n".join(elements)))


def msh_4(dense=PAIR, binary=False, order="<"):
    n, m = len(CORNER), len(dense)
    if not binary:
        nodes = f"1 {n} 1 {n}\n3 1 0 {n}\n" + "\n".join(str(k + 1) for k in range(n)) + "\n" + "\n".join(" ".join(map(str, p)) for p in CORNER)
        elements = f"2 {m + 1} 1 {m + 1}\n2 1 2 1\n1 1 2 3\n3 1 4 {m}\n" + "\n".join(" ".join(map(str, (k + 2, *(v + 1 for v in t)))) for k, t in enumerate(dense))
        return msh("4.1", sections=section("Entities", "0 0 0 1") + section("Nodes", nodes) + section("Elements", elements))
    pack = lambda form, *values: struct.pack(order + form, *values)
    nodes = pack("4Q", 1, n, 1, n) + pack("3iQ", 3, 1, 0, n) + pack(f"{n}Q", *range(1, n + 1)) + b"".join(pack("3d", *p) for p in CORNER)
    elements = pack("4Q", 1, m, 1, m) + pack("3iQ", 3, 1, 4, m) + b"".join(pack("5Q", k + 1, *(v + 1 for v in t)) for k, t in enumerate(dense))
    whole = msh("4.1", 1, sections=section("Nodes", nodes) + section("Elements", elements))
    return whole.replace(struct.pack("<i", 1) + b"\n$End", pack("i", 1) + b"\n$End", 1)


def msh_2_binary():
    nodes = f"{len(CORNER)}\n".encode() + b"".join(struct.pack("<i3d", k + 1, *p) for k, p in enumerate(CORNER))
    elements = b"3\n" + struct.pack("<3i", 2, 1, 1) + struct.pack("<5i", 1, 9, 1, 2, 3) + struct.pack("<3i", 4, 2, 0)
    elements += b"".join(struct.pack("<5i", k + 2, *(v + 1 for v in t)) for k, t in enumerate(PAIR))
    return msh(kind=1, sections=section("Nodes", nodes) + section("Elements", elements))


def direct_tets(points, tets):
    """Quarters within -1..1; indices below 253."""
    place = lambda c: bytes([int(4 * c) + 4]) if 4 * c == int(4 * c) and abs(c) <= 1 else b"\xa0\xff" + struct.pack("<f", c)
    return b"d" + bytes([len(points)]) + b"".join(place(c) for p in points for c in p) + bytes(v for t in tets for v in t)


def tets_seeds():
    some = random.Random(8)
    grid = [(x / 2 - 0.5, y / 2 - 0.5, z / 2 - 0.5) for z in range(3) for y in range(3) for x in range(2)]
    yield "empty", b""
    yield "tetgen-from-0", tetgen()
    yield "tetgen-from-1", tetgen(first=1)
    yield "tetgen-from-2", tetgen(first=2)
    yield "tetgen-crlf", tetgen().replace("\n", "\r\n").replace("===\r\n", "===\n")
    yield "tetgen-comments", "n# a\n\n" + tetgen()[1:].replace("===\n", "# b\n===\n# c\n\n")
    yield "tetgen-attributes", tetgen(more=" 0.5 1").replace("5 3 0 0", "5 3 1 1")
    yield "tetgen-missing-columns", tetgen().replace("5 3 0 0", "5 3 9 1")
    yield "tetgen-huge-counts", tetgen(counts=(2**64 - 1, 2**64 - 1))
    yield "tetgen-huge-attributes", tetgen().replace("5 3 0 0", f"5 3 {2**64 - 1} 1")
    yield "tetgen-one-row-less", tetgen(counts=(6, 2))
    yield "tetgen-one-row-more", tetgen(counts=(5, 1))
    yield "tetgen-out-of-range", tetgen(tets=[(0, 1, 2, 5)])
    yield "tetgen-negative", tetgen(tets=[(0, 1, 2, -1)])
    yield "tetgen-nan", tetgen(points=[*CORNER[:4], ("nan", "inf", "1e99")])
    yield "tetgen-two-dimensions", tetgen().replace("5 3 0 0", "5 2 0 0")
    yield "tetgen-words", "nfive 3 0 0\n===\n"
    yield "tetgen-not-utf-8", b"n1 3 0 0\n0 \xff 0 0\n===\n"
    yield "tetgen-order-2", tetgen(tets=[(0, 1, 2, 3, 4, 4, 4, 4, 4, 4)]).replace("1 4 0", "1 10 0")
    yield "msh-2", msh_2()
    yield "msh-2-hexahedron", msh_2(kind=5)
    yield "msh-2-unknown-type", msh_2(kind=-7)
    yield "msh-2-no-such-node", msh_2(tets=[(0, 1, 2, 7)])
    yield "msh-2-same-name", msh_2(nodes=section("Nodes", "2\n1 0 0 0\n1 1 0 0"))
    yield "msh-2-huge-count", msh_2(nodes=section("Nodes", f"{2**64 - 1}\n1 0 0 0"))
    yield "msh-2-binary", msh_2_binary()
    yield "msh-2-binary-cut-short", msh_2_binary()[:-70]
    yield "msh-2-no-end", msh(sections="$Comments\nnothing")
    yield "msh-4", msh_4()
    yield "msh-4-little", msh_4(binary=True)
    yield "msh-4-big", msh_4(binary=True, order=">")
    yield "msh-4-huge-counts", msh("4.1", sections=section("Nodes", f"{2**64 - 1} 1 1 1\n3 1 0 {2**64 - 1}\n1"))
    yield "msh-4-empty-blocks", msh("4.1", sections=section("Nodes", "3 0 1 1\n3 1 0 0\n3 1 1 0\n2 1 1 0"))
    yield "msh-4-0", msh("4", sections="")
    yield "msh-size-4", msh(size=4)
    yield "direct", direct_tets(CORNER, PAIR)
    yield "direct-inverted", direct_tets(CORNER, [(1, 0, 2, 3), (1, 3, 2, 4)])
    yield "direct-same", direct_tets(CORNER, PAIR * 3)
    yield "direct-crowded", direct_tets([*CORNER, (0.5, 0.5, 1), (-1, -1, -1)], [(1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 0), (1, 2, 3, 6)])
    yield "direct-flat", direct_tets([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1e-7)], [(0, 1, 2, 3), (0, 1, 2, 4)])
    yield "direct-block", direct_tets(grid, [tuple(some.randrange(18) for _ in range(4)) for _ in range(60)])
    yield "direct-far-and-near", direct_tets([(0, 0, 0), (3e38, 0, 0), (0, 3e38, 0), (0, 0, -3e38), (1e-45, 0, 0), (0, 1e-45, 0), (0, 0, 1e-45)], [(0, 1, 2, 3), (0, 4, 5, 6), (0, 1, 5, 3), (0, 4, 2, 3)])
    yield "direct-heap-far-from-the-fourth", direct_tets([(-1, -0.75, -0.5), (0, 1e-45, 0), (0, 0, 1e-45), (0, 0, 0)], [(0, 1, 2, 3), (0, 1, 3, 2)])
    yield "direct-out-of-range", direct_tets(CORNER, [(0, 1, 2, 255), (0, 1, 2, 254), (0, 0, 1, 253)])
    for k in range(3):
        yield f"random-bytes-{k}", b"d" + some.randbytes(300)


def gltf_seeds():
    corners = struct.pack("<6H", 0, 1, 2, 0, 2, 3)
    square = struct.pack("<12f", 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1)
    uvs = struct.pack("<8f", 0, 0, 1, 0, 1, 1, 0, 1)
    data = square + uvs + corners

    def document(blob=data, uri=None, **changes):
        """Two triangles; a change replaces a list, or takes it away."""
        buffer = {"byteLength": len(blob)} | ({"uri": uri} if uri else {})
        view = lambda start, length, **more: {"buffer": 0, "byteOffset": start, "byteLength": length} | more
        accessor = lambda view, count, component, kind, **more: {"bufferView": view, "count": count, "componentType": component, "type": kind} | more
        primitive = {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2}
        whole = {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [primitive]}],
            "accessors": [accessor(0, 4, 5126, "VEC3"), accessor(1, 4, 5126, "VEC2"), accessor(2, 6, 5123, "SCALAR")],
            "bufferViews": [view(0, 48), view(48, 32), view(80, 12)],
            "buffers": [buffer],
        } | changes
        return {key: value for key, value in whole.items() if value is not None}

    def glb(root, blob=data):
        text = json.dumps(root, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        blob += b"\0" * (-len(blob) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def changed(key, index, **more):
        parts = document()[key]
        return document(**{key: parts[:index] + [parts[index] | more] + parts[index + 1 :]})

    def primitive(**more):
        return document(meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2} | more]}])

    embedded = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    text = lambda root: json.dumps(root).encode()
    whole = glb(document())
    files = {
        "empty": b"",
        "not-json": b"glTG",
        "json-null": b"null",
        "two-triangles": whole,
        "embedded": text(document(uri=embedded)),
        "embedded-broken": text(document(uri=embedded[:-9] + "!")),
        "embedded-not-base64": text(document(uri="data:,abc")),
        "neighbour": text(document(uri="a.bin")),
        "neighbour-above": text(document(uri="../a.bin")),
        "neighbour-absolute": text(document(uri="/dev/zero")),
        "neighbour-above-encoded": text(document(uri="%2e%2e/a.bin")),
        "cut-in-the-header": whole[:9],
        "cut-in-the-json": whole[:99],
        "cut-in-the-buffer": whole[:-30],
        "length-too-large": whole[:8] + b"\xff" * 4 + whole[12:],
        "length-zero": whole[:8] + bytes(4) + whole[12:],
        "version-1": glb(document(asset={"version": "1.0"})),
        "needs-draco": glb(document(extensionsRequired=["KHR_draco_mesh_compression"])),
        "quantized": glb(document(extensionsRequired=["KHR_mesh_quantization"], accessors=[{"bufferView": 0, "count": 4, "componentType": 5122, "type": "VEC3", "normalized": True}, {"bufferView": 1, "count": 4, "componentType": 5121, "type": "VEC2", "normalized": True}, {"bufferView": 2, "count": 6, "componentType": 5123, "type": "SCALAR"}])),
        "no-scene": glb(document(scenes=[])),
        "scene-missing": glb(document(scene=7)),
        "node-its-own-child": glb(document(nodes=[{"mesh": 0, "children": [0]}])),
        "nodes-in-a-circle": glb(document(nodes=[{"mesh": 0, "children": [1]}, {"children": [2]}, {"children": [0]}])),
        "node-of-two-parents": glb(document(nodes=[{"children": [1, 2]}, {"children": [2]}, {"mesh": 0}])),
        "node-missing": glb(document(nodes=[{"children": [9]}])),
        "nodes-in-a-chain": glb(document(nodes=[{"children": [i + 1]} for i in range(400)] + [{"mesh": 0}])),
        "many-nodes": glb(document(scenes=[{"nodes": list(range(300))}], nodes=[{"mesh": 0}] * 300)),
        "mesh-missing": glb(document(nodes=[{"mesh": 3}])),
        "mirrored": glb(document(nodes=[{"mesh": 0, "scale": [-1, 1, 1]}])),
        "flat-matrix": glb(document(nodes=[{"mesh": 0, "matrix": [0] * 16}])),
        "huge-scale": glb(document(nodes=[{"mesh": 0, "scale": [1e38] * 3, "children": [1]}, {"mesh": 0, "scale": [1e38] * 3}])),
        "accessor-missing": glb(primitive(attributes={"POSITION": 9})),
        "no-position": glb(primitive(attributes={"NORMAL": 0})),
        "indices-of-floats": glb(primitive(indices=1)),
        "positions-of-pairs": glb(primitive(attributes={"POSITION": 1})),
        "uvs-of-another-count": glb(changed("accessors", 1, count=3)),
        "strip": glb(primitive(mode=5)),
        "fan": glb(primitive(mode=6)),
        "lines": glb(primitive(mode=1)),
        "mode-unknown": glb(primitive(mode=99)),
        "count-huge": glb(changed("accessors", 0, count=2**53)),
        "count-beyond-the-buffer": glb(changed("accessors", 0, count=9)),
        "count-zero": glb(changed("accessors", 2, count=0)),
        "corners-not-threes": glb(changed("accessors", 2, count=5)),
        "offset-huge": glb(changed("accessors", 0, byteOffset=2**64 - 1)),
        "view-beyond-the-buffer": glb(changed("bufferViews", 0, byteLength=999)),
        "view-offset-huge": glb(changed("bufferViews", 0, byteOffset=2**64 - 4)),
        "stride-zero": glb(changed("bufferViews", 0, byteStride=0)),
        "stride-4": glb(changed("bufferViews", 0, byteStride=4)),
        "stride-252": glb(changed("bufferViews", 0, byteStride=252)),
        "buffer-missing": glb(changed("bufferViews", 0, buffer=1)),
        "buffer-says-more": glb(changed("buffers", 0, byteLength=1000)),
        "no-bufferview": glb(changed("accessors", 0, bufferView=None) | {"accessors": [{"count": 2**40, "componentType": 5126, "type": "VEC3"}]}),
        "sparse": glb(changed("accessors", 0, sparse={"count": 1, "indices": {"bufferView": 2, "byteOffset": 2, "componentType": 5123}, "values": {"bufferView": 1}})),
        "sparse-names-no-element": glb(changed("accessors", 0, sparse={"count": 1, "indices": {"bufferView": 0, "byteOffset": 12, "componentType": 5125}, "values": {"bufferView": 1}})),
        "index-beyond": glb(primitive(), data[:-2] + b"\x09\0"),
        "nan": glb(document(), struct.pack("<3f", math.nan, math.inf, 0) + data[12:]),
        "all-at-one-place": glb(document(), bytes(48) + data[48:]),
    }
    weights = data + struct.pack("<4f", 0.5, 0.25, 0, 0) * 4 + bytes((1, 0, 0, 0)) * 4
    rigged = document(weights)
    rigged["accessors"] += [{"bufferView": 3, "count": 4, "componentType": 5126, "type": "VEC4"}, {"bufferView": 4, "count": 4, "componentType": 5121, "type": "VEC4"}, {"bufferView": 1, "count": 4, "componentType": 5126, "type": "SCALAR"}]
    rigged["bufferViews"] += [{"buffer": 0, "byteOffset": 92, "byteLength": 64}, {"buffer": 0, "byteOffset": 156, "byteLength": 16}]
    rigged["meshes"] = [{"name": "m", "primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 3, "WEIGHTS_0": 3, "JOINTS_0": 4, "_PIN": 5}, "indices": 2, "material": 0, "extras": {"names": ["", "a"], "runs": [[1, 0, 1], [0, 1, 1]]}}] * 2}]
    rigged |= {"nodes": [{"mesh": 0, "skin": 0}, {"name": "arm"}], "skins": [{"joints": [1, 0]}], "materials": [{"name": "silk"}]}
    files["painted"] = glb(rigged, weights)
    files["painted-joint-missing"] = glb(rigged | {"skins": [{"joints": [1]}]}, weights)
    for name, content in files.items():
        yield name, b"\0" + content
    some = random.Random(7)
    for k in range(8):
        yield f"document-{k}", b"\1" + bytes(some.choice((some.randrange(56), some.randrange(256))) for _ in range(600))
        yield f"mesh-{k}", b"\2" + bytes(some.randrange(24, 184) for _ in range(40 + 60 * k))
    yield "mesh-nan", b"\2\2" + bytes([2] * 40)
    yield "mesh-nothing", b"\2"


def message_seeds():
    def text(*messages):
        parts = []
        for message in messages:
            message, content = message if isinstance(message, tuple) else (message, None)
            parts.append(json.dumps(message).encode() + (b"" if content is None else b"\0" + content))
        return b"\n".join(parts)

    def scene(text, **more):
        return {"do": "open", "text": text, **more}

    sheet = "[[cloth]]\nresolution = 4\npin_vertices = [0]\n[[collider]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.2\n"
    step, mesh = {"do": "step", "count": 2}, b"v 0 0 0 v 1 0 0 v 0 0 1 f 1 2 3".replace(b" v", b"\rv").replace(b" f", b"\rf")
    pull = {"body": 0, "vertex": 3, "target": [0, 1, 0]}
    frame = {"do": "export-frame", "time": 0, "energy": [0, 0], "stretch": 0}
    yield "empty", b""
    yield "no-json", b"{\n[]\nnull\n\xff\n{}"
    yield "step", text(step, {"do": "step"}, {"do": "step", "count": 0}, {"do": "step", "count": 100000}, {"do": "step", "count": -1})
    yield "open", text(scene(sheet), step, scene(sheet, keep=True), step)
    yield "open-changed", text(scene(sheet, set=["cloth.density=2", "gravity=[0, -1, 0]"], keep=True), step)
    yield "open-other", text(scene(sheet), step, scene(sheet.replace("4", "5"), keep=True), step)
    yield "open-named", text({"do": "open", "scene": "chain"}, step, {"do": "open", "scene": "chian"}, {"do": "open"})
    yield "open-line", text(scene("\n\n[[cloth]]\nresolutoin = 3"), scene("fps = -1\n[[rope]]"), scene(""), scene("\0"))
    yield "open-huge", text(scene("[[cloth]]\nresolution = 40000"), scene("[[cloth]]\nresolution = [4000000000, 4000000000]"))
    yield "open-limb", text(scene(sheet + "[[obstacle]]\nlimb = { around = 4294967295, along = 4294967295 }\n"))
    yield "open-second", text(scene(sheet + "[solver]\nvelocity_update = \"second-order\"\n"), step, scene(sheet, keep=True), step)
    yield "open-rod", text(scene("[[rod]]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nsegments = 5\n"), {"do": "hold", "pulls": [pull]}, step)
    yield "open-shape", text(scene("[[shape_matched]]\nradius = 0.2\ndetail = 1\n[[balloon]]\nradius = 0.1\ndetail = 1\nposition = [1, 0, 0]\n"), step)
    yield "open-settle", text(scene("settle = 0.02\n" + sheet), step, {"do": "reset"})
    yield "file", text(({"do": "file", "name": "a.obj"}, mesh), scene("[[cloth]]\nmesh = \"a.obj\""), step, scene("[[cloth]]\nmesh = \"../b.obj\""))
    yield "file-pair", text(({"do": "file", "name": "a.node"}, b"4 3 0 0"), ({"do": "file", "name": "a.ele"}, b"1 4 0"), scene("[[soft_body]]\nmesh = \"a.ele\""))
    yield "hold", text({"do": "hold", "pulls": [pull, pull], "wind": [1, 0, 0]}, step, {"do": "hold"}, step)
    yield "hold-far", text({"do": "hold", "pulls": [pull | {"target": [1e39, 0, 0]}]}, {"do": "hold", "wind": [1e6, 0, 0]}, step)
    yield "hold-collider", text(scene(sheet), {"do": "hold", "colliders": [{"collider": 0, "position": [0, -1e6, 0]}]}, step)
    yield "hold-none", text({"do": "hold", "pulls": [pull | {"body": 9}]}, {"do": "hold", "pulls": [pull | {"vertex": 4294967295}]}, step)
    yield "nearest", text({"do": "nearest", "body": 0, "point": [0, 1, 0]}, {"do": "nearest", "body": 1, "point": [1e39, 0, 0]})
    yield "pin", text({"do": "pin", "body": 0, "vertex": 3, "on": True}, step, {"do": "pin", "body": 0, "vertex": 3, "on": False}, step, {"do": "pin", "body": 0, "vertex": 25, "on": True})
    yield "throw", text({"do": "throw", "from": [0, 2, 0], "velocity": [1, 0, 0], "radius": 0.1}, step, {"do": "throw", "from": [0, 2, 0], "velocity": [0, 1e30, 0], "radius": 0.1}, step)
    yield "throw-none", text(*({"do": "throw", "from": [0, 2, 0], "velocity": [0, 0, 0], "radius": r} for r in (0, -1, 1e39)))
    yield "contacts", text({"do": "contacts", "on": True}, step, scene(sheet, keep=True), step, {"do": "contacts", "on": False})
    yield "snapshot", text({"do": "snapshot"}, step, {"do": "restore", "number": 1}, step, {"do": "restore", "number": 2})
    yield "export", text({"do": "export", "name": "a.npz"}, (frame, bytes(25 * 24 + 28)), (frame, b"odd"), {"do": "export-end"}, {"do": "export-end"})
    yield "export-glb", text({"do": "export", "name": "a.glb"}, (frame, b"\xff" * (25 * 24 + 28)), {"do": "export-end"}, {"do": "export", "name": "a.html"})


def snapshot_seeds():
    header = struct.pack("<8sII3Qd", b"seidelst", 2, 2, 0, 0, 48, 0.0)

    def changes(begin, *changes):
        return bytes([begin]) + b"".join(struct.pack("<H4s", back - 4, value) for back, value in changes)

    def number(value):
        return struct.pack("<f", value)

    yield "nothing", b""
    yield "no-state", b"\0seidel"
    yield "magic-alone", b"\0seidelst"
    yield "header-alone", b"\0" + header
    yield "header-of-huge", b"\0" + header[:32] + b"\xff" * 16 + bytes(8)
    yield "other-format", b"\0" + header[:8] + b"\3" + header[9:]
    for frame in range(8):
        yield f"frame-{frame}", bytes([8 + frame])
    yield "damaged", changes(128 + 7, (100, b"\1\2\3\4"))
    nan, huge, ones = number(math.nan), number(1e30), b"\xff" * 4
    for name, value in (("nan", nan), ("huge", huge), ("ones", ones), ("zero", bytes(4))):
        # Softness, contacts, motors, joints, bodies, poses and rows, from the end.
        yield f"near-end-{name}", changes(15, *((12 + 52 * k, value) for k in range(12)))
        yield f"one-{name}", changes(15, (144, value))
        yield f"rows-{name}", changes(14, *((2000 + 404 * k, value) for k in range(20)))
    for back in (12, 16, 20, 140, 264, 268, 272, 300, 400, 800):
        yield f"count-{back}", changes(13, (back, struct.pack("<I", 5)))
    some = random.Random(7)
    for k in range(6):
        spots = [(12 + some.randrange(4000), struct.pack("<I", some.randrange(1 << 32))) for _ in range(1 + k)]
        yield f"any-{k}", changes(8 + k, *spots)
    yield "tired", changes(64 + 15)
    for name, value in (("nan", nan), ("huge", huge), ("minus", number(-0.1)), ("small", number(0.01)), ("zero", bytes(4))):
        for k in range(4):
            yield f"tired-{name}-{k}", changes(64 + 15, (12 + 4 * some.randrange(1000), value))


def rigid_seeds():
    """Rigid bodies in the encoding of ../src/rigid.rs: the more bytes, the more bodies and joints that are not the default of zeros."""
    some = random.Random(11)
    yield "nothing", b""
    yield "two-in-one-place", bytes([1, 0, 0, 0, 0, 1] + [0, 100] * 40)
    yield "all-special", bytes(k % 24 for k in range(400))
    yield "no-mass", bytes([2, 1, 0, 1, 4, 0, 3] + [192, 0] * 60)
    yield "largest", bytes([2, 1, 0, 1, 4, 0, 3] + [192, 17] * 60)
    for k in range(40):
        length = 40 + 30 * k
        tame = bytes(some.randrange(192) for _ in range(length))
        yield f"tame-{k}", bytes([k % 4, k % 2, 0, 0, k % 3, *tame])
    for k in range(20):
        yield f"any-{k}", bytes(some.randrange(256) for _ in range(60 + 40 * k))


def fluid_seeds():
    """Fluids in the encoding of ../src/fluid.rs: the more bytes, the more that is not the default of zeros."""
    some = random.Random(23)
    yield "nothing", b""
    yield "all-special", bytes(k % 24 for k in range(400))
    yield "largest", bytes([2, 1, 0, 0, 1] + [192, 17] * 60)
    # Settings, no collider, a spacing of 2 cm, one fluid: so many points in one place; a jet into nothing.
    begin = [3, 0, 0, 0, 0, 19, 0]
    yield "one-place", bytes([*begin, 1, 63] + [100] * 192)
    yield "jet", bytes([*begin, 2, 0, 0, 0, 0, 1, 1, 60, 100, 100, 100, 0, 136, 0, 0, 0, 0, 40])
    for k in range(24):
        length = 20 + 12 * k
        tame = bytes(some.randrange(192) for _ in range(length))
        yield f"tame-{k}", bytes([k % 4, k % 2, 0, 0, k % 3, *tame])
    for k in range(12):
        yield f"any-{k}", bytes(some.randrange(256) for _ in range(40 + 30 * k))


targets = (
    ("obj", obj_seeds()),
    ("surface", surface_seeds()),
    ("tets", tets_seeds()),
    ("gltf", gltf_seeds()),
    ("mesh", mesh_seeds()),
    ("hash", hash_seeds()),
    ("contact", contact_seeds()),
    ("message", message_seeds()),
    ("rigid", rigid_seeds()),
    ("fluid", fluid_seeds()),
    ("snapshot", snapshot_seeds()),
)
for target, seeds in targets:
    folder = HERE / target
    folder.mkdir(exist_ok=True)
    for name, content in seeds:
        content = content.encode() if isinstance(content, str) else content
        (folder / (name + (".obj" if target == "obj" else ""))).write_bytes(content)
