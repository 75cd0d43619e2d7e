// The little cross of axes in a corner of the picture.

/** The little cross of axes. */
function drawCross(camera) {
  const [right, up, back] = camera.axes();
  const order = [0, 1, 2].sort((a, b) => back[a] - back[b]);
  const svg = document.querySelector("#axes");
  for (const axis of order) {
    const group = svg.querySelector(`[data-axis="${axis}"]`);
    const [x, y] = [26 * right[axis], -26 * up[axis]];
    group.querySelector("line").setAttribute("x2", x);
    group.querySelector("line").setAttribute("y2", y);
    group.querySelector("text").setAttribute("x", 1.32 * x);
    group.querySelector("text").setAttribute("y", 1.32 * y);
    group.style.opacity = Math.hypot(x, y) < 3 ? 0 : 1;
    svg.append(group);
  }
}
