/* The seidel engine for C++17: seidel.h with owners that free, and exceptions in place of statuses. Header only. */
#ifndef SEIDEL_CPP_HPP
#define SEIDEL_CPP_HPP

#include "seidel.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seidel {

/* What a call did not do, and why. */
class Error : public std::runtime_error {
public:
    Error(SeidelStatus status, const char *text) : std::runtime_error(text), status_(status) {}
    SeidelStatus status() const noexcept { return status_; }

private:
    SeidelStatus status_;
};

/* Throws if a call did not end well. */
inline void check(SeidelStatus status) {
    if (status != SEIDEL_STATUS_OK) {
        throw Error(status, seidel_last_error());
    }
}

/* A mesh that a scene names; the arrays are copied by the plan. */
struct Mesh {
    std::string name;
    std::vector<float> positions;       /* x, y, z of each vertex, metres */
    std::vector<std::uint32_t> triangles; /* three vertices each */
    std::vector<std::uint32_t> tets;      /* four vertices each; with them the mesh is a solid */
};

/* A scene that is read, checked and planned. Many threads may use one. */
class Plan {
public:
    explicit Plan(std::string_view toml, const std::vector<Mesh> &meshes = {}) {
        std::vector<SeidelMesh> given;
        for (const Mesh &mesh : meshes) {
            SeidelMesh one = seidel_default_mesh();
            one.name = mesh.name.c_str();
            one.positions = mesh.positions.data();
            one.vertex_count = mesh.positions.size() / 3;
            one.triangles = mesh.triangles.data();
            one.triangle_count = mesh.triangles.size() / 3;
            one.tets = mesh.tets.data();
            one.tet_count = mesh.tets.size() / 4;
            given.push_back(one);
        }
        const std::string text(toml);
        SeidelSceneDef def = seidel_default_scene_def();
        def.toml = text.c_str();
        def.toml_length = text.size();
        def.meshes = given.data();
        def.mesh_count = given.size();
        check(seidel_plan_create(&def, &plan_));
    }
    ~Plan() { seidel_plan_free(plan_); }
    Plan(Plan &&other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
    Plan &operator=(Plan &&other) noexcept {
        std::swap(plan_, other.plan_);
        return *this;
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;

    SeidelPlanInfo info() const {
        SeidelPlanInfo info;
        check(seidel_plan_info(plan_, &info));
        return info;
    }
    SeidelBodyInfo body(std::uint32_t body) const {
        SeidelBodyInfo info;
        check(seidel_plan_body(plan_, body, &info));
        return info;
    }
    /* The number of a body, collider, rigid body or joint: SEIDEL_THING_BODY and so on. */
    std::uint32_t find(const std::string &name, SeidelThing thing = SEIDEL_THING_BODY) const {
        std::uint32_t index = 0;
        check(seidel_plan_find(plan_, thing, name.c_str(), &index));
        return index;
    }
    std::string name(std::uint32_t index, SeidelThing thing = SEIDEL_THING_BODY) const {
        std::size_t need = 0;
        const SeidelStatus status = seidel_plan_name(plan_, thing, index, nullptr, 0, &need);
        if (status != SEIDEL_STATUS_SMALL) {
            check(status);
        }
        std::string name(need, '\0');
        check(seidel_plan_name(plan_, thing, index, name.data(), name.size(), nullptr));
        name.pop_back();
        return name;
    }
    std::vector<std::uint32_t> triangles(std::uint32_t of) const {
        std::vector<std::uint32_t> triangles(3 * body(of).triangles);
        check(seidel_plan_triangles(plan_, of, triangles.data(), triangles.size() / 3));
        return triangles;
    }
    const SeidelPlan *handle() const noexcept { return plan_; }

private:
    SeidelPlan *plan_ = nullptr;
};

/* Vertices of a body in the mesh's order, x, y, z each: valid until the solver is gone or the body tears, filled
   anew by the next view. */
struct View {
    const float *data;
    std::size_t vertices;

    std::array<float, 3> operator[](std::size_t vertex) const {
        return {data[3 * vertex], data[3 * vertex + 1], data[3 * vertex + 2]};
    }
};

/* A joint of rigid bodies: its way, turn or distance (m or rad), how fast that changes, the force or torque of its
   motor (N or N m), and force and torque of the first body on the second, in the world. */
struct Joint {
    double position, velocity, motor_load;
    std::array<double, 3> force, torque;
    bool broken;
};

/* A plan, its state, and the threads that step it; one thread at a time uses it. */
class Solver {
public:
    explicit Solver(const Plan &plan, std::uint32_t threads = 0) {
        SeidelExecution execution = seidel_default_execution();
        execution.threads = threads;
        check(seidel_solver_create(plan.handle(), &execution, &solver_));
    }
    ~Solver() { seidel_solver_free(solver_); }
    Solver(Solver &&other) noexcept : solver_(std::exchange(other.solver_, nullptr)) {}
    Solver &operator=(Solver &&other) noexcept {
        std::swap(solver_, other.solver_);
        return *this;
    }
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

    SeidelReport step(const SeidelInput &input) {
        SeidelReport report;
        check(seidel_solver_step(solver_, &input, &report));
        return report;
    }
    SeidelReport step(float dt) { return step(seidel_default_input(dt)); }
    /* What a body has by now: what has torn has more vertices than its plan says. */
    SeidelBodyInfo body(std::uint32_t of) const {
        SeidelBodyInfo info;
        check(seidel_solver_body(solver_, of, &info));
        return info;
    }
    /* Three vertices each, as they are by now. */
    std::vector<std::uint32_t> triangles(std::uint32_t of) const {
        std::vector<std::uint32_t> triangles(3 * body(of).triangles);
        check(seidel_solver_triangles(solver_, of, triangles.data(), triangles.size() / 3));
        return triangles;
    }
    void settle(const SeidelInput &input, double seconds) { check(seidel_solver_settle(solver_, &input, seconds)); }
    void reset() { check(seidel_solver_reset(solver_)); }
    double time() const {
        double time = 0;
        check(seidel_solver_time(solver_, &time));
        return time;
    }
    /* Where the zero of coordinates is in the world, metres. */
    std::array<double, 3> origin() const {
        std::array<double, 3> origin{};
        check(seidel_solver_origin(solver_, origin.data()));
        return origin;
    }
    /* Moves the zero there; all stays where it is in the world. */
    void move_origin(const std::array<double, 3> &origin) { check(seidel_solver_move_origin(solver_, origin.data())); }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        check(seidel_solver_hash(solver_, &hash));
        return hash;
    }
    View view(std::uint32_t body, SeidelField field = SEIDEL_FIELD_POSITIONS) {
        View view{nullptr, 0};
        check(seidel_solver_view(solver_, field, body, &view.data, &view.vertices));
        return view;
    }
    void read(SeidelField field, std::uint32_t index, void *out, std::size_t bytes, std::size_t stride = 0) const {
        check(seidel_solver_read(solver_, field, index, out, bytes, stride));
    }
    void write(SeidelField field, std::uint32_t body, const std::vector<float> &values) {
        check(seidel_solver_write(solver_, field, body, values.data(), values.size()));
    }
    void pin(std::uint32_t body, std::uint32_t vertex) { check(seidel_solver_pin(solver_, body, vertex)); }
    void unpin(std::uint32_t body, std::uint32_t vertex) { check(seidel_solver_unpin(solver_, body, vertex)); }
    void enable(SeidelThing thing, std::uint32_t index) { check(seidel_solver_enable(solver_, thing, index)); }
    void disable(SeidelThing thing, std::uint32_t index) { check(seidel_solver_disable(solver_, thing, index)); }
    /* Puts a rigid body somewhere: metres, and a unit quaternion x, y, z, w. */
    void set_rigid_pose(std::uint32_t rigid_body, const std::array<double, 3> &position,
                        const std::array<double, 4> &rotation) {
        check(seidel_solver_set_rigid_pose(solver_, rigid_body, position.data(), rotation.data()));
    }
    /* m/s and rad/s, along the world's axes. */
    void set_rigid_velocity(std::uint32_t rigid_body, const std::array<double, 3> &linear,
                            const std::array<double, 3> &angular) {
        check(seidel_solver_set_rigid_velocity(solver_, rigid_body, linear.data(), angular.data()));
    }
    /* Where a joint of rigid bodies is, and what it carried in the last substep. */
    Joint joint(std::uint32_t index) const {
        double now[10];
        read(SEIDEL_FIELD_JOINT, index, now, sizeof now);
        return {now[0], now[1], now[2], {now[3], now[4], now[5]}, {now[6], now[7], now[8]}, now[9] != 0};
    }
    float plastic_strain(std::uint32_t body) const {
        float strain = 0.0f;
        check(seidel_solver_plastic_strain(solver_, body, &strain));
        return strain;
    }
    float accumulated_strain(std::uint32_t body) const {
        float strain = 0.0f;
        check(seidel_solver_accumulated_strain(solver_, body, &strain));
        return strain;
    }
    std::size_t broken_rows(std::uint32_t body) const {
        std::size_t rows = 0;
        check(seidel_solver_broken_rows(solver_, body, &rows));
        return rows;
    }
    void restore_rest_shape(std::uint32_t body) { check(seidel_solver_restore_rest_shape(solver_, body)); }
    std::vector<std::uint8_t> save() const {
        std::size_t need = 0;
        const SeidelStatus status = seidel_state_save(solver_, nullptr, 0, &need);
        if (status != SEIDEL_STATUS_SMALL) {
            check(status);
        }
        std::vector<std::uint8_t> bytes(need);
        check(seidel_state_save(solver_, bytes.data(), bytes.size(), nullptr));
        return bytes;
    }
    void load(const std::vector<std::uint8_t> &bytes) { check(seidel_state_load(solver_, bytes.data(), bytes.size())); }
    SeidelSolver *handle() noexcept { return solver_; }

private:
    SeidelSolver *solver_ = nullptr;
};

} // namespace seidel

#endif
