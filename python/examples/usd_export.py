"""Runs a scene and writes it as an animated USD file, which usdview, Omniverse, Houdini and Blender open.

It needs usd-core (`pip install usd-core`) beside seidel. Lengths are metres, y is up, and a frame is a time code.
Blender turns y to its z, and keeps its own frame rate: set it to the scene's, mostly 60.
- A body is a mesh whose points have a sample for each frame. Ropes and rods are curves, fluids and grains are points.
- A rigid body or a collider is an Xform with a position and a rotation for each frame. Its shape lies below it.
  seidel's Python package does not tell shapes, so they are read from the scene's text: spheres, capsules, cuboids,
  cylinders, cones, and planes as squares of 10 m. Other shapes (meshes, hulls, height fields, tori) are left out: the
  Xform is written alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import seidel
from pxr import Gf, Tf, Usd, UsdGeom, Vt

# The scene file's tables of bodies without triangles.
KINDS = ["rope", "rod", "fluid", "grains"]
Table = Mapping[str, Any]


def tables(text: str) -> Table:
    """The scene's text as tables. Python reads TOML from 3.11 on: before, there are none, and so no shapes."""
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    return {}


def child(stage: Usd.Stage, parent: str, name: str) -> str:
    """A path below the parent's for a name; names of seidel may be any text, USD's are identifiers."""
    path = f"{parent}/{Tf.MakeValidIdentifier(name)}"
    while stage.GetPrimAtPath(path):
        path += "_"
    return path


class Surface:
    """A body with vertices: a mesh, or curves or points if it has no triangles."""

    def __init__(self, stage: Usd.Stage, path: str, body: seidel.Body, kind: str, table: Table) -> None:
        self._body = body
        self._triangles: npt.NDArray[np.uint32] | None = None
        positions, triangles = body.now()
        if len(triangles) > 0:
            self._geometry = UsdGeom.Mesh.Define(stage, path)
            self._geometry.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
            self._geometry.CreateDoubleSidedAttr(True)
        elif kind in ("rope", "rod"):
            self._geometry = UsdGeom.BasisCurves.Define(stage, path)
            self._geometry.CreateTypeAttr(UsdGeom.Tokens.linear)
            self._geometry.CreateCurveVertexCountsAttr([len(positions)])
            self._widths(2 * float(table.get("radius", table.get("thickness", 0.005))))
        else:
            self._geometry = UsdGeom.Points.Define(stage, path)
            size = 2 * float(table.get("radius", 0.01)) if kind == "grains" else float(table.get("spacing", 0.02))
            self._widths(size)
        self._geometry.GetPrim().SetDisplayName(body.name)

    def _widths(self, width: float) -> None:
        self._geometry.CreateWidthsAttr([width])
        self._geometry.SetWidthsInterpolation(UsdGeom.Tokens.constant)

    def write(self, frame: int) -> None:
        # With the copies of vertices that have torn: then triangles are others, too.
        positions, triangles = self._body.now()
        points = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(positions))
        self._geometry.CreatePointsAttr().Set(points, frame)
        self._geometry.CreateExtentAttr().Set(UsdGeom.PointBased.ComputeExtent(points), frame)
        if len(triangles) > 0 and not (self._triangles is not None and np.array_equal(triangles, self._triangles)):
            self._triangles = triangles
            counts = np.full(len(triangles), 3, dtype=np.int32)
            self._geometry.CreateFaceVertexCountsAttr().Set(Vt.IntArray.FromNumpy(counts), frame)
            indices = triangles.astype(np.int32).ravel()
            self._geometry.CreateFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(indices), frame)


class Placed:
    """An Xform that is moved: a rigid body or a collider."""

    def __init__(self, stage: Usd.Stage, path: str, name: str) -> None:
        xform = UsdGeom.Xform.Define(stage, path)
        xform.GetPrim().SetDisplayName(name)
        self._translate, self._orient = xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble), xform.AddOrientOp()

    def write(self, frame: int, pose: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]) -> None:
        position, (x, y, z, w) = pose
        self._translate.Set(Gf.Vec3d(*position.tolist()), frame)
        self._orient.Set(Gf.Quatf(float(w), float(x), float(y), float(z)), frame)


