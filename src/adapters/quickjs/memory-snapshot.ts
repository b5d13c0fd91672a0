/** Saves and restores the memory of a WebAssembly engine. */

type Memory = { readonly buffer: ArrayBuffer };

const CHUNK = 64 * 1024;
/**
 * So many empty chunks in a row mark the end of what was written, upwards in the heap and downwards in the stack. QuickJS limits
 * its stack to as much, and the allocator clears what lies behind before use.
 */
const EMPTY_CHUNKS = 8;
const ZEROS = Buffer.alloc(CHUNK);

export type SavedChunk = readonly [at: number, bytes: Uint8Array];

/** `listChanges` copies the chunks that differ from the snapshot; with them, `restore` makes the memory of that moment. */
export type MemorySnapshot = { restore: (changes?: readonly SavedChunk[]) => void; listChanges: () => SavedChunk[] };

/**
 * Must be taken and restored between two calls into the engine, when its stack is empty. Empty chunks, which are most
 * of the memory, are neither stored nor written, so that the system need not allocate them.
 */
export function takeSnapshot(memory: Memory): MemorySnapshot {
  const saved: SavedChunk[] = [];
  /** Empty stretches below what is saved, from their end: a stack grows down into them. */
  const gaps: { from: number; limit: number }[] = [];
  const before = Buffer.from(memory.buffer);
  let end = 0;
  for (let at = 0; at < before.length; at += CHUNK) {
    if (isEmpty(before, at)) continue;
    if (at > end) gaps.push({ from: at - CHUNK, limit: end - CHUNK });
    end = at + CHUNK;
    saved.push([at, new Uint8Array(memory.buffer.slice(at, end))]);
  }
  const listWritten = (now: Buffer): number[] => [
    ...gaps.flatMap(({ from, limit }) => listFullChunks(now, from, { step: -CHUNK, limit })),
    ...listFullChunks(now, end, { step: CHUNK, limit: now.length }),
  ];
  return {
    restore(changes = []) {
      const now = Buffer.from(memory.buffer);
      for (const at of listWritten(now)) now.fill(0, at, at + CHUNK);
      for (const [at, bytes] of [...saved, ...changes]) now.set(bytes, at);
    },
    listChanges() {
      const now = Buffer.from(memory.buffer);
      const changed = saved.filter(([at, bytes]) => now.compare(bytes, 0, CHUNK, at, at + CHUNK) !== 0);
      const places = [...changed.map(([at]) => at), ...listWritten(now)];
      return places.map((at): SavedChunk => [at, Uint8Array.from(now.subarray(at, at + CHUNK))]);
    },
  };
}

function listFullChunks(bytes: Buffer, from: number, { step, limit }: { step: number; limit: number }): number[] {
  const full: number[] = [];
  let empty = 0;
  for (let at = from; at !== limit && empty < EMPTY_CHUNKS; at += step) {
    empty = isEmpty(bytes, at) ? empty + 1 : 0;
    if (empty === 0) full.push(at);
  }
  return full;
}

function isEmpty(bytes: Buffer, at: number): boolean {
  return ZEROS.compare(bytes, at, at + CHUNK) === 0;
}
