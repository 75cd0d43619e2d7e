"""Folding a cloth, as a vector environment with the methods of Gymnasium's `VectorEnv`; it needs numpy and seidel alone.

A hand holds a corner of a sheet that lies on a table. An action is where the hand goes in a step, (n, 3), -1 to 1 of 4 cm.
The reward is how much nearer the corner has come to the opposite one. Environments that end begin anew by themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import seidel

SIDE = 16
SHEET = f"""
fps = 30
[solver]
substeps = 10
[[cloth]]
name = "sheet"
resolution = {SIDE}
size = [0.5, 0.5]
position = [0, 0.01, 0]
stretch_compliance = 1e-5
bend_compliance = 1e3
thickness = 0.005
friction = 0.6
damping = 0.05
[[collider]]
name = "table"
friction = 0.6
"""


class FoldEnv:
    """`n` sheets. `step` returns observations, rewards, terminated, truncated, infos, as Gymnasium 1.0 has them."""

    def __init__(self, n: int, *, threads: int | None = None, steps: int = 60) -> None:
        self.num_envs = n
        self._steps = steps
        self._batch = seidel.Batch(seidel.Scene.from_toml(SHEET), n, threads=threads)
        self._positions = self._batch.bind("sheet")
        self._start = self._positions[:, 0].copy()
        self._hand = self._start.copy()
        self._count = np.zeros(n, dtype=np.int64)
        self._far = self._distance()

    def _distance(self) -> npt.NDArray[np.float32]:
        gap = self._positions[:, 0] - self._positions[:, -1]
        return np.asarray(np.linalg.norm(gap, axis=1), dtype=np.float32)

    def _observation(self) -> npt.NDArray[np.float32]:
        return np.concatenate([self._positions.reshape(self.num_envs, -1), self._hand], axis=1)

    def reset(self, *, seed: int | None = None) -> tuple[npt.NDArray[np.float32], dict[str, object]]:
        self._restart(np.ones(self.num_envs, dtype=bool))
        return self._observation(), {}

    def _restart(self, ended: npt.NDArray[np.bool_]) -> None:
        self._batch.reset(ended)
        self._hand[ended] = self._start[ended]
        self._count[ended] = 0
        self._far[ended] = self._distance()[ended]

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, object]]:
        self._hand += 0.04 * np.clip(np.asarray(actions, dtype=np.float32), -1, 1)
        self._hand[:, 1] = np.maximum(self._hand[:, 1], 0.01)
        # Where the hand is, and the compliance with which it holds the corner, m/N.
        grip = np.concatenate([self._hand, np.full((self.num_envs, 1), 1e-4, dtype=np.float32)], axis=1)
        report = self._batch.step(pulls={"sheet": {0: grip}})
        now = self._distance()
        rewards = np.where(report.lost, np.float32(-1), self._far - now)
        self._far = now
        self._count += 1
        terminated = (now < 0.03) | report.lost
        truncated = (self._count >= self._steps) & ~terminated
        infos: dict[str, object] = {"distance": now}
        ended = terminated | truncated
        if ended.any():
            self._restart(ended)
        return self._observation(), np.asarray(rewards, dtype=np.float32), terminated, truncated, infos

    def close(self) -> None:
        pass


def towards(env: FoldEnv) -> npt.NDArray[np.float32]:
    """A policy that knows how: up and over."""
    goal = env._positions[:, -1] + np.array([0, 0.1, 0], dtype=np.float32)
    far = np.linalg.norm(goal[:, [0, 2]] - env._hand[:, [0, 2]], axis=1) > 0.04
    goal[:, 1] = np.where(far, 0.15, 0.02)
    return np.asarray(np.clip((goal - env._hand) / 0.04, -1, 1), dtype=np.float32)


if __name__ == "__main__":
    env = FoldEnv(64)
    env.reset(seed=1)
    total = np.zeros(64, dtype=np.float32)
    folded = 0
    for _ in range(120):
        _observation, rewards, terminated, _truncated, _infos = env.step(towards(env))
        total += rewards
        folded += int(terminated.sum())
    print(f"{folded} folds; mean return {total.mean():.3f} m")