def shape(stage: Usd.Stage, path: str, table: Table, default: str, *, is_part: bool = False) -> None:
    """The shape of a [[body]], [[body.part]] or [[collider]], if USD has such a one."""
    kind = str(table.get("shape", default))
    if kind == "sphere":
        solid = UsdGeom.Sphere.Define(stage, path)
    elif kind == "capsule":
        solid = UsdGeom.Capsule.Define(stage, path)
    elif kind == "cylinder":
        solid = UsdGeom.Cylinder.Define(stage, path)
    elif kind == "cone":
        solid = UsdGeom.Cone.Define(stage, path)
    elif kind == "cuboid":
        solid = UsdGeom.Cube.Define(stage, path)
    elif kind == "plane":
        solid = UsdGeom.Mesh.Define(stage, path)
        solid.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        solid.CreatePointsAttr([(-5, 0, -5), (-5, 0, 5), (5, 0, 5), (5, 0, -5)])
        solid.CreateFaceVertexCountsAttr([4])
        solid.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    else:
        return
    if kind in ("sphere", "capsule", "cylinder", "cone"):
        solid.CreateRadiusAttr(float(table.get("radius", 0.5)))
    if kind in ("capsule", "cylinder", "cone"):
        solid.CreateAxisAttr(UsdGeom.Tokens.y)
        solid.CreateHeightAttr(2 * float(table["half_length"]))
    solid.CreateExtentAttr(UsdGeom.Boundable.ComputeExtentFromPlugins(solid, Usd.TimeCode.Default()))
    if is_part:
        rotation = table.get("rotation", {})
        solid.AddTranslateOp().Set(Gf.Vec3d(*map(float, table.get("position", (0, 0, 0)))))
        turn = Gf.Rotation(Gf.Vec3d(*map(float, rotation.get("axis", (0, 0, 0)))), float(rotation.get("degrees", 0)))
        solid.AddOrientOp().Set(Gf.Quatf(turn.GetQuat()))
    if kind == "cuboid":
        # A cube has sides of 2.
        solid.AddScaleOp().Set(Gf.Vec3f(*map(float, table["half"])))


def export(scene: seidel.Scene, out: Path, frames: int) -> None:
    """Runs the scene for so many frames, and writes them and its start."""
    solver = scene.solver()
    if scene.settle > 0:
        solver.settle(scene.settle)
    stage = Usd.Stage.CreateNew(str(out))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(1 / scene.dt)
    stage.SetFramesPerSecond(1 / scene.dt)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(frames)
    root = UsdGeom.Xform.Define(stage, "/scene")
    root.AddTranslateOp().Set(Gf.Vec3d(*solver.origin.tolist()))
    stage.SetDefaultPrim(root.GetPrim())
    for group in ("bodies", "rigid_bodies", "colliders"):
        UsdGeom.Scope.Define(stage, f"/scene/{group}")

    text = tables(scene.text)
    described = {
        table.get("name") or f"{kind}-{at}": (kind, table)
        for kind in KINDS
        for at, table in enumerate(text.get(kind, []))
    }
    surfaces = []
    for name in scene.bodies:
        kind, table = described.get(name, ("", {}))
        surfaces.append(Surface(stage, child(stage, "/scene/bodies", name), solver[name], kind, table))

    # Rigid bodies and colliders are in the order of the text.
    rigid, colliders = [], []
    for at, name in enumerate(scene.rigid_bodies):
        path = child(stage, "/scene/rigid_bodies", name)
        rigid.append((Placed(stage, path, name), name))
        if "body" in text:
            table = text["body"][at]
            parts = table.get("part", [])
            for part in parts:
                shape(stage, child(stage, path, f"{name}_part"), part, "sphere", is_part=True)
            # Blender makes one object of an Xform and what alone lies below it, with the latter's name.
            if not parts:
                shape(stage, child(stage, path, name), table, "sphere")
    for at, name in enumerate(scene.colliders):
        path = child(stage, "/scene/colliders", name)
        colliders.append((Placed(stage, path, name), name))
        if "collider" in text:
            shape(stage, child(stage, path, name), text["collider"][at], "plane")

    for frame in range(frames + 1):
        if frame > 0:
            solver.step()
        for surface in surfaces:
            surface.write(frame)
        for placed, name in rigid:
            placed.write(frame, solver.rigid_pose(name))
        for placed, name in colliders:
            placed.write(frame, solver.collider_pose(name))
    stage.GetRootLayer().Save()
    counts = f"{len(surfaces)} bodies, {len(rigid)} rigid bodies, {len(colliders)} colliders"
    print(f"{out}: {frames + 1} samples of {counts}")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Runs a scene of seidel and writes it as an animated USD file.")
    parser.add_argument("scene", help="a named scene, such as flag, or a scene file (.toml) that names no mesh files")
    parser.add_argument("out", type=Path, help="the file: .usdc (binary), .usda (text) or .usd")
    parser.add_argument("--frames", type=int, help="as many as the scene has, unless given")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="such as cloth.resolution=16")
    args = parser.parse_args(given)
    if args.out.suffix not in (".usd", ".usda", ".usdc"):
        sys.exit(f"{args.out}: a name that ends with .usd, .usda or .usdc is wanted")
    try:
        if args.scene.endswith(".toml"):
            scene = seidel.Scene.from_toml(Path(args.scene).read_text(), set=args.set)
        else:
            scene = seidel.Scene.named(args.scene, set=args.set)
    except (seidel.Error, OSError) as wrong:
        sys.exit(f"{args.scene}: {wrong}")
    export(scene, args.out, scene.frames if args.frames is None else args.frames)


if __name__ == "__main__":
    main()
