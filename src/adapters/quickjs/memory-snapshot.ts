/** Saves and restores the memory of a WebAssembly engine. */

type Memory = { readonly buffer: ArrayBuffer };

const CHUNK = 64 * 1024;
/** So many empty chunks in a row mark the end of allocated memory; the allocator clears what lies behind before use. */
const EMPTY_CHUNKS = 16;
const ZEROS = Buffer.alloc(CHUNK);

/**
 * Must be taken and restored between two calls into the engine, when its stack is empty. Empty chunks, which are most
 * of the memory, are neither stored nor written, so that the system need not allocate them.
 */
export function takeSnapshot(memory: Memory): { restore: () => void } {
  const saved = new Map<number, Uint8Array>();
  let end = 0;
  for (let at = 0; at < memory.buffer.byteLength; at += CHUNK) {
    if (isEmpty(memory, at)) continue;
    end = at + CHUNK;
    saved.set(at, new Uint8Array(memory.buffer.slice(at, end)));
  }
  return {
    restore() {
      const now = new Uint8Array(memory.buffer);
      let written = end;
      for (let at = 0; at < now.length && at < written + EMPTY_CHUNKS * CHUNK; at += CHUNK) {
        const chunk = saved.get(at);
        const isDirty = chunk === undefined && !isEmpty(memory, at);
        if (chunk !== undefined) now.set(chunk, at);
        if (isDirty) now.fill(0, at, at + CHUNK);
        if (isDirty && at >= written) written = at + CHUNK;
      }
    },
  };
}

function isEmpty({ buffer }: Memory, at: number): boolean {
  const size = Math.min(CHUNK, buffer.byteLength - at);
  return ZEROS.compare(Buffer.from(buffer, at, size), 0, size) === 0;
}
