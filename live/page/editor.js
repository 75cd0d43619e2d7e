// The scene's text, with the engine's own errors at their line.

class Editor {
  /** `run` gets the text. */
  constructor(root, run) {
    this.area = root.querySelector("textarea");
    this.gutter = root.querySelector(".gutter");
    this.error = root.querySelector(".refused");
    this.note = root.querySelector(".note");
    this.text = "";
    this.wrong = null;
    this.area.oninput = () => {
      this.#number();
      this.note.textContent = this.changed ? "changed: Ctrl+Enter runs it" : "";
    };
    this.area.onscroll = () => (this.gutter.scrollTop = this.area.scrollTop);
    this.area.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run(this.area.value);
      } else if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey) {
        event.preventDefault();
        document.execCommand("insertText", false, "  ");
      }
      // Tab writes, so something else has to lead on.
      if (event.key === "Escape") root.querySelector("[data-run]").focus();
      event.stopPropagation();
    };
    root.querySelector("[data-run]").onclick = () => run(this.area.value);
    root.querySelector("[data-back]").onclick = () => this.show(this.text, true);
  }

  get changed() {
    return this.area.value !== this.text;
  }

  /** Shows a scene's text; what the user is writing stays, unless it is told otherwise. */
  show(text, anyway = false) {
    if (this.changed && !anyway && document.activeElement === this.area) return;
    this.text = text;
    if (this.area.value !== text) this.area.value = text;
    this.refuse(null);
    this.note.textContent = "";
    this.#number();
  }

  /** Says what is wrong with the text. */
  refuse(error) {
    this.wrong = error?.line ?? null;
    this.error.textContent = error ? error.message : "";
    this.#number();
    if (!this.wrong) return;
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, this.wrong - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.area.setSelectionRange(start, start + (lines[this.wrong - 1] ?? "").length);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (this.wrong - 4) * height);
  }

  #number() {
    const count = this.area.value.split("\n").length;
    this.gutter.replaceChildren(...Array.from({ length: count }, (_, i) => element("span", { textContent: i + 1, className: i + 1 === this.wrong ? "wrong" : "" })));
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
