"""Reads a file of usd_export.py back: `python read_usd.py FILE SAMPLES`."""

import sys

from pxr import Usd, UsdGeom


def main():
    file, wanted = sys.argv[1], int(sys.argv[2])
    stage = Usd.Stage.Open(file)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetEndTimeCode() == wanted - 1, stage.GetEndTimeCode()
    meshes = xforms = 0
    for prim in stage.Traverse():
        attribute = None
        if prim.IsA(UsdGeom.Mesh) and prim.GetAttribute("points").GetNumTimeSamples() > 0:
            attribute, meshes = prim.GetAttribute("points"), meshes + 1
        elif prim.IsA(UsdGeom.Xform) and prim.GetAttribute("xformOp:orient"):
            attribute, xforms = prim.GetAttribute("xformOp:translate"), xforms + 1
        if attribute is not None:
            assert attribute.GetNumTimeSamples() == wanted, (prim.GetPath(), attribute.GetNumTimeSamples())
            moved = attribute.Get(0) != attribute.Get(wanted - 1)
            print(f"{prim.GetPath()}: {attribute.GetNumTimeSamples()} samples{'' if moved else ', at rest'}")
    assert meshes > 0 and xforms > 0, "no mesh or no Xform with samples"


main()
