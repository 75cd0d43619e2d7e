"""What works, and how what is wrong is told."""

import pickle
import re
import threading
from pathlib import Path

import numpy as np
import pytest
import seidel

ROOT = Path(__file__).parent.parent.parent
TEXT = """
[solver]
substeps = 4
[[cloth]]
name = "flag"
resolution = 8
position = [0, 1, 0]
pin = ["first-row"]
[[collider]]
name = "ball"
shape = "sphere"
radius = 0.2
position = [0, 0.5, 0.3]
[[body]]
name = "box"
shape = "cuboid"
half = [0.1, 0.1, 0.1]
position = [2, 1, 0]
"""
SHIRT = (
    np.array([[0, 0, 0], [0.5, 0, 0], [0, 0, 0.5], [0.5, 0, 0.5]]),
    np.array([[0, 2, 1], [1, 2, 3]]),
)


def scene():
    return seidel.Scene.from_toml(TEXT)


def test_arrays_are_filled_in_place_and_cannot_be_written():
    solver = scene().solver(threads=1)
    x = solver["flag"].positions
    v = solver["flag"].velocities
    assert x.shape == (64, 3) and x.dtype == np.float32 and x is solver["flag"].positions
    before = x.copy()
    report = solver.step()
    assert report.lost is None and not (x == before).all() and v[8:, 1].max() < 0
    assert (x[:8] == before[:8]).all(), "the first row is pinned"
    with pytest.raises(ValueError):
        x[0, 0] = 1
    solver.reset()
    assert (x == before).all() and solver.time == 0


def test_pins_and_switches():
    solver = scene().solver(threads=1)
    flag = solver["flag"]
    flag.unpin(0)
    flag.pin(63)
    corner = flag.positions[63].copy()
    solver.step()
    assert (flag.positions[63] == corner).all() and flag.velocities[0, 1] < 0 and flag.inv_masses[0] > 0
    with pytest.raises(seidel.Error, match="64"):
        flag.pin(64)
    # What waits stays where it is, and other bodies go on.
    flag.enabled = False
    solver.set_rigid_enabled("box", False)
    solver.set_collider_enabled("ball", False)
    before, box = flag.positions.copy(), solver.rigid_pose("box")[0]
    solver.step()
    assert not flag.enabled and (flag.positions == before).all() and (solver.rigid_pose("box")[0] == box).all()
    flag.enabled = True
    solver.set_rigid_enabled("box", True)
    solver.set_collider_enabled("ball", True)
    assert flag.enabled and flag.positions[:, 1].min() == 1, "as the scene begins"
    solver.step()
    assert flag.velocities[20, 1] < 0 and solver.rigid_pose("box")[0][1] < 1
    with pytest.raises(seidel.Error, match="no collider"):
        solver.set_collider_enabled("flag", False)


def test_what_yields_is_measured_and_taken_back():
    text = "gravity = [0, -50, 0]\n[[rope]]\nname = 'wire'\nstretch_compliance = 1e-2\npin_vertices = [0]\nplastic = { yield = 0.01, fatigue = 10, breaks = 0.6 }"
    solver = seidel.Scene.from_toml(text).solver(threads=1)
    wire = solver["wire"]
    assert wire.plastic_strain == 0
    for _ in range(20):
        solver.step()
    drawn = wire.plastic_strain
    assert drawn > 0.02
    assert wire.accumulated_strain >= 0.6 and 0 < wire.broken_rows < 19
    again = pickle.loads(pickle.dumps(solver))
    assert again["wire"].plastic_strain == drawn
    assert again["wire"].accumulated_strain == wire.accumulated_strain
    wire.restore_rest_shape()
    assert (wire.plastic_strain, wire.accumulated_strain, wire.broken_rows) == (0, 0, 0)


