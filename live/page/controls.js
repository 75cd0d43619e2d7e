// Controls for the keys of a scene. Which keys there are, their units, limits and texts come from the engine's table of keys.

/** Tables of a scene that are one, and those of which there are several. */
const SINGLE = ["scene", "solver", "air"];
/** A slider's ends, where limits are wide: times and divided by this. */
const REACH = 100;
/** What a slider begins with where a number is 0 and may be anything. */
const SMALL = 1e-6;
const STEPS = 1000;

class Controls {
  /** `page` has the table of keys; `change(path, value, starts)` is told of each change, value null for "as it was". */
  constructor(root, page, change) {
    Object.assign(this, { root, change });
    this.keys = page.keys;
    this.first = new Map(page.first);
    this.starts = new Set(page.starts);
    this.rows = new Map();
    this.open = new Set(["solver", "cloth.0"]);
    this.isDrawn = false;
    this.later = null;
    root.addEventListener("pointerdown", (event) => (this.isDrawn = event.target.type === "range"));
    this.isShowing = false;
    // What is being written survives a plan that comes meanwhile, and is taken when its field is left.
    root.addEventListener("input", ({ target }) => target.type === "text" && (target.dataset.typed = "1"));
    root.addEventListener("change", ({ target }) => delete target.dataset.typed);
    root.addEventListener("focusout", ({ target }) => {
      if (target.dataset.typed && !this.isShowing) target.dispatchEvent(new Event("change", { bubbles: true }));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => {
        this.isDrawn = false;
        this.#catchUp();
      });
    }
  }

  /** Shows the keys of a scene; `changed` are the paths that differ from it. A slider that is drawn stays until it is let go. */
  show(spec, changed) {
    this.later = () => this.#show(spec, changed);
    if (!this.isDrawn) this.#catchUp();
  }

