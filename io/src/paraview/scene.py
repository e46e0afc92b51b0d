# Shows a run: its bodies with their shapes, the ground, contact forces and the network that they make. In ParaView
# File > Load State; or pvpython, where pipeline() makes readers and filters alone, without a window.
import os

from paraview.simple import *

# Where the files are: beside this one, or where ParaView does not tell, where they were written.
FOLDER = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else {{folder}}
SPEED = {{speed}}  # of nine of ten steps the fastest body is slower
FORCE = {{force}}  # nine of ten contacts press less
REACH = {{reach}}  # half of the scene's width
PLANE = {{plane}}
MESHES = {{meshes}}  # whose nodes carry numbers of systems

# Moves each point of the shapes (second input) with its body (first input): x + Q p Q*, which it has the numbers of.
MOVE = """
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray

bodies, shapes = inputs[0].VTKObject, inputs[1].VTKObject
of_bodies, of_shapes = bodies.GetPointData(), shapes.GetPointData()
owner = vtk_to_numpy(of_shapes.GetArray('body'))
there = vtk_to_numpy(of_bodies.GetArray('body'))
row = np.full(np.concatenate((owner, there)).max(initial=-1) + 1, -1)
row[there] = np.arange(len(there))
at = row[owner]
whole = bool((at >= 0).all())
kept = np.arange(len(owner)) if whole else np.flatnonzero(at >= 0)
at = at[kept]


def rows_of(array, at):
    return np.take(vtk_to_numpy(array), at, axis=0)


def turned(vectors, quaternions):
    w, x, y, z = quaternions.T
    a, b, c = vectors.T
    s, t, u = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return np.stack((a + w * s + y * u - z * t, b + w * t + z * s - x * u, c + w * u + x * t - y * s), axis=1)


quaternions = rows_of(of_bodies.GetArray('orientation'), at)
points = turned(rows_of(shapes.GetPoints().GetData(), kept), quaternions)
points += rows_of(bodies.GetPoints().GetData(), at)
places = vtkPoints()
places.SetData(numpy_to_vtk(points, deep=True))
output.VTKObject.SetPoints(places)


def cells(all_cells):  # those whose bodies are there
    if whole:
        return all_cells
    some = vtkCellArray()
    if all_cells.GetNumberOfCells() > 0:
        corners = vtk_to_numpy(all_cells.GetConnectivityArray()).reshape(all_cells.GetNumberOfCells(), -1)
        new = np.full(len(owner), -1)
        new[kept] = np.arange(len(kept))
        corners = new[corners]
        corners = corners[(corners >= 0).all(axis=1)]
        ends = np.arange(len(corners) + 1) * corners.shape[1]
        some.SetData(numpy_to_vtk(ends.astype(np.int64), deep=True),
                     numpy_to_vtk(corners.ravel().astype(np.int64), deep=True))
    return some


output.VTKObject.SetLines(cells(shapes.GetLines()))
output.VTKObject.SetPolys(cells(shapes.GetPolys()))
of_output = output.VTKObject.GetPointData()


def add(name, values):
    array = numpy_to_vtk(values, deep=True)
    array.SetName(name)
    of_output.AddArray(array)
    return array


of_output.SetNormals(add('Normals', turned(rows_of(of_shapes.GetArray('Normals'), kept), quaternions)))
for name in ('geometry', 'material'):
    add(name, rows_of(of_shapes.GetArray(name), kept))
for k in range(of_bodies.GetNumberOfArrays()):
    array = of_bodies.GetArray(k)  # none: the names
    if array and array.GetName() not in ('orientation', 'size'):
        add(array.GetName(), rows_of(array, at))
"""


def pipeline():
    """Readers and filters, by name; those whose files are there."""
    if not os.path.exists(os.path.join(FOLDER, "scene.py")):
        raise FileNotFoundError(f"{FOLDER}: the files are not there any more; FOLDER in scene.py says where")
    made = {}
    for name in ("bodies", "contacts", "network", "values", *MESHES):
        path = os.path.join(FOLDER, name + ".pvd")
        if os.path.exists(path):
            made[name] = PVDReader(registrationName=name, FileName=path)
    for name in ("shapes", "ground"):
        path = os.path.join(FOLDER, name + ".vtp")
        if os.path.exists(path):
            made[name] = XMLPolyDataReader(registrationName=name, FileName=[path])
    if "shapes" in made:
        made["moving"] = ProgrammableFilter(registrationName="moving shapes", Input=[made["bodies"], made["shapes"]],
                                            OutputDataSetType="vtkPolyData", Script=MOVE)
    if "contacts" in made:
        made["forces"] = Glyph(registrationName="forces", Input=made["contacts"], GlyphType="Arrow",
                               OrientationArray=["POINTS", "force"], ScaleArray=["POINTS", "force"],
                               ScaleFactor=0.15 * REACH / FORCE, GlyphMode="All Points")
    return made


def show(made):
    """Bodies and ground in the active view; contacts, network and forces (arrows) are there to be switched on."""
    scene = GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    drawn = [made[name] for name in ("moving", *MESHES) if name in made]
    if not drawn:
        return plot(made["values"]) if "values" in made else None
    view = GetActiveViewOrCreate("RenderView")
    for name in MESHES:
        mesh = Show(made[name], view)
        fields = made[name].PointData.keys()
        field = next((one for one in ("x", "v", "q") if one in fields), None)
        if field:
            ColorBy(mesh, ("POINTS", field))
            mesh.RescaleTransferFunctionToDataRangeOverTime()
            mesh.SetScalarBarVisibility(view, True)
    if "moving" in made:
        moving = Show(made["moving"], view)
        ColorBy(moving, ("POINTS", "speed"))
        GetColorTransferFunction("speed").RescaleTransferFunction(0.0, SPEED)
        moving.SetScalarBarVisibility(view, True)
    if "ground" in made:
        ground = Show(made["ground"], view)
        ground.DiffuseColor = [0.6, 0.6, 0.6]
        ground.Opacity = 0.4
    for name, array in (("network", "force_norm"), ("contacts", "normal_force")):
        if name in made:
            display = Show(made[name], view)
            display.ColorArrayName = ["POINTS", array]  # ColorBy would look for its range: the first step may have none
            display.LookupTable = GetColorTransferFunction(array)
            display.LookupTable.RescaleTransferFunction(0.0, FORCE)
            display.LineWidth = 3.0
            Hide(made[name], view)
    if PLANE:
        view.InteractionMode = "2D"
    else:
        view.CameraPosition = [1.0, -2.0, 0.8]
        view.CameraFocalPoint = [0.0, 0.0, 0.0]
        view.CameraViewUp = [0.0, 0.0, 1.0]
    SetActiveSource(drawn[0])
    ResetCamera(view)
    Render(view)
    return view


def plot(values):
    """What has no place in space: the entries of systems, as they change."""
    view = CreateView("XYChartView")
    display = Show(PlotData(registrationName="entries", Input=values), view)
    display.UseIndexForXAxis = 0
    display.XArrayName = "entry"
    display.SeriesVisibility = ["q", "v", "x"]
    Render(view)
    return view


if __name__ == "__main__":
    show(pipeline())
