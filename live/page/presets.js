// The scene that opens, and pairs of settings to compare, as the tutorial does.

const of = (spec, table, changes) => (spec[table] ?? []).flatMap((entry, i) => changes(entry).map((change) => `${table}.${i}.${change}`));

/** The scene that opens: about real time in a browser. */
const FIRST = { scene: "cloth-sphere", set: ["cloth.resolution=40", "solver.substeps=24"] };
const PRESETS = [
  ["PBD against XPBD", "Stiffness 0.9 instead of a compliance: in PBD it depends on substeps and iterations.", (spec) => [...of(spec, "cloth", (c) => (c.fabric ? [] : ["stretch_compliance=none", "stretch_stiffness=0.9", "shear_compliance=none", "shear_stiffness=0.3", ...(c.bend_compliance !== undefined ? ["bend_compliance=none", "bend_stiffness=0.1"] : [])])), ...of(spec, "rope", (r) => (r.stretch_compliance !== undefined ? ["stretch_compliance=none", "stretch_stiffness=0.9"] : ["stretch_stiffness=0.9"]))]],
  ["Jacobi against Gauss-Seidel", "All constraints at once, corrections averaged: it takes more sweeps for the same stiffness.", () => ["solver.method=jacobi"]],
  ["Iterations against substeps", "As many sweeps, in few long substeps: substeps win.", (_, opened) => [`solver.substeps=${Math.max(1, Math.round(opened.substeps / 10))}`, "solver.iterations=10"]],
  ["Second order against first", "Velocities from two substeps: what swings keeps its energy.", () => ["solver.velocity_update=second-order"]],
  ["Coarse against fine", "Half the vertices a side.", (spec) => of(spec, "cloth", (c) => (c.mesh ? [] : [`resolution=[${c.resolution.map((n) => Math.max(4, Math.round(n / 2))).join(", ")}]`]))],
];