  #catchUp() {
    const later = this.later;
    this.later = null;
    later?.();
  }

  #show(spec, changed) {
    const at = this.root.contains(document.activeElement) ? document.activeElement : null;
    const typed = at?.dataset.typed ? at.value : null;
    // Of text; all of it is selected where the keyboard has just come to.
    const selected = at?.selectionStart == null ? null : [at.selectionStart, at.selectionEnd, at.value.length];
    this.isShowing = true;
    this.root.replaceChildren();
    this.isShowing = false;
    this.rows.clear();
    for (const table of SINGLE) this.#section(table, table, table === "scene" ? spec : spec[table] ?? {}, changed, "");
    for (const table of Object.keys(this.keys)) {
      if (SINGLE.includes(table) || !Array.isArray(spec[table])) continue;
      spec[table].forEach((entry, i) => this.#section(table, `${table}.${i}`, entry, changed, entry.name || `${table} ${i}`));
    }
    if (this.#filter) this.filter(this.#filter);
    // Who goes through the keys with the keyboard goes on where they were.
    const again = at?.id ? document.getElementById(at.id) : null;
    again?.focus({ preventScroll: true });
    if (!again) return;
    if (typed !== null) {
      again.value = typed;
      again.dataset.typed = "1";
    }
    if (!selected) return;
    const [start, end, length] = selected;
    if (start < end && end - start === length) again.select();
    else again.setSelectionRange(start, end);
  }

  #filter = "";

  /** Shows only keys whose name or text has these letters. */
  filter(text) {
    this.#filter = text.toLowerCase();
    for (const { element, key } of this.rows.values()) {
      element.hidden = this.#filter !== "" && !`${key.name} ${key.what}`.toLowerCase().includes(this.#filter);
    }
    for (const details of this.root.querySelectorAll("details.more")) if (this.#filter) details.open = true;
    for (const section of this.root.querySelectorAll("details.table")) {
      section.hidden = this.#filter !== "" && !section.querySelector(".row:not([hidden])");
      if (this.#filter && !section.hidden) section.open = true;
    }
  }

  /** Says what is wrong at a key, or nothing any more. */
  refuse(path, what) {
    const row = this.rows.get(path);
    if (!row) return false;
    row.element.classList.toggle("wrong", Boolean(what));
    row.error.textContent = what ?? "";
    if (what) for (let at = row.element.parentElement; at && at !== this.root; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    return true;
  }

  #section(table, path, values, changed, title) {
    const keys = this.keys[table] ?? [];
    const first = this.first.get(SINGLE.includes(table) || table === "collider" ? table : "*") ?? [];
    const rank = (key) => (first.includes(key.name) ? first.indexOf(key.name) : first.length + (values[key.name] === undefined ? 1 : 0));
    const shown = keys.map((key) => ({ key, kind: kindOf(key, values[key.name]) })).filter(({ kind }) => kind);
    if (shown.length === 0) return;
    shown.sort((a, b) => rank(a.key) - rank(b.key));
    const section = element("details", { className: "table" });
    section.open = this.open.has(path);
    section.ontoggle = () => (section.open ? this.open.add(path) : this.open.delete(path));
    const summary = section.appendChild(element("summary", { id: `of-${path.replaceAll(".", "-")}` }));
    summary.append(element("b", { textContent: title || table }), element("span", { textContent: title && title !== table ? table.replace("_", " ") : "" }));
    const more = element("details", { className: "more" });
    more.append(element("summary", { id: `more-${path.replaceAll(".", "-")}`, textContent: "more keys" }));
    more.open = this.open.has(`${path} more`);
    more.ontoggle = () => (more.open ? this.open.add(`${path} more`) : this.open.delete(`${path} more`));
    for (const { key, kind } of shown) {
      const at = table === "scene" ? key.name : `${path}.${key.name}`;
      const isFirst = first.includes(key.name) && (values[key.name] !== undefined || key.name !== "stretch_stiffness");
      (isFirst ? section : more).append(this.#row(at, key, kind, values[key.name], changed.has(at)));
    }
    if (more.children.length > 1) section.append(more);
    this.root.append(section);
  }

  #row(path, key, kind, value, isChanged) {
    const row = element("div", { className: "row" });
    const id = `key-${path.replaceAll(".", "-")}`;
    const label = element("label", { htmlFor: id, textContent: key.name.replaceAll("_", " "), title: about(key) });
    if (key.unit) label.append(element("span", { className: "unit", textContent: key.unit }));
    const back = element("button", { type: "button", id: `${id}-back`, className: "back", textContent: "↺", title: "As the scene has it", hidden: !isChanged });
    back.setAttribute("aria-label", `${key.name} as the scene has it`);
    const error = element("p", { className: "refused" });
    error.setAttribute("role", "alert");
    const tell = (text) => this.change(path, text, this.starts.has(key.name) && !path.startsWith("collider."));
    back.onclick = () => tell(null);
    row.append(label, kind.build(id, key, value, tell), back, error);
    row.classList.toggle("changed", isChanged);
    this.rows.set(path, { element: row, error, key });
    return row;
  }
}

/** A tool tip: what a key is, its limits and default. */
function about(key) {
  const plain = (text) => text.replaceAll("`", "");
  const lines = [plain(key.what)];
  if (key.limits) lines.push(`limits: ${plain(key.limits)}`);
  if (key.default) lines.push(`default: ${plain(key.default)}`);
  return lines.join("\n");
}

/** How a key is changed; none for lists, names and files, which the text has. */
function kindOf(key, value) {
  const words = [...key.limits.matchAll(/`?"([^"]+)"`?/g)].map((m) => m[1]);
  const assumed = value ?? meant(key.default);
  if (key.name === "name" || key.name === "about" || key.name === "groups" || key.name === "mask") return null;
  if (key.name === "fabric") words.push("cotton", "silk", "denim", "leather", "rubber");
  if (typeof assumed === "boolean" || (value === undefined && key.default === "none" && key.what.startsWith("`true`"))) return SWITCH;
  if (Array.isArray(assumed)) {
    const numbers = assumed.length > 0 && assumed.length <= 3 && assumed.every((x) => typeof x === "number");
    return numbers ? VECTOR : null;
  }
  if (words.length > 0 && (typeof assumed === "number" || / to |above/.test(key.limits))) return number(words);
  if (words.length > 0 && (typeof assumed === "string" || assumed === undefined)) return choice([...new Set(words)]);
  if (typeof assumed === "number") return number([]);
  if (assumed === undefined && / to |above|within/.test(key.limits) && !/file|number of|names/.test(key.what)) return number([]);
  return null;
}

/** The default that a table of keys names: `none, as 0.2` means 0.2. */
function meant(text) {
  const found = text.match(/^(?:none, as )?`?([^`]+?)`?(?:,| or |$)/);
  try {
    return JSON.parse(found[1]);
  } catch {
    return undefined;
  }
}

const element = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);
/** As many digits as tell a 32-bit number from others. */
const short = (x) => String(+Number(x).toPrecision(6));

/** Lowest and highest that a text of limits names. */
function limitsOf(text) {
  const number = "([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)";
  let found = text.match(new RegExp(`within \\+-${number}`));
  if (found) return { low: -found[1], high: +found[1], zero: true };
  found = text.match(new RegExp(`above ${number}, at most ${number}`));
  if (found) return { low: +found[1], high: +found[2], zero: false };
  found = text.match(new RegExp(`${number} to ${number}`));
  if (found) return { low: +found[1], high: +found[2], zero: +found[1] <= 0 };
  found = text.match(new RegExp(`${number} or more`));
  if (found) return { low: +found[1], high: Infinity, zero: +found[1] <= 0 };
  return { low: -Infinity, high: Infinity, zero: true };
}

/** From a number to a slider's place and back: evenly over short ranges, by ratios over long ones. */
function scaleOf(limits, value, whole) {
  const { low, high, zero } = limits;
  if (high - low <= 10 && !whole) return { to: (x) => ((x - low) / (high - low)) * STEPS, from: (s) => low + (s / STEPS) * (high - low) };
  if (low < 0) {
    const reach = Math.min(high, Math.max(2 * Math.abs(value), 5));
    return { to: (x) => ((x + reach) / (2 * reach)) * STEPS, from: (s) => -reach + (s / STEPS) * 2 * reach };
  }
  const middle = value > 0 ? value : whole ? Math.max(low, 1) : SMALL;
  const far = whole ? 8 : REACH;
  const least = Math.max(middle / far, whole ? Math.max(low, 1) : low > 0 ? low : 0), most = Math.min(middle * (value > 0 ? far : REACH ** 4), high);
  const notch = zero && !whole ? 20 : 0; // the left end is 0
  const span = Math.log(most / least) || 1;
  return {
    to: (x) => (x <= 0 ? 0 : notch + (Math.log(x / least) / span) * (STEPS - notch)),
    from: (s) => (notch && s < notch / 2 ? 0 : least * Math.exp((Math.max(s - notch, 0) / (STEPS - notch)) * span)),
  };
}

/** Whether a key counts something: its default is a whole number, and its limits have no fraction. */
function isWhole(key) {
  const plain = (key.default.match(/`([^`]+)`/)?.[1] ?? key.default.replace("none, as ", "")).trim();
  return key.name === "substeps" || (/^\[?\d+(, \d+)*\]?$/.test(plain) && !/\d\.\d|e-/.test(key.limits));
}

/** A number, with words beside it that may stand for one. */
const number = (words) => ({
  build(id, key, value, tell) {
    const whole = isWhole(key), limits = limitsOf(key.limits);
    const box = element("span", { className: "number" });
    const assumed = typeof value === "number" ? value : meant(key.default);
    const start = typeof assumed === "number" ? assumed : 0;
    const scale = scaleOf(limits, start, whole);
    const slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, tabIndex: -1 });
    slider.setAttribute("aria-label", `${key.name}, slider`);
    slider.value = scale.to(start);
    const field = element("input", { id, type: "text", inputMode: "decimal", autocomplete: "off", value: value === undefined ? "" : typeof value === "number" ? short(value) : value });
    field.placeholder = String(meant(key.default) ?? "none");
    if (words.length) {
      const list = box.appendChild(element("datalist", { id: `${id}-words` }));
      for (const word of words) list.append(element("option", { value: word }));
      field.setAttribute("list", list.id);
    }
    slider.oninput = () => {
      const x = scale.from(+slider.value);
      field.value = whole ? String(Math.max(Math.round(x), limits.low)) : short(+x.toPrecision(3));
      tell(field.value);
    };
    field.onchange = () => {
      const text = field.value.trim().replace(/^([-+]?\d*),(\d+)$/, "$1.$2"); // a decimal comma
      if (text !== "" && Number.isFinite(+text)) slider.value = scale.to(+text);
      tell(text === "" ? (value === undefined ? null : "none") : words.includes(text) ? JSON.stringify(text) : text);
    };
    box.append(slider, field);
    return box;
  },
});

