/* The seidel engine: position based dynamics. docs/linking.md shows how to use it; an example is capi/examples/flag.c.
 *
 * Every function that can fail returns a SeidelStatus; seidel_last_error() has the text of the last failure on this thread.
 * Units are SI. Arrays of vertices are in the mesh's order. Bodies, colliders, rigid bodies and their joints have numbers
 * from 0, each sort its own, in the order of the scene's text. A plan may be used by many threads at once; a solver by one at a time. */

#ifndef SEIDEL_H
#define SEIDEL_H

/* Written by cbindgen from capi/src: change it there. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


// Changes when a struct, a number or the meaning of a function does. Compare it with `seidel_abi_version()`.
#define SEIDEL_ABI_VERSION 3

// How a call ended. All but `SEIDEL_STATUS_OK` leave a text: `seidel_last_error`.
typedef enum {
  // It did what it should.
  SEIDEL_STATUS_OK = 0,
  // A pointer is null that may not be.
  SEIDEL_STATUS_NULL = 1,
  // An argument is wrong: an index, a length, a field, text that is not UTF-8.
  SEIDEL_STATUS_ARGUMENT = 2,
  // The text, or its meshes, make no scene.
  SEIDEL_STATUS_SCENE = 3,
  // A step's input does not fit. The state is as it was.
  SEIDEL_STATUS_REJECTED = 4,
  // The state has stopped at a lost particle, or did so in this step.
  SEIDEL_STATUS_STOPPED = 5,
  // The bytes are no state of this scene. The state is as it was.
  SEIDEL_STATUS_SNAPSHOT = 6,
  // The buffer is too small: the length that is needed was written.
  SEIDEL_STATUS_SMALL = 7,
  // Another thread is using the solver.
  SEIDEL_STATUS_BUSY = 8,
  // The handle was freed, or is none.
  SEIDEL_STATUS_HANDLE = 9,
  // An internal error (a panic). The solver in which it happened refuses further calls; free it.
  SEIDEL_STATUS_PANIC = 10,
} SeidelStatus;

// A plan. Its pointer is a handle, which must not be dereferenced.
typedef struct SeidelPlan SeidelPlan;

// A solver. Its pointer is a handle, which must not be dereferenced.
typedef struct SeidelSolver SeidelSolver;

// A mesh that a scene names: triangles, or tetrahedra for a solid.
typedef struct {
  // The name that stands in the scene's text, such as "shirt.obj"; ends with a zero.
  const char *name;
  // x, y, z of each vertex, metres.
  const float *positions;
  // Number of vertices.
  size_t vertex_count;
  // Three vertices of each triangle.
  const uint32_t *triangles;
  // Number of triangles.
  size_t triangle_count;
  // Four vertices of each tetrahedron. A mesh with tetrahedra is a solid, and its triangles are not looked at.
  const uint32_t *tets;
  // Number of tetrahedra.
  size_t tet_count;
} SeidelMesh;

// A scene: the text of a scene file, and the meshes that it names.
typedef struct {
  // TOML, UTF-8.
  const char *toml;
  // Its bytes, or 0 if it ends with a zero.
  size_t toml_length;
  // Meshes.
  const SeidelMesh *meshes;
  // Number of meshes.
  size_t mesh_count;
  // Bytes of memory that the scene may need; UINT64_MAX: any number.
  uint64_t memory;
} SeidelSceneDef;

// Which lanes and how many threads. Neither changes a bit of the result.
typedef struct {
  // Threads, the caller's included; 0: all cores.
  uint32_t threads;
  // Instruction set: "scalar", "portable", "avx2", "avx512"; null or "auto": the widest.
  const char *isa;
} SeidelExecution;

// A pose of a collider at the end of a step.
typedef struct {
  // The collider.
  uint32_t collider;
  // Metres.
  double position[3];
  // Unit quaternion x, y, z, w, body to world.
  double rotation[4];
} SeidelPose;

// External forces on all vertices of a body.
typedef struct {
  // The body.
  uint32_t body;
  // x, y, z for each vertex in the mesh's order, newtons.
  const float *forces;
  // Number of vertices.
  size_t count;
} SeidelForces;

// Positions of all vertices of an obstacle at the end of a step.
typedef struct {
  // The body, an obstacle.
  uint32_t body;
  // x, y, z for each vertex in the mesh's order, metres.
  const float *positions;
  // Number of vertices.
  size_t count;
} SeidelVertices;

// Where a vertex of inverse mass 0 is at the end of a step.
typedef struct {
  // The body.
  uint32_t body;
  // Its vertex.
  uint32_t vertex;
  // Metres.
  float target[3];
} SeidelPin;

// Draws a vertex towards a point during a step.
typedef struct {
  // The body.
  uint32_t body;
  // Its vertex.
  uint32_t vertex;
  // Metres.
  float target[3];
  // m/N, >= 0.
  float compliance;
} SeidelPull;

// The volume that a body holds during a step.
typedef struct {
  // The body.
  uint32_t body;
  // A multiple of its volume at rest, 0 to 1e6.
  float k;
} SeidelPressure;

// Pushes a rigid body during a step.
typedef struct {
  // The rigid body.
  uint32_t rigid_body;
  // On its centre of mass, N.
  double force[3];
  // About the world's axes, N m.
  double torque[3];
} SeidelPush;

// Cuts a body that can tear, where it is at the end of a step: along a plane, or along what a segment sweeps over.
typedef struct {
  // The body.
  uint32_t body;
  // Whether by a blade; else along a plane.
  bool by_blade;
  // x, y, z each, metres. Of a plane: a point on it, its normal of any length, and two that are not read. Of a
  // blade: the two ends of a segment, then in the same order where they have moved to.
  double points[4][3];
} SeidelCut;

// The quantity that a motor drives to its target.
typedef uint32_t SeidelDrive;

// Sets the motor of a joint of rigid bodies, from this step on: the state keeps it.
typedef struct {
  // The joint.
  uint32_t joint;
  // The quantity that is driven to the target.
  SeidelDrive drive;
  // m/s or rad/s, m or rad, within +-1e6. Ways and turns are 0 at the start, of the second body as seen from the
  // first.
  float target;
  // The most force or torque that it has, N or N m, 0 to 1e18.
  float limit;
} SeidelMotor;

// Everything that is prescribed for one step. What is null or 0 is left to the scene.
typedef struct {
  // Length of the step, seconds, 1e-9 to 1e3.
  float dt;
  // Whether time stands still for all that has a path.
  bool held;
  // Three numbers, m/s^2, in place of the scene's.
  const float *gravity;
  // Three numbers, m/s, in place of the scene's, without gusts.
  const float *wind;
  // Poses of colliders.
  const SeidelPose *poses;
  // Their number.
  size_t pose_count;
  // Forces on bodies.
  const SeidelForces *forces;
  // Their number.
  size_t force_count;
  // Vertices of obstacles.
  const SeidelVertices *vertices;
  // Their number.
  size_t vertices_count;
  // Targets of pins.
  const SeidelPin *pins;
  // Their number.
  size_t pin_count;
  // Pulls at vertices.
  const SeidelPull *pulls;
  // Their number.
  size_t pull_count;
  // Volumes of bodies.
  const SeidelPressure *pressures;
  // Their number.
  size_t pressure_count;
  // Pushes of rigid bodies.
  const SeidelPush *pushes;
  // Their number.
  size_t push_count;
  // Cuts of cloths.
  const SeidelCut *cuts;
  // Their number.
  size_t cut_count;
  // Motors of joints.
  const SeidelMotor *motors;
  // Their number.
  size_t motor_count;
} SeidelInput;

// What a plan holds.
typedef struct {
  // Bodies that are deformable, and obstacles.
  uint32_t bodies;
  // Colliders.
  uint32_t colliders;
  // Rigid bodies.
  uint32_t rigid_bodies;
  // Joints of rigid bodies.
  uint32_t joints;
  // Substeps in a step.
  uint32_t substeps;
  // Vertices and frames of all bodies.
  size_t particles;
  // The length of a frame, seconds: 1 / fps.
  double dt;
  // Frames that the scene's text asks for.
  uint32_t frames;
  // Seconds in which the scene should come to rest first: `seidel_solver_settle`.
  double settle;
  // A fingerprint of the whole plan.
  uint64_t id;
  // Fingerprint of the layout of states. Plans with the same `layout_id` can load each other's saved states.
  uint64_t layout_id;
} SeidelPlanInfo;

// What a body of a plan has.
typedef struct {
  // Vertices of its mesh.
  size_t vertices;
  // Triangles of its mesh.
  size_t triangles;
  // Tetrahedra of its mesh.
  size_t tets;
  // Frames: rotations of a rod's segments.
  size_t frames;
} SeidelBodyInfo;

// Sorts of things that have names and numbers, each from 0.
typedef uint32_t SeidelThing;

// What happened in a step.
typedef struct {
  // Contacts with colliders that pushed.
  uint32_t contacts;
  // Contacts of bodies with themselves and each other.
  uint32_t pair_contacts;
  // Contacts of rigid bodies.
  uint32_t rigid_contacts;
  // Vertices that were split, where a body tore or was cut: the bodies' vertices and triangles are others since
  // (`seidel_solver_body`).
  uint32_t torn;
  // Splits that were refused because a body has no more copies of vertices.
  uint32_t tears_refused;
  // Whether a particle or a rigid body was lost: its numbers are no longer finite, or beyond 1e9 m.
  bool lost;
  // Whether the state has stopped.
  bool stopped;
  // The body of the first particle that was lost, or UINT32_MAX.
  uint32_t lost_body;
  // Its vertex, or UINT32_MAX.
  uint32_t lost_vertex;
  // Seconds that motion took.
  double motion_seconds;
  // Seconds that constraints took.
  double constraint_seconds;
  // Seconds that contacts took.
  double contact_seconds;
} SeidelReport;

// What can be read of a state.
typedef uint32_t SeidelField;

// Deformable bodies and obstacles.
#define SEIDEL_THING_BODY 0

// Colliders.
#define SEIDEL_THING_COLLIDER 1

// Rigid bodies.
#define SEIDEL_THING_RIGID_BODY 2

// Joints of rigid bodies.
#define SEIDEL_THING_JOINT 3

// None: it is switched off.
#define SEIDEL_DRIVE_OFF 0

// The velocity of a joint.
#define SEIDEL_DRIVE_VELOCITY 1

// Its displacement along its axis, or its turn.
#define SEIDEL_DRIVE_POSITION 2

// Of a body: x, y, z for each vertex, float, metres.
#define SEIDEL_FIELD_POSITIONS 0

// Of a body: x, y, z for each vertex, float, m/s.
#define SEIDEL_FIELD_VELOCITIES 1

// Of a body: one float for each vertex, 1/kg; 0 does not move.
#define SEIDEL_FIELD_INV_MASSES 2

// Of a body: unit quaternion x, y, z, w for each frame, float, body to world.
#define SEIDEL_FIELD_ROTATIONS 3

// Of a body: x, y, z for each frame, float, rad/s, world.
#define SEIDEL_FIELD_ANGULAR_VELOCITIES 4

// Of a collider: position (3) and unit quaternion x, y, z, w, double.
#define SEIDEL_FIELD_COLLIDER_POSE 5

// Of a rigid body: position (3) and unit quaternion x, y, z, w, double.
#define SEIDEL_FIELD_RIGID_POSE 6

// Of a rigid body: velocity of the centre of mass (3, m/s) and angular velocity (3, rad/s), double.
#define SEIDEL_FIELD_RIGID_VELOCITY 7

// Of a body: x, y, z for each vertex, double, metres, in the world: the origin (`seidel_solver_origin`) and the
// position, with the digits that float lacks.
#define SEIDEL_FIELD_WORLD_POSITIONS 8

// Of a joint of rigid bodies, double: its displacement, turn or distance (m or rad), how fast that changes, the force
// or torque of its motor (N or N m), force (3) and torque (3) of the first body on the second in the world, and 1 if
// it is broken, else 0. Forces are those of the last substep.
#define SEIDEL_FIELD_JOINT 9

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of the last call on this thread that did not end with `SEIDEL_STATUS_OK`; empty if there was none. It is
// valid until the next call on this thread.
const char *seidel_last_error(void);

// The name of a status, such as "rejected".
const char *seidel_status_name(uint32_t status);

// The version of the library's interface.
uint32_t seidel_abi_version(void);

// The version of the engine, such as "0.1.0".
const char *seidel_version(void);

// An empty definition of a scene, with any number of bytes of memory.
SeidelSceneDef seidel_default_scene_def(void);

// A mesh without a name and without vertices.
SeidelMesh seidel_default_mesh(void);

// All cores, the widest lanes.
SeidelExecution seidel_default_execution(void);

// A step of `dt` seconds that prescribes nothing else.
SeidelInput seidel_default_input(float dt);

// Reads a scene, plans it, and writes a handle to `plan`. Everything that can be wrong with a scene is reported here,
// by `SEIDEL_STATUS_SCENE` and a text that names the table, the key, the value and its limit. The arrays are copied.
// Free the handle with `seidel_plan_free`; solvers keep what they need of it.
SeidelStatus seidel_plan_create(const SeidelSceneDef *def, SeidelPlan **plan);

// Frees a plan's handle. Null is allowed.
SeidelStatus seidel_plan_free(SeidelPlan *plan);

// Writes what a plan holds.
SeidelStatus seidel_plan_info(const SeidelPlan *plan, SeidelPlanInfo *info);

// Writes what a body has.
SeidelStatus seidel_plan_body(const SeidelPlan *plan, uint32_t body, SeidelBodyInfo *info);

// Copies a body's triangles: three vertices each, as many triangles as `seidel_plan_body` says.
SeidelStatus seidel_plan_triangles(const SeidelPlan *plan, uint32_t body, uint32_t *out, size_t count);

// Copies the zero-terminated name of a body, collider, rigid body or joint into `out`, which has `room` bytes. If
// `need` is not null, writes the number of bytes needed, with the zero, to it. If `room` is too small, nothing is
// copied and `SEIDEL_STATUS_SMALL` is returned.
SeidelStatus seidel_plan_name(const SeidelPlan *plan,
                              SeidelThing thing,
                              uint32_t index,
                              char *out,
                              size_t room,
                              size_t *need);

// Writes the number of the thing that has a name.
SeidelStatus seidel_plan_find(const SeidelPlan *plan, SeidelThing thing, const char *name, uint32_t *index);

// Makes a solver at the scene's start and writes a handle to `solver`. `execution` may be null. The plan's handle may
// be freed before the solver's.
SeidelStatus seidel_solver_create(const SeidelPlan *plan, const SeidelExecution *execution, SeidelSolver **solver);

// Frees a solver's handle. Addresses from `seidel_solver_view` become invalid; a step that is running on another
// thread still runs to its end. Null is allowed.
SeidelStatus seidel_solver_free(SeidelSolver *solver);

// Takes one step; writes to `report`, unless it is null, what happened. `SEIDEL_STATUS_REJECTED`: the input does not
// fit, and the state is as it was. `SEIDEL_STATUS_STOPPED`: the state has stopped at a lost particle.
SeidelStatus seidel_solver_step(SeidelSolver *solver, const SeidelInput *input, SeidelReport *report);

// Brings the scene to rest before it starts: for `seconds` by kinetic damping, in steps of `input`.
SeidelStatus seidel_solver_settle(SeidelSolver *solver, const SeidelInput *input, double seconds);

// Goes back to the scene's start.
SeidelStatus seidel_solver_reset(SeidelSolver *solver);

// Writes the state's time, seconds.
SeidelStatus seidel_solver_time(const SeidelSolver *solver, double *time);

// Writes where the zero of coordinates is in the world, x, y, z, metres: `origin` of the scene until it is moved, or a
// state of another is loaded. Positions, poses and inputs are relative to it.
SeidelStatus seidel_solver_origin(const SeidelSolver *solver, double *origin);

// Moves the zero of coordinates to another place of the world, x, y, z, metres. All stays where it is in the world and
// goes on; positions, poses and inputs are relative to the new zero, also after `seidel_solver_reset`. Nothing is
// planned. A state that was saved after it goes on with the same bits where the origin was moved to the same place.
SeidelStatus seidel_solver_move_origin(SeidelSolver *solver, const double *origin);

// Writes the state's hash: equal bits, equal hash, on every machine.
SeidelStatus seidel_solver_hash(const SeidelSolver *solver, uint64_t *hash);

// Copies a field of the body, collider, rigid body or joint `index` to `out`, which has `bytes` bytes: an element
// begins every `stride` bytes, so that it can be a vertex buffer; a stride of 0 means one after another. Order is the
// mesh's. Elements: see `SeidelField`.
SeidelStatus seidel_solver_read(const SeidelSolver *solver,
                                SeidelField field,
                                uint32_t index,
                                void *out,
                                size_t bytes,
                                size_t stride);

// Writes what a body has by now: what tears has more vertices than its plan says.
SeidelStatus seidel_solver_body(const SeidelSolver *solver, uint32_t body, SeidelBodyInfo *info);

// Copies a body's triangles as they are by now: three vertices each, as many triangles as `seidel_solver_body` says.
SeidelStatus seidel_solver_triangles(const SeidelSolver *solver, uint32_t body, uint32_t *out, size_t count);

// Sets positions, velocities or inverse masses of a body's vertices, in the mesh's order, one after another.
// Positions: vertices are put there, and keep their velocities. Inverse masses: 0 pins a vertex where it is.
SeidelStatus seidel_solver_write(SeidelSolver *solver,
                                 SeidelField field,
                                 uint32_t body,
                                 const float *values,
                                 size_t count);

// Fills an array of the solver's own with positions or velocities of a body (x, y, z for each vertex, in the mesh's
// order) and writes its address and the number of vertices. The address stays the same until the solver is freed or
// the body tears; the next call fills the array anew.
SeidelStatus seidel_solver_view(SeidelSolver *solver,
                                SeidelField field,
                                uint32_t body,
                                const float **data,
                                size_t *vertices);

// Pins a vertex where it is, and remembers its mass; one that is pinned stays so. An input may move it. Nothing is
// planned.
SeidelStatus seidel_solver_pin(SeidelSolver *solver, uint32_t body, uint32_t vertex);

// Frees a pinned vertex, with the mass that it had; one that is free stays so. Nothing is planned.
SeidelStatus seidel_solver_unpin(SeidelSolver *solver, uint32_t body, uint32_t vertex);

// Puts a body, collider or rigid body that waits outside of the scene back: bodies as the scene begins. Nothing is
// planned.
SeidelStatus seidel_solver_enable(SeidelSolver *solver, SeidelThing thing, uint32_t index);

// Takes a body, collider or rigid body out of the scene, to wait there: it moves nothing, and nothing moves it.
// Nothing is planned. What something else is joined to, fluids and obstacles cannot be taken out.
SeidelStatus seidel_solver_disable(SeidelSolver *solver, SeidelThing thing, uint32_t index);

// Writes the largest plastic strain of a body (`plastic` in its table): of lengths and tetrahedra a strain, of hinges
// an angle in radians; 0 if nothing of it has yielded, or can.
SeidelStatus seidel_solver_plastic_strain(const SeidelSolver *solver, uint32_t body, float *strain);

// Writes the largest plastic strain that a row of a body has accumulated, to and fro, where `plastic` in its table has
// `fatigue` or `breaks`: of lengths and tetrahedra a strain, of hinges an angle in radians; 0 if nothing of it has
// yielded, or softens or may break.
SeidelStatus seidel_solver_accumulated_strain(const SeidelSolver *solver, uint32_t body, float *strain);

// Writes how many rows of constraints of a body have broken, where `plastic` in its table has `breaks`.
SeidelStatus seidel_solver_broken_rows(const SeidelSolver *solver, uint32_t body, size_t *rows);

// Takes back what has yielded and broken of a body: its rest shape is again that with which the scene begins. Nothing
// is planned.
SeidelStatus seidel_solver_restore_rest_shape(SeidelSolver *solver, uint32_t body);

// Puts a rigid body somewhere, with the velocities that it has: `position` is x, y, z, metres, `rotation` a unit
// quaternion x, y, z, w; of its own frame, in which the scene describes it. Its contacts are forgotten, and of its
// joints what they carried and their full turns. It wakes. Nothing is planned.
SeidelStatus seidel_solver_set_rigid_pose(SeidelSolver *solver,
                                          uint32_t rigid_body,
                                          const double *position,
                                          const double *rotation);

// Sets the velocity of a rigid body's centre of mass, x, y, z, m/s, and its angular velocity, rad/s, both along the
// world's axes and within +-1e6. It wakes; a fixed body keeps none.
SeidelStatus seidel_solver_set_rigid_velocity(SeidelSolver *solver,
                                              uint32_t rigid_body,
                                              const double *linear,
                                              const double *angular);

// Copies the state into `out`, which has `room` bytes. If `need` is not null, writes the number of bytes of the state
// to it. If `room` is too small, nothing is copied and `SEIDEL_STATUS_SMALL` is returned. The bytes are the same on
// every machine.
SeidelStatus seidel_state_save(const SeidelSolver *solver, void *out, size_t room, size_t *need);

// Goes on from a state that `seidel_state_save` wrote, here or elsewhere, for a plan of the same layout. With the same
// plan (equal `id`), the run continues with the same bits.
SeidelStatus seidel_state_load(SeidelSolver *solver, const void *bytes, size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SEIDEL_H */
