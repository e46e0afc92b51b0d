# SPDX-License-Identifier: Apache-2.0
"""Reads folders of `nonsmooth paraview` by ParaView's own readers, in pvpython, and holds them against the run.

    pvpython paraview_reads.py FOLDER...

Each FOLDER has FOLDER.json beside it, which the caller wrote from the run: the times, and of each step its number, the bodies
(position, turn, velocity), contacts (point, force, gap, ends of the line between the bodies) and values (q or x). Shapes
are judged by what they are: a ball has its points at one distance from its centre, a box its corners at the half extents
along its axes. Exit status 77: no numpy here.
"""
import importlib.util
import json
import os
import sys

try:
    import numpy as np
    from paraview import servermanager
    from paraview.simple import Delete
    from vtkmodules.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print(error)
    sys.exit(77)

NEAR = 1e-6  # of the largest number: floats of 4 bytes round to 6e-8; points that move come from ten operations on some
EVERY = 4  # steps that are looked at


def check(good, *what):
    if not good:
        print("FAILED", *what)
        sys.exit(1)


def near(a, b, *what):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    check(a.shape == b.shape, *what, "has shape", a.shape, "expected", b.shape)
    if a.size:
        check(np.abs(a - b).max() <= NEAR * max(1.0, np.abs(b).max()), *what, "is apart by", np.abs(a - b).max())


def fetch(proxy, t):
    proxy.UpdatePipeline(t)
    data = servermanager.Fetch(proxy)
    check(data.IsA("vtkPolyData"), proxy, "gave", data.GetClassName())
    return data


def points_of(data):
    return vtk_to_numpy(data.GetPoints().GetData())


def array(data, name):
    found = data.GetPointData().GetArray(name)
    check(found is not None, "no array", name)
    return vtk_to_numpy(found)


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def check_bodies(data, bodies, t):
    check(data.GetNumberOfPoints() == len(bodies), "bodies at", t)
    check(data.GetNumberOfVerts() == len(bodies), "vertices at", t)
    near(points_of(data), [body["position"] for body in bodies], "positions at", t)
    near(array(data, "orientation"), [body["turn"] for body in bodies], "orientations at", t)
    near(array(data, "velocity"), [body["velocity"] for body in bodies], "velocities at", t)
    names = data.GetPointData().GetAbstractArray("name")
    check([names.GetValue(k) for k in range(len(bodies))] == [body["name"] for body in bodies], "names at", t)


def check_moving(data, bodies, t):
    points, owners = points_of(data), array(data, "body")
    near(np.linalg.norm(array(data, "Normals"), axis=1), np.ones(len(points)), "length of normals")
    check(data.GetNumberOfPolys() > 0 and set(owners) == set(range(len(bodies))), "surfaces at", t)
    for b, body in enumerate(bodies):
        own = (points[owners == b] - body["position"]) @ matrix(body["turn"])
        shape = body["shape"]
        if shape["kind"] == "ball":
            near(np.linalg.norm(own, axis=1), np.full(len(own), shape["radius"]), "ball", b, "at", t)
        elif shape["kind"] == "box":
            near(np.abs(own), np.tile(shape["half"], (len(own), 1)), "box", b, "at", t)
        elif shape["kind"] == "disk":
            near(own[:, 2], np.zeros(len(own)), "flat", b, "at", t)
            near(np.linalg.norm(own, axis=1).max(), shape["radius"], "disk", b, "at", t)
    near(array(data, "speed"), [np.linalg.norm(bodies[b]["velocity"]) for b in owners], "speeds of shapes at", t)


def check_contacts(data, network, contacts, t):
    check(data.GetNumberOfPoints() == len(contacts), "contacts at", t)
    if not contacts:
        return
    near(points_of(data), [contact["point"] for contact in contacts], "points of contacts at", t)
    near(array(data, "force"), [contact["force"] for contact in contacts], "forces at", t)
    near(array(data, "gap"), [contact["gap"] for contact in contacts], "gaps at", t)
    pressing = [contact for contact in contacts if np.linalg.norm(contact["force"]) > 0]
    norms = np.array([np.linalg.norm(contact["force"]) for contact in pressing])
    check(network.GetNumberOfLines() == len(pressing), "lines of the network at", t)
    if not pressing:
        return
    near(array(network, "force_norm"), np.repeat(norms, 2), "norms at", t)
    near(points_of(network).reshape(-1, 6), [contact["ends"] for contact in pressing], "ends of lines at", t)
    parts = [vtk_to_numpy(network.GetCellData().GetArray(name)) for name in ("normal_force", "tangential_force")]
    near(np.hypot(*parts), norms, "parts of forces at", t)


def check_folder(folder):
    with open(folder + ".json") as file:
        run = json.load(file)
    spec = importlib.util.spec_from_file_location("scene", os.path.join(folder, "scene.py"))
    scene = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scene)
    made = scene.pipeline()
    series = made.get("bodies", made.get("values"))
    times = list(series.TimestepValues)
    near(times, run["times"], "times")
    for k in sorted({*range(0, len(times), EVERY), len(times) - 1}):
        t, step = times[k], run["steps"][k]
        first = fetch(series, t)
        for column in ("kinetic", "residual"):
            check(first.GetFieldData().GetArray(column) is not None, "column", column, "at", t)
        check(first.GetFieldData().GetArray("step").GetValue(0) == step["step"], "step at", t)
        if "bodies" in made:
            check_bodies(first, step["bodies"], t)
            check_moving(fetch(made["moving"], t), step["bodies"], t)
        if "contacts" in made:
            check_contacts(fetch(made["contacts"], t), fetch(made["network"], t), step["contacts"], t)
            arrows = fetch(made["forces"], t).GetNumberOfPoints()
            check((arrows > 0) == (len(step["contacts"]) > 0), "arrows at", t)
        for mesh in step["meshes"]:
            data = fetch(made[mesh["name"]], t)
            check(data.GetNumberOfCells() == mesh["cells"], "cells of", mesh["name"], "at", t)
            near(points_of(data), mesh["points"], "nodes of", mesh["name"], "at", t)
            near(array(data, mesh["field"]), mesh["values"], "numbers of", mesh["name"], "at", t)
        if "values" in made and not step["meshes"]:  # of several kinds of systems there
            near(array(fetch(made["values"], t), run["values"]), step["values"], "values at", t)
    if "bodies" in made:
        made["ground"].UpdatePipeline()
        check(made["ground"].GetDataInformation().GetNumberOfPoints() > 0, "ground")
    print(folder, "read:", len(times), "steps,", ", ".join(sorted(made)))
    for proxy in reversed(list(made.values())):
        Delete(proxy)


if __name__ == "__main__":
    # In a module of its own: filters that are programs put numpy's names into the main one.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    from paraview_reads import check_folder as check_one
    for one in sys.argv[1:]:
        check_one(one)
