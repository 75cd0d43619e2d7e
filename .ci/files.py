"""VTK reads each .pvd file that is named: times, points, velocities and bounds are those of the .npz beside it. Run by .ci/files."""

import pathlib
import sys
import xml.etree.ElementTree as ET

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

LINE, TRIANGLE = 3, 5


def read(file):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(file))
    reader.Update()
    assert reader.GetErrorCode() == 0, file
    return reader.GetOutput()


def check(pvd):
    run = np.load(pvd.with_suffix(".npz"))
    parts = ET.parse(pvd).getroot().findall("./Collection/DataSet")
    frames = [part for part in parts if part.get("part") == "0"]
    rigid = [part for part in parts if part.get("part") == "1"]
    assert [float(f.get("timestep")) for f in frames] == run["time"].tolist()
    in_triangles, owner = len(run["triangles"]), np.searchsorted(run["body_first"], run["triangles"][:, 0], "right") - 1
    for i, frame in enumerate(frames):
        grid = read(pvd.parent / frame.get("file"))
        x = run["positions"][i]
        assert grid.GetNumberOfPoints() == len(x)
        assert (vtk_to_numpy(grid.GetPoints().GetData()) == x).all()
        assert (vtk_to_numpy(grid.GetPointData().GetArray("velocity")) == run["velocities"][i]).all()
        bounds = np.float64(np.stack([x.min(0), x.max(0)], 1)).ravel()
        assert tuple(bounds) == grid.GetBounds(), (bounds, grid.GetBounds())
        assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == run["time"][i]
        types = np.array([grid.GetCellType(c) for c in range(grid.GetNumberOfCells())])
        assert (types == TRIANGLE).sum() == in_triangles and set(types) <= {LINE, TRIANGLE}
        corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        if in_triangles == len(types):
            assert (corners.reshape(-1, 3) == run["triangles"]).all()
            assert (vtk_to_numpy(grid.GetCellData().GetArray("body")) == owner).all()
    # Of the scenes here each rigid body is one ball or box, so its pose, among the last of all, is the middle of its surface.
    assert len(rigid) in (0, len(frames))
    for i, part in enumerate(rigid):
        grid = read(pvd.parent / part.get("file"))
        points, of = vtk_to_numpy(grid.GetPoints().GetData()), vtk_to_numpy(grid.GetCellData().GetArray("body"))
        corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 3)
        bodies = np.unique(of)
        assert bodies[0] == len(run["body_first"])
        for body, pose in zip(bodies, run["collider_poses"][i][-len(bodies) :]):
            surface = points[np.unique(corners[of == body])]
            middle = (surface.min(0) + surface.max(0)) / 2
            assert np.abs(middle - pose[:3]).max() < 1e-3, (middle, pose)
    print(f"{pvd}: {len(frames)} frames, {len(rigid)} of rigid bodies, {len(x)} points, {len(types)} cells")


for name in sys.argv[1:]:
    check(pathlib.Path(name))
sys.exit(len(sys.argv) < 2)
