// Curves over the run's time. The curves are drawn once; the playhead is an element that moves over them.

const MARGIN = { right: 10, top: 11, bottom: 18 };

class Plot {
  /** `curves`: { name, token, values }; `text` gives a value as people read it; `seek` takes a frame. */
  constructor(root, { title, time, curves, text, seek }) {
    Object.assign(this, { time, curves, text });
    this.canvas = root.querySelector("canvas");
    this.head = root.querySelector(".playhead");
    this.head.hidden = time.length === 0;
    const legend = root.querySelector(".legend");
    legend.append(Object.assign(document.createElement("h2"), { textContent: title }));
    this.legend = legend;
    this.labels = curves.map((curve) => this.#label(curve));
    const drag = (event) => {
      if (event.buttons & 1) seek(this.#frameAt(event.offsetX));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.canvas.addEventListener("pointermove", drag);
    this.fit();
  }

  #label({ name, token }) {
    const item = this.legend.appendChild(document.createElement("span"));
    item.className = "curve";
    item.style.setProperty("--curve", `var(${token})`);
    item.append(name, " ");
    return item.appendChild(document.createElement("output"));
  }

  /** Has one curve more, of something that is compared, or no longer. */
  second(curve) {
    const has = this.curves.at(-1).isSecond === true;
    if (curve && !has) {
      this.curves.push(Object.assign(curve, { isSecond: true }));
      this.labels.push(this.#label(curve));
    } else if (!curve && has) {
      this.curves.pop();
      this.labels.pop().parentElement.remove();
    }
  }

  /** Takes the range of the present values. */
  fit() {
    let low = Infinity, high = -Infinity;
    for (const { values } of this.curves) {
      for (const x of values) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (low === high) [low, high] = [Math.min(low, 0), Math.max(high, 0) || low + 1];
    if (low > 0 && low < 0.5 * high) low = 0;
    const pad = 0.06 * (high - low);
    this.low = low === 0 ? 0 : low - pad;
    this.high = high + pad;
  }

  #frameAt(x) {
    if (this.time.length === 0) return 0;
    const last = this.time.length - 1;
    const t = this.time[0] + clamp((x - this.left) / this.wide, 0, 1) * (this.time[last] - this.time[0]);
    let [before, after] = [0, last];
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (this.time[middle] <= t) before = middle;
      else after = middle;
    }
    return t - this.time[before] < this.time[after] - t ? before : after;
  }

  #x(f) {
    const span = this.time[this.time.length - 1] - this.time[0];
    return this.left + (span > 0 ? (this.time[f] - this.time[0]) / span : 0) * this.wide;
  }

  #y(value) {
    return MARGIN.top + (this.high - value) / (this.high - this.low) * this.tall;
  }

  /** Draws the curves anew, for a new size or new colors; `color` resolves a token. */
  paint(color) {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    const ratio = Math.min(devicePixelRatio, 3);
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    this.tall = height - MARGIN.top - MARGIN.bottom;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    // As wide as the widest label.
    const labels = ticks(this.low, this.high, this.tall / 26).map((value) => pen.measureText(this.text(value)).width);
    this.left = Math.ceil(Math.max(34, ...labels)) + 12;
    this.wide = width - this.left - MARGIN.right;
    this.#grid(pen, color);
    pen.lineJoin = "round";
    for (const { token, values } of this.curves) {
      pen.strokeStyle = pen.fillStyle = color(token);
      pen.lineWidth = 1.6;
      pen.beginPath();
      let open = false; // a value that is not finite leaves a gap
      values.forEach((value, f) => {
        if (!Number.isFinite(value) || f >= this.time.length) open = false;
        else if (open) pen.lineTo(this.#x(f), this.#y(value));
        else pen.moveTo(this.#x(f), this.#y(value)), (open = true);
      });
      pen.stroke();
      if (values.length === 1 && Number.isFinite(values[0])) pen.fillRect(this.#x(0) - 2, this.#y(values[0]) - 2, 4, 4);
    }
  }

  #grid(pen, color) {
    const [ink, line] = [color("--dim"), color("--line")];
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(this.low, this.high, this.tall / 26)) {
      const y = Math.round(this.#y(value)) + 0.5;
      pen.fillStyle = line;
      pen.fillRect(this.left, y - 0.5, this.wide, 1);
      pen.fillStyle = ink;
      pen.fillText(this.text(value), this.left - 6, y);
    }
    const frames = this.time.length;
    if (frames < 2) return;
    const [start, end] = [this.time[0], this.time[frames - 1]];
    pen.textBaseline = "alphabetic";
    for (const t of ticks(start, end, this.wide / 70)) {
      const x = this.left + (t - start) / (end - start) * this.wide;
      pen.textAlign = x > this.left + this.wide - 14 ? "right" : x < this.left + 14 ? "left" : "center";
      pen.fillText(`${+t.toPrecision(6)} s`, x, MARGIN.top + this.tall + 13);
    }
  }

  /** Moves the playhead. */
  show(f) {
    if (this.wide) this.head.style.transform = `translateX(${this.#x(f)}px)`;
    this.labels.forEach((label, c) => (label.textContent = this.text(this.curves[c].values[f])));
  }
}

/** Round numbers in a range, about `count` of them, two at least: one alone tells no scale. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0 && Number.isFinite(rough))) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const out = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) out.push(i * step);
  return out.length < 2 ? ticks(low, high, 2 * Math.max(count, 1)) : out;
}

/** Three digits with a prefix of the SI: 0.0123 J is 12.3 mJ. */
function withPrefix(value, unit) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return `0 ${unit}`;
  const thousands = clamp(Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9), -4, 3);
  const number = +(value / 1000 ** thousands).toPrecision(3);
  return `${String(number).replace("-", "−")} ${["p", "n", "µ", "m", "", "k", "M", "G"][thousands + 4]}${unit}`;
}

function percent(value) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-6) return "0 %";
  return `${String(+(100 * value).toPrecision(3)).replace("-", "−")} %`;
}
