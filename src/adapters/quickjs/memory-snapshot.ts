/** The memory of a WebAssembly engine as it was: what has been written since is put back. */

type Memory = { readonly buffer: ArrayBuffer };

const CHUNK = 64 * 1024;
/** As many empty chunks in a row end what the allocator has ever handed out; what lies behind is cleared by it before use. */
const EMPTY_CHUNKS = 16;
const ZEROS = Buffer.alloc(CHUNK);

/** To be taken and restored between two calls into the engine, when its stack is empty. */
export function snapshotOf(memory: Memory): { restore: () => void } {
  const used = endOfData(memory, 0, Number.POSITIVE_INFINITY);
  const saved = new Uint8Array(memory.buffer.slice(0, used));
  return {
    restore() {
      const now = new Uint8Array(memory.buffer);
      now.set(saved);
      now.fill(0, used, endOfData(memory, used));
    },
  };
}

/** The end of the last chunk from `from` on with anything in it. */
function endOfData({ buffer }: Memory, from: number, emptyChunks = EMPTY_CHUNKS): number {
  let end = from;
  for (let at = from; at < buffer.byteLength && at - end < emptyChunks * CHUNK; at += CHUNK) {
    const size = Math.min(CHUNK, buffer.byteLength - at);
    if (ZEROS.compare(Buffer.from(buffer, at, size), 0, size) !== 0) end = at + size;
  }
  return end;
}
