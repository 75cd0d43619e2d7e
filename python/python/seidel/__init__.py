"""Position based dynamics: deterministic, data-oriented, SIMD."""

from ._seidel import SCENES, Batch, BatchReport, Body, Error, Joint, Report, Scene, Solver, __version__

__all__ = ["SCENES", "Batch", "BatchReport", "Body", "Error", "Joint", "Report", "Scene", "Solver", "__version__"]


def _solver(scene, threads, state, origin):
    """A solver of a pickle."""
    solver = scene.solver(threads=threads)
    if solver.origin.tolist() != origin:
        solver.move_origin(origin)
    solver.load(state)
    return solver


def _batch(scene, threads, states, saved):
    """A batch of a pickle."""
    batch = Batch(scene, len(states), threads=threads)
    for index, state in enumerate(states):
        batch.load(index, state)
    batch._keep(saved)
    return batch