def test_cloth_is_cut():
    text = "gravity = [0, 0, 0]\n[[cloth]]\nname = 'sheet'\nresolution = 9\ntear = { strain = 100 }\n[[cloth]]\nname = 'whole'\nposition = [5, 0, 0]"
    solver = seidel.Scene.from_toml(text).solver(threads=1)
    sheet = solver["sheet"]
    assert [a.shape for a in sheet.now()] == [(81, 3), (128, 3)]
    report = solver.step(cuts=[("sheet", [(0.01, 0, 0), (1, 0, 0)])])
    assert len(report.torn) == 9 and {name for name, *_ in report.torn} == {"sheet"}
    blade = [(-1, -1, 0.01), (-1, 1, 0.01), (0, -1, 0.01), (0, 1, 0.01)]
    assert len(solver.step(cuts=[("sheet", blade)]).torn) > 0
    positions, triangles = sheet.now()
    assert len(positions) > 90 and triangles.max() == len(positions) - 1 and sheet.positions.shape == (81, 3)
    again = pickle.loads(pickle.dumps(solver))["sheet"].now()
    assert (again[0] == positions).all() and (again[1] == triangles).all()
    with pytest.raises(seidel.Error, match="`whole` cannot be cut"):
        solver.step(cuts=[("whole", [(0, 0, 0), (1, 0, 0)])])
    with pytest.raises(seidel.Error, match="3 points"):
        solver.step(cuts=[("sheet", [(0, 0, 0)] * 3)])


def test_states_of_a_batch_tear():
    text = "[solver]\nsubsteps = 5\n[[cloth]]\nname = 'sheet'\nresolution = 9\nstretch_compliance = 1e-3\npin_vertices = [0, 8]\ntear = { strain = 0.05 }"
    scene = seidel.Scene.from_toml(text)
    batch = seidel.Batch(scene, 3, threads=2)
    alone = [scene.solver(threads=1) for _ in range(3)]
    seen = batch.bind("sheet")
    gravity = np.array([[0, -g, 0] for g in (1, 100, 300)], float)
    torn = np.zeros(3, int)
    for frame in range(20):
        torn += batch.step(gravity=gravity).torn
        for at, solver in enumerate(alone):
            solver.step(gravity=gravity[at])
            assert (seen[at] == solver["sheet"].positions).all()
    assert torn[0] == 0 and torn[1] > 0 and torn[2] > 0
    for at, solver in enumerate(alone):
        for got, want in zip(batch.now("sheet", at), solver["sheet"].now()):
            assert (got == want).all()
    assert len(batch.now("sheet", 2)[0]) > 81
    whole = batch.state(0)
    batch.load(2, whole)
    assert len(batch.now("sheet", 2)[0]) == 81
    batch.load(0, alone[2].save())
    assert len(batch.now("sheet", 0)[0]) == len(alone[2]["sheet"].now()[0]) > 81
    with pytest.raises(IndexError, match="there is no state 3"):
        batch.now("sheet", 3)


def test_steps_have_the_bits_of_the_engine():
    golden = (ROOT / "core/tests/golden.rs").read_text()
    hash_of_flag = re.search(r'\("flag", 0x([0-9a-f]+)\)', golden)
    size, frames = re.search(r'shrunk\("flag", (\d+), (\d+)\)', golden).groups()
    solver = seidel.Scene.named("flag", set=[f"cloth.resolution={size}"]).solver()
    for _ in range(int(frames)):
        solver.step(1 / 60)
    assert f"{solver.hash:016x}" == hash_of_flag[1]


ARM = """
[solver]
substeps = 20
[[body]]
name = "arm"
shape = "cuboid"
half = [0.5, 0.05, 0.05]
mass = 2
position = [0.5, 0, 0]
[[joint]]
name = "elbow"
kind = "hinge"
b = "arm"
axis = [0, 0, 1]
break_force = 1e4
"""


