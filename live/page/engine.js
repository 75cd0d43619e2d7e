// The way to the engine: a worker with its WebAssembly, or the program that serves the page. Both take the same messages.

/** Types of the arrays that answers have; all others are Float32Array. */
const WORDS = new Set(["triangles", "edges", "order", "pinned", "ids", "surface-triangles"]);
/** Seconds without an answer after which the page says so. */
const PATIENCE = 10;
const SLOW = `The engine has not answered for ${PATIENCE} seconds: the scene is large, or it hangs. You may wait.`;

/** What the engine refuses; `line` is that of the scene's text, if it is known. */
class Refusal extends Error {
  constructor(what, line) {
    super(line ? `line ${line}: ${what}` : what);
    this.line = line ?? null;
    this.isQuiet = false; // the user has asked for it, and need not be told
  }
}

/** An answer's object, with the arrays as properties. */
function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const base = Math.ceil((4 + length) / 4) * 4;
  for (const [name, [at, bytes]] of Object.entries(json.arrays)) {
    if (name === "file") json.file = new Uint8Array(buffer, base + at, bytes);
    else json[name] = new (WORDS.has(name) ? Uint32Array : Float32Array)(buffer, base + at, bytes / 4);
  }
  delete json.arrays;
  return json;
}

/** Answers come in the order of the requests. */
class Engine {
  /** `open` makes a transport: { send(id, request, bytes), end() }, which calls `heard`. `onSlow` is told when no answer comes (true), and when it has come. */
  constructor(open, { onSlow }) {
    this.open = open;
    this.onSlow = onSlow;
    this.waiting = new Map();
    this.last = 0;
    this.memory = 0;
    this.dead = null;
    this.isSlow = false;
    this.transport = open(this);
  }

  get busy() {
    return this.waiting.size > 0;
  }

  /** Sends a request; the answer's object has the time it took, milliseconds, as `took`. */
  ask(request, bytes = null) {
    if (this.dead) return Promise.reject(new Refusal(this.dead));
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      const timer = setTimeout(() => this.#slow(true), PATIENCE * 1000);
      this.waiting.set(id, { resolve, reject, timer });
      this.transport.send(id, request, bytes);
    });
  }

  #slow(isSlow) {
    if (isSlow !== this.isSlow) this.onSlow((this.isSlow = isSlow));
  }

  /** An answer has come. */
  heard(id, { answer, trap, took = 0, memory = 0 }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    clearTimeout(asked.timer);
    this.waiting.delete(id);
    this.#slow(false);
    this.memory = memory || this.memory;
    if (trap !== undefined) {
      this.fail(`The engine has stopped: ${trap}`);
      asked.reject(new Refusal(this.dead));
      return;
    }
    const json = answer ? decode(answer) : {};
    // Changes are called what the command line calls them; here they stand at their key.
    if (json.error !== undefined) asked.reject(new Refusal(json.error.replace(/^(--set \S+?=\S* ?)+: /, ""), json.line));
    else asked.resolve(Object.assign(json, { took }));
  }

  /** Nothing more is to be had of this transport. `isQuiet`: because the user wants it so. */
  fail(what, isQuiet = false) {
    this.dead = what;
    this.#slow(false);
    this.transport.end();
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(Object.assign(new Refusal(what), { isQuiet }));
    }
    this.waiting.clear();
  }

  /** Begins with a new transport; what was asked is not answered. */
  restart() {
    this.fail("The run was stopped.", true);
    this.dead = null;
    this.transport = this.open(this);
  }
}

/** A worker that has the engine inside; `wasm` are its bytes, `source` the worker's text. */
function inWorker(wasm, source) {
  return (engine) => {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = ({ data }) => engine.heard(data.id, data);
    worker.onerror = (event) => {
      event.preventDefault();
      engine.fail(`The engine's worker has stopped: ${event.message ?? "it could not be begun"}`);
    };
    worker.postMessage({ id: 0, wasm });
    return {
      send: (id, request, bytes) => worker.postMessage({ id, request, bytes }),
      end: () => worker.terminate(),
    };
  };
}

/** The program that serves the page of this number; `number` tells apart the sessions of one page. */
function overHttp(page, number) {
  return (engine) => {
    let chain = Promise.resolve();
    const abort = new AbortController();
    const send = async (id, request, bytes) => {
      const text = new TextEncoder().encode(JSON.stringify(request));
      const head = new Uint8Array(4);
      new DataView(head.buffer).setUint32(0, text.length, true);
      try {
        const response = await fetch(`/session/${page}/${number}`, { method: "POST", body: new Blob([head, text, bytes ?? ""]), signal: abort.signal });
        if (!response.ok) throw new Error(await response.text());
        const took = Number(response.headers.get("x-took") ?? 0);
        engine.heard(id, { answer: await response.arrayBuffer(), took });
      } catch (error) {
        if (!abort.signal.aborted) engine.fail(`The program does not answer (${error.message}). Is \`seidel view\` still running?`);
      }
    };
    return {
      send: (id, request, bytes) => (chain = chain.then(() => send(id, request, bytes))),
      end: () => abort.abort(),
    };
  };
}
