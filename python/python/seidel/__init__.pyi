"""Position based dynamics: deterministic, data-oriented, SIMD. SI units; arrays of vertices are in the mesh's order."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Field: TypeAlias = Literal["positions", "velocities", "inv_masses"]
_Drive: TypeAlias = Literal["position", "velocity"]
_Isa: TypeAlias = Literal["auto", "scalar", "portable", "avx2", "avx512"]
_Mesh: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]

__all__ = ["SCENES", "Batch", "BatchReport", "Body", "Error", "Joint", "Report", "Scene", "Solver", "__version__"]

__version__: str
SCENES: list[str]
"""Names of the engine's scenes."""

class Error(ValueError):
    """What is wrong with a scene, an input or a state."""

@final
class Scene:
    """A scene that is read, checked and planned. Immutable, and shared by solvers, batches and threads."""

    @staticmethod
    def from_toml(
        text: str, meshes: Mapping[str, _Mesh] | None = None, *, set: Sequence[str] = ..., memory: int = ...
    ) -> Scene:
        """Reads a scene file's text.

        meshes: for each name in the text vertices (n, 3), metres, and faces (m, 3), or tetrahedra (m, 4).
        set: changes such as "cloth.resolution=16". memory: bytes that the scene may need.
        Raises Error, which names the line, the key, the value and its limit."""
    @staticmethod
    def named(name: str, *, set: Sequence[str] = ...) -> Scene:
        """A scene of SCENES."""
    def solver(self, *, threads: int | None = None, isa: _Isa = "auto") -> Solver:
        """A solver at the scene's start. Threads: all cores unless given. Neither changes a bit of the result."""
    def triangles(self, body: str) -> npt.NDArray[np.uint32]:
        """Triangles of a body, (m, 3)."""
    @property
    def text(self) -> str: ...
    @property
    def dt(self) -> float:
        """The length of a frame, seconds."""
    @property
    def frames(self) -> int: ...
    @property
    def settle(self) -> float:
        """Seconds in which the scene should come to rest first: Solver.settle."""
    @property
    def bodies(self) -> list[str]: ...
    @property
    def rigid_bodies(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]:
        """Names of the joints of rigid bodies."""
    @property
    def colliders(self) -> list[str]: ...
    @property
    def particles(self) -> int: ...
    @property
    def substeps(self) -> int: ...
    @property
    def id(self) -> int:
        """A fingerprint of the whole plan: states of plans with one id go on with the same bits."""
    @property
    def layout_id(self) -> int:
        """What states belong to: bodies, and not settings."""
    @property
    def warnings(self) -> list[str]: ...

@final
class Report:
    """What happened in a step."""

    @property
    def contacts(self) -> int:
        """Contacts with colliders that pushed."""
    @property
    def pair_contacts(self) -> int:
        """Contacts of bodies with themselves and each other."""
    @property
    def tears_refused(self) -> int:
        """Edges beyond their limit, and splits by cuts, that were refused because no copies of vertices were left."""
    @property
    def torn(self) -> list[tuple[str, int, int]]:
        """Vertices that were split where something tore: body, vertex and its copy."""
    @property
    def rigid_contacts(self) -> int: ...
    @property
    def broken(self) -> list[tuple[str, float, float]]:
        """Joints of rigid bodies that broke in the step: name, and force, N, and torque, N m, that they carried."""
    @property
    def lost(self) -> tuple[str, int] | None:
        """Body and vertex of the first particle whose numbers are no longer finite."""
    @property
    def lost_rigid(self) -> str | None:
        """The first rigid body whose numbers are no longer finite, or beyond 1e9 m. It stays where it was."""
    @property
    def stopped(self) -> bool: ...
    @property
    def seconds(self) -> tuple[float, float, float]:
        """Wall-clock time of motion, constraints and contacts."""

