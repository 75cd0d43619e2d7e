/* A flag of 24 x 16 vertices flies for two seconds; a snapshot is taken after one, and gone back to. Prints the state's hash. */
#include <seidel.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char SCENE[] =
    "[solver]\n"
    "substeps = 10\n"
    "[air]\n"
    "wind = [6, 0, 1]\n"
    "[[cloth]]\n"
    "name = \"flag\"\n"
    "resolution = [24, 16]\n"
    "size = [1.5, 1]\n"
    "position = [0, 2, 0]\n"
    "rotation = { axis = [1, 0, 0], degrees = 90 }\n"
    "pin = [\"first-column\"]\n"
    "drag = 1.2\n"
    "lift = 1.5\n";

static void check(SeidelStatus status) {
    if (status != SEIDEL_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", seidel_status_name(status), seidel_last_error());
        exit(1);
    }
}

int main(void) {
    if (seidel_abi_version() != SEIDEL_ABI_VERSION) {
        fprintf(stderr, "the library has another interface than the header\n");
        return 1;
    }
    SeidelSceneDef def = seidel_default_scene_def();
    def.toml = SCENE;
    SeidelPlan *plan;
    check(seidel_plan_create(&def, &plan));
    uint32_t flag;
    check(seidel_plan_find(plan, SEIDEL_THING_BODY, "flag", &flag));
    SeidelBodyInfo body;
    check(seidel_plan_body(plan, flag, &body));
    SeidelSolver *solver;
    check(seidel_solver_create(plan, NULL, &solver));

    /* A push at all vertices, in newtons. */
    float *forces = calloc(body.vertices, 3 * sizeof *forces);
    for (size_t vertex = 0; vertex < body.vertices; ++vertex) {
        forces[3 * vertex + 2] = 1e-3f;
    }
    const SeidelForces pushed = {.body = flag, .forces = forces, .count = body.vertices};
    SeidelInput input = seidel_default_input(1.0f / 60.0f);
    input.forces = &pushed;
    input.force_count = 1;

    unsigned char *snapshot = NULL;
    size_t bytes = 0;
    uint64_t ends[2];
    for (int end = 0; end < 2; ++end) {
        if (end == 1) {
            check(seidel_state_load(solver, snapshot, bytes));
        }
        for (int frame = 60 * end; frame < 120; ++frame) {
            if (frame == 60 && end == 0) {
                if (seidel_state_save(solver, NULL, 0, &bytes) != SEIDEL_STATUS_SMALL) {
                    return 1;
                }
                snapshot = malloc(bytes);
                check(seidel_state_save(solver, snapshot, bytes, NULL));
            }
            SeidelReport report;
            check(seidel_solver_step(solver, &input, &report));
        }
        check(seidel_solver_hash(solver, &ends[end]));
    }
    const float *positions;
    size_t vertices;
    check(seidel_solver_view(solver, SEIDEL_FIELD_POSITIONS, flag, &positions, &vertices));
    const float *last = positions + 3 * (vertices - 1);
    printf("%016" PRIx64 ": the last of %zu vertices is at %.3f %.3f %.3f m\n", ends[0], vertices, last[0], last[1], last[2]);
    if (ends[0] != ends[1]) {
        fprintf(stderr, "from the snapshot on it has gone another way\n");
        return 1;
    }
    /* What is freed is known to be. */
    check(seidel_solver_free(solver));
    if (seidel_solver_step(solver, &input, NULL) != SEIDEL_STATUS_HANDLE) {
        return 1;
    }
    check(seidel_plan_free(plan));
    free(snapshot);
    free(forces);
    return 0;
}