def test_joints_are_driven_and_read():
    arm = seidel.Scene.from_toml(ARM)
    assert arm.joints == ["elbow"]
    solver = arm.solver(threads=1)
    for _ in range(120):
        solver.step(motors={"elbow": ("position", 0.5, 100)})
    now = solver.joint("elbow")
    assert now.position == pytest.approx(0.5, abs=1e-3) and abs(now.velocity) < 1e-2 and not now.broken
    assert now.motor_load == pytest.approx(9.81 * np.cos(0.5), abs=0.1) and now.force[1] == pytest.approx(19.62, abs=0.2)
    assert now.torque[2] == pytest.approx(now.motor_load, abs=0.1)
    for _ in range(10):
        solver.step(motors={"elbow": None})
    assert solver.joint("elbow").velocity < -1 and solver.joint("elbow").motor_load == 0
    solver.set_rigid_pose("arm", (0.5, 0, 0), (0, 0, 0, 1))
    solver.set_rigid_velocity("arm", (0, 0, 0), (0, 0, 3))
    assert (solver.joint("elbow").position, solver.joint("elbow").velocity) == pytest.approx((0, 3))
    # Torn off.
    broken = [of for _ in range(3) for of in solver.step(pushes={"arm": ((1e5, 0, 0), (0, 0, 0))}).broken]
    assert broken[0][0] == "elbow" and broken[0][1] > 1e4 and solver.joint("elbow").broken
    wrong = [
        ({"elbow": ("place", 1, 2)}, "motor of `elbow`"),
        ({"elbow": 3}, "motor of `elbow`"),
        ({"knee": None}, "no joint `knee`; joints are elbow"),
        ({"elbow": ("position", 1, -2)}, "limit of its motor is -2"),
    ]
    for motors, text in wrong:
        with pytest.raises(seidel.Error, match=re.escape(text)):
            solver.step(motors=motors)
    with pytest.raises(seidel.Error, match="unit quaternion"):
        solver.set_rigid_pose("arm", (0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(seidel.Error, match="no joint"):
        solver.joint("knee")


def test_a_batch_drives_each_joint():
    arm = seidel.Scene.from_toml(ARM)
    batch = seidel.Batch(arm, 3, threads=2)
    targets = np.array([-0.5, 0, 0.5])
    for _ in range(120):
        batch.step(motors={"elbow": ("position", targets, 100.0)})
    joints, bodies = batch.joint("elbow"), batch.rigid("arm")
    assert joints.shape == (3, 3) and joints[:, 0] == pytest.approx(targets, abs=1e-3)
    assert joints[:, 2] == pytest.approx(9.81 * np.cos(targets), abs=0.1)
    assert bodies.shape == (3, 13) and bodies[:, :2] == pytest.approx(0.5 * np.c_[np.cos(targets), np.sin(targets)], abs=1e-3)
    solver = arm.solver(threads=1)
    for _ in range(120):
        solver.step(motors={"elbow": ("position", 0.5, 100.0)})
    assert solver.hash == batch.hashes[2], "the bits of a solver"
    batch.step(motors={"elbow": None})
    assert (batch.joint("elbow")[:, 2] == 0).all()
    for motors, text in [({"elbow": ("position", [1, 2], 3.0)}, "[3]"), ({"elbow": "off"}, "is wanted")]:
        with pytest.raises(seidel.Error, match=re.escape(text)):
            batch.step(motors=motors)


def test_inputs_move_things():
    solver = scene().solver(threads=1)
    forces = np.zeros((64, 3))
    forces[:, 2] = 1e-2
    solver.step(1 / 60, gravity=(0, 0, 0), forces={"flag": forces}, pins={"flag": {0: (-0.5, 1.2, -0.5)}})
    x = solver["flag"].positions
    assert x[0] == pytest.approx([-0.5, 1.2, -0.5]) and solver["flag"].velocities[-1, 2] > 0
    solver.step(poses={"ball": ((0, 0.6, 0.3), (0, 0, 0, 1))}, pushes={"box": ((0, 100, 0), (0, 0, 0))})
    assert solver.collider_pose("ball")[0] == pytest.approx([0, 0.6, 0.3])
    assert solver.rigid_velocity("box")[0][1] > -0.3
    low = x[63, 1]
    solver.step(pulls=[("flag", 63, (0.5, 1.2, 0.5), 1e-4)])
    assert x[63, 1] > low + 0.1
    before = x.copy()
    solver["flag"].positions = x + [1, 0, 0]
    solver["flag"].velocities = np.zeros((64, 3))
    assert x == pytest.approx(before + [1, 0, 0]) and not solver["flag"].velocities.any()


def test_meshes_come_as_arrays():
    text = '[[cloth]]\nname = "shirt"\nmesh = "shirt"\n'
    made = seidel.Scene.from_toml(text, meshes={"shirt": SHIRT})
    assert made.triangles("shirt").tolist() == SHIRT[1].tolist() and made.bodies == ["shirt"]
    again = pickle.loads(pickle.dumps(made))
    assert again.id == made.id and again.text == text
    with pytest.raises(seidel.Error, match="no mesh `shirt`"):
        seidel.Scene.from_toml(text)
    with pytest.raises(seidel.Error, match="row 1 has the index -1"):
        seidel.Scene.from_toml(text, meshes={"shirt": (SHIRT[0], [[0, 1, 2], [0, 1, -1]])})


def test_states_come_and_go():
    solver = scene().solver(threads=1)
    solver.step()
    saved, before = solver.save(), solver.hash
    copy = pickle.loads(pickle.dumps(solver))
    solver.step()
    copy.step()
    assert copy.hash == solver.hash != before
    solver.load(saved)
    assert solver.hash == before
    with pytest.raises(seidel.Error, match="damaged"):
        solver.load(saved[:200] + b"\0\1\2\3" + saved[204:])
    with pytest.raises(seidel.Error, match="other bodies"):
        seidel.Scene.from_toml("[[cloth]]").solver().load(saved)
    # Settings may be others.
    seidel.Scene.from_toml(TEXT, set=["solver.substeps=9"]).solver().load(saved)


def test_what_is_wrong_is_told():
    with pytest.raises(seidel.Error, match="line 2: unknown key `resolutoin`"):
        seidel.Scene.from_toml("[[cloth]]\nresolutoin = 3")
    solver = scene().solver(threads=1)
    before = solver.hash
    for wrong, text in [
        ({"forces": {"flag": np.zeros((3, 3))}}, r"\[3, 3\], and should be \[64, 3\]"),
        ({"forces": {"flog": np.zeros((3, 3))}}, "no body `flog`; bodies are flag"),
        ({"gravity": (0, np.nan, 0)}, "gravity is NaN"),
        ({"gravity": "down"}, "gravity: no array of numbers"),
        ({"force": 1}, "given no `force`"),
        ({"pins": {"flag": {63: (0, 0, 0)}}}, "pin it first"),
        ({"dt": np.nan}, "time step is NaN"),
    ]:
        with pytest.raises(seidel.Error, match=text):
            solver.step(**wrong)
    with pytest.raises(seidel.Error):
        solver["flog"]
    assert solver.hash == before


def test_a_step_lets_other_threads_run_and_refuses_them_the_solver():
    solver = seidel.Scene.from_toml("[solver]\nsubsteps = 300\n[[cloth]]\nresolution = 40").solver(threads=1)
    met = threading.Event()

    def look():
        while not met.is_set():
            try:
                solver.hash
            except RuntimeError:
                met.set()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    for _ in range(200):
        try:
            solver.step()
        except RuntimeError:
            pass
        if met.is_set():
            break
    met_it = met.is_set()
    met.set()
    thread.join()
    assert met_it


def test_a_batch_is_many_solvers():
    n = 5
    made = scene()
    batch = seidel.Batch(made, n, threads=2)
    x = batch.bind("flag")
    assert x.shape == (n, 64, 3) and len(batch) == n
    gravity = np.array([[0, -9.81, float(k)] for k in range(n)])
    solvers = [made.solver(threads=1) for _ in range(n)]
    for _ in range(3):
        report = batch.step(gravity=gravity, pins={"flag": {0: (-0.5, 1.0, -0.4)}})
        for k, solver in enumerate(solvers):
            solver.step(gravity=gravity[k], pins={"flag": {0: (-0.5, 1.0, -0.4)}})
    assert not report.lost.any() and report.contacts.shape == (n,)
    assert batch.hashes.tolist() == [solver.hash for solver in solvers]
    assert all((x[k] == solver["flag"].positions).all() for k, solver in enumerate(solvers))
    # Some go back: to the start, and to where they were kept.
    kept = batch.hashes
    mask = np.arange(n) < 2
    batch.save(mask)
    batch.step(gravity=gravity)
    batch.reset()
    assert batch.hashes[:2].tolist() == kept[:2].tolist() and (batch.time[2:] == 0).all()
    copy = pickle.loads(pickle.dumps(batch))
    copy.step()
    batch.step()
    copy.reset(mask)
    batch.reset(mask)
    assert copy.hashes.tolist() == batch.hashes.tolist()
    batch.load(4, solvers[3].save())
    assert batch.hashes[4] == solvers[3].hash
    with pytest.raises(seidel.Error, match=r"\[5, 3\]"):
        batch.step(gravity=np.zeros((4, 3)))
    with pytest.raises(seidel.Error, match="state 0: .*gravity"):
        batch.step(gravity=np.full((n, 3), np.inf))


def test_the_examples_run(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "examples"))
    import fold_env
    import search_ray

    env = fold_env.FoldEnv(4, threads=1)
    observation, _ = env.reset(seed=1)
    assert observation.shape == (4, 16 * 16 * 3 + 3)
    folded = sum(env.step(fold_env.towards(env))[2].sum() for _ in range(50))
    assert folded >= 4
    _, sags = search_ray.search([1e-5, 1e-2], parallel=False)
    assert 0 <= sags[0] < sags[1]


def test_an_origin_changes_no_bit():
    near, far = (seidel.Scene.from_toml(text + TEXT).solver(threads=1) for text in ("", "origin = [1e4, 0, -7e9]\n"))
    for solver in (near, far):
        solver.step()
    assert far.hash == near.hash and far.scene.id == near.scene.id
    assert far.origin.tolist() == [1e4, 0, -7e9] and near.origin.tolist() == [0, 0, 0]
    world, local = far["flag"].world_positions(), far["flag"].positions
    assert world.dtype == np.float64 and world.shape == local.shape
    assert np.abs(world - far.origin - local).max() < 1e-6 and np.abs(near["flag"].world_positions() - local).max() < 1e-7
    near.load(far.save())
    assert near.origin.tolist() == [1e4, 0, -7e9] and near.hash == far.hash
    view, before, local = local, far["flag"].world_positions(), local.copy()
    far.move_origin([1e4 + 50, 0.25, -7e9])
    assert far.origin.tolist() == [1e4 + 50, 0.25, -7e9] and np.abs(view - (local - [50, 0.25, 0])).max() < 1e-5
    assert np.abs(far["flag"].world_positions() - before).max() < 1e-6
    far.step()
    assert far["flag"].enabled and far["flag"].plastic_strain == 0
    again = pickle.loads(pickle.dumps(far))
    assert again.hash == far.hash and again.origin.tolist() == far.origin.tolist()
    again.step()
    far.step()
    assert again.hash == far.hash
    with pytest.raises(seidel.Error, match="1e6"):
        far.move_origin([0, 0, 0])
    with pytest.raises(seidel.Error, match="the origin"):
        far.move_origin([0, 0])
    with pytest.raises(seidel.Error, match="line 1: scene: origin along y is"):
        seidel.Scene.from_toml("origin = [0, 2e12, 0]\n" + TEXT)
