// The engine in a worker: requests in, answers out. Runs alone, as text of the page.

let engine = null;

onmessage = async ({ data: { id, wasm, request, bytes } }) => {
  try {
    if (wasm) {
      engine = (await WebAssembly.instantiate(wasm, {})).exports;
      engine.seidel_begin();
      postMessage({ id, answer: null });
      return;
    }
    const text = new TextEncoder().encode(JSON.stringify(request));
    const more = bytes ? new Uint8Array(bytes) : new Uint8Array(0);
    const at = engine.seidel_request(text.length + more.length);
    // The memory may have grown: its buffer is another one then.
    const memory = new Uint8Array(engine.memory.buffer);
    memory.set(text, at);
    memory.set(more, at + text.length);
    const before = performance.now();
    const length = engine.seidel_answer(text.length);
    const took = performance.now() - before;
    const start = engine.seidel_reply();
    const answer = engine.memory.buffer.slice(start, start + length);
    postMessage({ id, answer, took, memory: engine.memory.buffer.byteLength }, [answer]);
  } catch (error) {
    // After a trap the engine's memory is not to be trusted: the page takes another worker.
    postMessage({ id, trap: lastWords() || String(error?.message ?? error) });
  }
};

/** What the engine said before it stopped. */
function lastWords() {
  try {
    const length = engine.seidel_panic_length();
    return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.seidel_panic(), length));
  } catch {
    return "";
  }
}
