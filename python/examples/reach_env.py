"""Reaching with an arm, as a vector environment with the methods of Gymnasium's `VectorEnv`.

It needs numpy and seidel alone.

Two links of 0.4 m hang in a vertical plane, x to the right and y up. Their hinges have motors, which hold them against
gravity. An action is the angles to which they go, (n, 2), -1 to 1 of pi; in a step a motor's target is at most 0.1 rad
from where its joint is. The reward is minus the distance from the tip to a random target, metres. An episode ends when
the tip has stayed within 1 cm for 10 steps, or after 90 steps; its environment begins anew by itself, with another
target.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import seidel

_Floats: TypeAlias = npt.NDArray[np.float32]
_Bools: TypeAlias = npt.NDArray[np.bool_]

LINK = 0.4
TORQUE = 60.0
ARM = f"""
fps = 30
[solver]
substeps = 20
[[body]]
name = "upper"
shape = "capsule"
radius = 0.03
half_length = {LINK / 2}
rotation = {{ axis = [0, 0, 1], degrees = -90 }}
position = [{LINK / 2}, 0, 0]
mass = 1.5
[[body]]
name = "lower"
shape = "capsule"
radius = 0.03
half_length = {LINK / 2}
rotation = {{ axis = [0, 0, 1], degrees = -90 }}
position = [{1.5 * LINK}, 0, 0]
mass = 1
[[joint]]
name = "shoulder"
kind = "hinge"
b = "upper"
axis = [0, 0, 1]
[[joint]]
name = "elbow"
kind = "hinge"
a = "upper"
b = "lower"
axis = [0, 0, 1]
position = [{LINK}, 0, 0]
"""


class ReachEnv:
    """`n` arms. `step` returns observations, rewards, terminated, truncated, infos, as Gymnasium 1.0 has them.

    An observation is the two angles, rad, their velocities, rad/s, the tip and the target, m: (n, 8)."""

    def __init__(self, n: int, *, threads: int | None = None, steps: int = 90) -> None:
        self.num_envs = n
        self._steps = steps
        self._batch = seidel.Batch(seidel.Scene.from_toml(ARM), n, threads=threads)
        self._random = np.random.default_rng()
        self._target = np.zeros((n, 2))
        self._count = np.zeros(n, dtype=np.int64)
        self._stayed = np.zeros(n, dtype=np.int64)

    def _tip(self) -> npt.NDArray[np.float64]:
        """The free end of the lower link, whose length is along y of its own frame, (n, 2)."""
        x, y, _z, qx, qy, qz, qw = self._batch.rigid("lower")[:, :7].T
        along = np.stack([2 * (qx * qy - qz * qw), 1 - 2 * (qx * qx + qz * qz)], axis=1)
        return np.stack([x, y], axis=1) + LINK / 2 * along

    def _observation(self) -> _Floats:
        shoulder, elbow = self._batch.joint("shoulder"), self._batch.joint("elbow")
        joints = np.stack([shoulder[:, 0], elbow[:, 0], shoulder[:, 1], elbow[:, 1]], axis=1)
        return np.concatenate([joints, self._tip(), self._target], axis=1).astype(np.float32)

    def reset(self, *, seed: int | None = None) -> tuple[_Floats, dict[str, object]]:
        self._random = np.random.default_rng(seed)
        self._restart(np.ones(self.num_envs, dtype=bool))
        return self._observation(), {}

    def _restart(self, ended: _Bools) -> None:
        self._batch.reset(ended)
        self._count[ended] = 0
        self._stayed[ended] = 0
        # Within reach, before the shoulder.
        distance = self._random.uniform(0.25, 0.75, self.num_envs)
        angle = self._random.uniform(-1.5, 1.5, self.num_envs)
        target = distance[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self._target[ended] = target[ended]

    def step(self, actions: npt.ArrayLike) -> tuple[_Floats, _Floats, _Bools, _Bools, dict[str, object]]:
        wanted = np.pi * np.clip(np.asarray(actions, dtype=np.float64), -1, 1)
        motors: dict[str, tuple[Literal["position"], npt.NDArray[np.float64], float]] = {}
        for at, joint in enumerate(("shoulder", "elbow")):
            angle = self._batch.joint(joint)[:, 0]
            motors[joint] = ("position", angle + np.clip(wanted[:, at] - angle, -0.1, 0.1), TORQUE)
        report = self._batch.step(motors=motors)
        distance = np.linalg.norm(self._tip() - self._target, axis=1)
        self._count += 1
        self._stayed = np.where(distance < 0.01, self._stayed + 1, 0)
        terminated = (self._stayed >= 10) | report.lost
        truncated = (self._count >= self._steps) & ~terminated
        infos: dict[str, object] = {"distance": distance}
        ended = terminated | truncated
        if ended.any():
            self._restart(ended)
        return self._observation(), (-distance).astype(np.float32), terminated, truncated, infos

    def close(self) -> None:
        pass


def towards(observation: _Floats) -> _Floats:
    """A policy that knows how: the angles at which both links end at the target, by the law of cosines."""
    target = observation[:, 6:]
    far = np.linalg.norm(target, axis=1)
    bend = np.arccos(np.clip(far**2 / (2 * LINK**2) - 1, -1, 1))
    wanted = np.stack([np.arctan2(target[:, 1], target[:, 0]) - bend / 2, bend], axis=1)
    return np.asarray(wanted / np.pi, dtype=np.float32)


if __name__ == "__main__":
    env = ReachEnv(64)
    observation, _info = env.reset(seed=1)
    distances: list[float] = []
    reached = 0
    for _ in range(300):
        observation, _rewards, terminated, truncated, infos = env.step(towards(observation))
        distances += np.asarray(infos["distance"])[terminated | truncated].tolist()
        reached += int(terminated.sum())
    mean = float(np.mean(distances))
    print(f"{len(distances)} episodes, {reached} of them reached; mean distance at their ends {mean * 1e3:.1f} mm")
    if mean > 0.02:
        raise SystemExit("the arm does not reach its targets")