/** Numbers side by side; the two of a grid are one as long as they are alike. */
const VECTOR = {
  build(id, key, value, tell) {
    const assumed = value ?? meant(key.default);
    if (key.name === "resolution" && assumed.every((x) => x === assumed[0])) {
      return number([]).build(id, { ...key, limits: "2 to 100000", default: "`64`" }, assumed[0], tell);
    }
    const box = element("span", { className: "vector" });
    const fields = assumed.map((x, i) => {
      const field = element("input", { id: i === 0 ? id : `${id}-${i}`, type: "text", inputMode: "decimal", autocomplete: "off", value: short(x) });
      field.setAttribute("aria-label", `${key.name}, ${"xyz"[i]}`);
      field.onchange = () => tell(`[${fields.map((f) => f.value.trim() || "0").join(", ")}]`);
      return field;
    });
    box.append(...fields);
    return box;
  },
};

const SWITCH = {
  build(id, key, value, tell) {
    const box = element("input", { id, type: "checkbox", checked: value === true });
    box.onchange = () => tell(String(box.checked));
    return box;
  },
};

const choice = (words) => ({
  build(id, key, value, tell) {
    const box = element("select", { id });
    const given = typeof value === "string" ? value : "";
    if (given === "" || !words.includes(given)) box.append(element("option", { value: "", textContent: given || key.default.replaceAll("`", "").replaceAll('"', "") }));
    for (const word of words) box.append(element("option", { value: word, textContent: word }));
    box.value = words.includes(given) ? given : "";
    box.onchange = () => tell(box.value === "" ? null : JSON.stringify(box.value));
    return box;
  },
});
