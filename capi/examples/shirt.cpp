// A mesh from the program falls on a ball for a second. Prints the state's hash.
#include <seidel-cpp.hpp>

#include <cstdio>
#include <exception>

static seidel::Mesh square(std::uint32_t side) {
    seidel::Mesh mesh{"shirt", {}, {}, {}};
    for (std::uint32_t z = 0; z < side; ++z) {
        for (std::uint32_t x = 0; x < side; ++x) {
            const float scale = 1.0f / static_cast<float>(side - 1);
            mesh.positions.insert(mesh.positions.end(), {static_cast<float>(x) * scale, 0.0f, static_cast<float>(z) * scale});
            if (x + 1 < side && z + 1 < side) {
                const std::uint32_t a = z * side + x, b = a + 1, c = a + side, d = c + 1;
                mesh.triangles.insert(mesh.triangles.end(), {a, c, b, b, c, d});
            }
        }
    }
    return mesh;
}

int main() {
    try {
        const seidel::Plan plan(R"(
[solver]
substeps = 10
[[cloth]]
name = "shirt"
mesh = "shirt"
position = [-0.5, 1.2, -0.5]
[[collider]]
name = "ball"
shape = "sphere"
radius = 0.3
position = [0, 0.8, 0]
)",
                                {square(20)});
        seidel::Solver solver(plan, 1);
        std::uint32_t contacts = 0;
        for (int frame = 0; frame < 60; ++frame) {
            contacts += solver.step(1.0f / 60.0f).contacts;
        }
        const auto saved = solver.save();
        const auto hash = solver.hash();
        solver.reset();
        solver.load(saved);
        const auto shirt = solver.view(plan.find("shirt"));
        std::printf("%016llx: %u contacts; the first of %zu vertices is at %.3f m\n", static_cast<unsigned long long>(solver.hash()),
                    contacts, shirt.vertices, static_cast<double>(shirt[0][1]));
        return hash == solver.hash() && contacts > 0 ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