@final
class Solver:
    """A plan, its state, and the threads that step it. One thread at a time: another's call raises RuntimeError."""

    @property
    def scene(self) -> Scene: ...
    def step(
        self,
        dt: float | None = None,
        *,
        held: bool = False,
        gravity: npt.ArrayLike | None = None,
        wind: npt.ArrayLike | None = None,
        forces: Mapping[str, npt.ArrayLike] | None = None,
        vertices: Mapping[str, npt.ArrayLike] | None = None,
        poses: Mapping[str, npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]] | None = None,
        pins: Mapping[str, Mapping[int, npt.ArrayLike]] | None = None,
        pulls: Iterable[tuple[str, int, npt.ArrayLike, float]] | None = None,
        pressures: Mapping[str, float] | None = None,
        pushes: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] | None = None,
        motors: Mapping[str, tuple[_Drive, float, float] | None] | None = None,
        cuts: Iterable[tuple[str, Sequence[npt.ArrayLike]]] | None = None,
    ) -> Report:
        """Takes a step of dt seconds (the scene's frame unless given), without the interpreter's lock.

        held: time stands still for what has a path. gravity (3,), m/s^2, and wind (3,), m/s: in place of the scene's.
        forces: by body, (n, 3), N. vertices: of obstacles, (n, 3), m. poses: of colliders at the step's end, a position (3,)
        or that and a unit quaternion x, y, z, w. pins: by body and vertex a place (3,), m, of what has inverse mass 0.
        pulls: body, vertex, place (3,), compliance in m/N. pressures: by body a multiple of the volume at rest.
        pushes: by rigid body force (3,), N, and torque (3,), N m.
        motors: by joint "position" or "velocity", the target (m or rad, a second) and the most force or torque (N or N m); None is off. They stay.
        cuts: of bodies that can tear, points (3,), m: a plane's point and its normal, or the two ends of a blade, then where they have moved to.
        Raises Error if something does not fit; then the state is as it was."""
    def settle(self, seconds: float, dt: float | None = None, *, gravity: npt.ArrayLike | None = None) -> None:
        """Brings the scene to rest before it starts, by kinetic damping."""
    def reset(self) -> None:
        """Goes back to the scene's start."""
    def save(self) -> bytes:
        """The state; the same bytes on every machine."""
    def load(self, state: bytes) -> None:
        """Goes on from a state that save made, for a scene with the same layout_id."""
    @property
    def time(self) -> float: ...
    @property
    def origin(self) -> npt.NDArray[np.float64]:
        """Where the zero of coordinates is in the world (3,), metres: the scene's `origin` until it is moved, or a state of another is loaded."""
    def move_origin(self, to: npt.ArrayLike) -> None:
        """Moves the zero of coordinates to another place of the world (3,), metres. All stays where it is in the world; positions, poses and inputs are relative to the new zero. It stays so after reset."""
    @property
    def hash(self) -> int:
        """Equal bits, equal hash, on every machine."""
    @property
    def threads(self) -> int: ...
    @property
    def energies(self) -> tuple[float, float]:
        """Kinetic and potential, J."""
    @property
    def max_stretch(self) -> float:
        """Of all lengths, part of that at rest."""
    def __getitem__(self, name: str, /) -> Body: ...
    def collider_pose(self, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Position (3,) and unit quaternion x, y, z, w (4,)."""
    def rigid_pose(self, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Position (3,) and unit quaternion x, y, z, w (4,)."""
    def rigid_velocity(self, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Of the centre of mass (3,), m/s, and angular (3,), rad/s."""
    def set_rigid_pose(self, name: str, position: npt.ArrayLike, rotation: npt.ArrayLike) -> None:
        """Puts it somewhere, with the velocities that it has: metres (3,), a unit quaternion x, y, z, w (4,). Its contacts are forgotten, and of its joints what they carried and their full turns."""
    def joint(self, name: str) -> Joint:
        """Where a joint of rigid bodies is, and what it carried in the last substep."""
    def set_rigid_velocity(self, name: str, linear: npt.ArrayLike, angular: npt.ArrayLike) -> None: ...
    def set_rigid_enabled(self, name: str, enabled: bool) -> None:
        """Takes a rigid body out of the scene, or puts it back as the scene begins. Nothing is planned."""
    def set_collider_enabled(self, name: str, enabled: bool) -> None:
        """Takes a collider out of the scene, or puts it back. Nothing is planned."""

@final
class Joint:
    """A joint of rigid bodies between two steps. Ways and turns are 0 at the start, of the second body as seen from the first."""

    @property
    def position(self) -> float:
        """Its way along the axis or its distance, m, or its turn, rad."""
    @property
    def velocity(self) -> float:
        """How fast that changes, m/s or rad/s."""
    @property
    def motor_load(self) -> float:
        """Force or torque of its motor in the last substep, N or N m."""
    @property
    def force(self) -> npt.NDArray[np.float64]:
        """Of the first body on the second, N, world (3,)."""
    @property
    def torque(self) -> npt.NDArray[np.float64]:
        """About the joint, N m, world (3,)."""
    @property
    def broken(self) -> bool: ...

@final
class Body:
    """A body of a solver. Its arrays are filled again by each step, in place, and cannot be written: assign to set all of them."""

    @property
    def name(self) -> str: ...
    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """(n, 3), metres."""
    @positions.setter
    def positions(self, positions: npt.ArrayLike) -> None: ...
    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """(n, 3), m/s."""
    @velocities.setter
    def velocities(self, velocities: npt.ArrayLike) -> None: ...
    @property
    def inv_masses(self) -> npt.NDArray[np.float32]:
        """(n,), 1/kg; 0 does not move."""
    @inv_masses.setter
    def inv_masses(self, inv_masses: npt.ArrayLike) -> None: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...
    def now(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
        """Positions (n, 3), metres, and triangles (m, 3) as they are by now. Of a body that has torn or was cut they have the copies of its vertices;
        the arrays above keep the vertices that it began with."""
    def world_positions(self) -> npt.NDArray[np.float64]:
        """Positions in the world (n, 3), metres, as they are by now: the origin and the position, with the digits that float32 lacks."""
    def pin(self, vertex: int) -> None:
        """Pins a vertex where it is, and remembers its mass. Nothing is planned."""
    def unpin(self, vertex: int) -> None:
        """Frees a pinned vertex, with the mass that it had. Nothing is planned."""
    @property
    def enabled(self) -> bool:
        """Whether it takes part in the scene. False takes it out, to wait; True puts it back as the scene begins."""
    @enabled.setter
    def enabled(self, enabled: bool) -> None: ...
    @property
    def plastic_strain(self) -> float:
        """The largest: of lengths and tetrahedra a strain, of hinges rad; 0 if nothing has yielded, or can."""
    @property
    def accumulated_strain(self) -> float:
        """The largest plastic strain that has accumulated, to and fro, where `plastic` has `fatigue` or `breaks`."""
    @property
    def broken_rows(self) -> int:
        """Rows of constraints that have broken."""
    def restore_rest_shape(self) -> None:
        """Takes back what has yielded and broken. Nothing is planned."""
    def __len__(self) -> int: ...

@final
class BatchReport:
    """What happened in a step of a batch."""

    @property
    def contacts(self) -> npt.NDArray[np.uint32]: ...
    @property
    def lost(self) -> npt.NDArray[np.bool_]: ...
    @property
    def stopped(self) -> npt.NDArray[np.bool_]: ...
    @property
    def torn(self) -> npt.NDArray[np.bool_]:
        """Whether something has torn in the step."""

@final
class Batch:
    """n states of one scene, stepped at once: each by one thread. The bits are those of n solvers."""

    def __new__(cls, scene: Scene, n: int, *, threads: int | None = None, isa: _Isa = "auto") -> Batch: ...
    @property
    def scene(self) -> Scene: ...
    def bind(self, body: str, field: _Field = "positions") -> npt.NDArray[np.float32]:
        """An array (n, v, 3), or (n, v) of inv_masses, that each step, reset and load fills again, in place."""
    def step(
        self,
        dt: float | None = None,
        *,
        gravity: npt.ArrayLike | None = None,
        wind: npt.ArrayLike | None = None,
        forces: Mapping[str, npt.ArrayLike] | None = None,
        vertices: Mapping[str, npt.ArrayLike] | None = None,
        pins: Mapping[str, Mapping[int, npt.ArrayLike]] | None = None,
        pulls: Mapping[str, Mapping[int, npt.ArrayLike]] | None = None,
        pressures: Mapping[str, npt.ArrayLike] | None = None,
        poses: Mapping[str, npt.ArrayLike] | None = None,
        pushes: Mapping[str, npt.ArrayLike] | None = None,
        motors: Mapping[str, tuple[_Drive, npt.ArrayLike, float] | None] | None = None,
    ) -> BatchReport:
        """Takes a step of every state, without the interpreter's lock. What is given is one for all, or has a first axis of n:
        gravity, wind (3,); forces, vertices (v, 3); pins (3,); pulls (4,): place and compliance; pressures (); poses (3,): positions
        of colliders; pushes (6,): force and torque; targets of motors ().
        Raises Error if something does not fit; if only some states refuse it, others have stepped."""
    def now(self, body: str, index: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
        """Positions (v, 3) and triangles (m, 3) of a body of a state as they are by now: of what has torn with the copies of its
        vertices."""
    def rigid(self, name: str) -> npt.NDArray[np.float64]:
        """Position, unit quaternion x, y, z, w, velocity and angular velocity of a rigid body in each state, (n, 13)."""
    def joint(self, name: str) -> npt.NDArray[np.float64]:
        """Position, velocity and motor's load of a joint of rigid bodies in each state, (n, 3)."""
    def reset(self, mask: npt.ArrayLike | None = None) -> None:
        """States of a mask (n,), or all, go back to where save has kept them, or to the scene's start."""
    def save(self, mask: npt.ArrayLike | None = None) -> None:
        """Keeps states of a mask (n,), or all, as they are now, for reset."""
    def state(self, index: int) -> bytes: ...
    def load(self, index: int, state: bytes) -> None: ...
    @property
    def time(self) -> npt.NDArray[np.float64]: ...
    @property
    def hashes(self) -> npt.NDArray[np.uint64]: ...
    @property
    def threads(self) -> int: ...
    def __len__(self) -> int: ...
