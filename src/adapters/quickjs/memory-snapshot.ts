/** Saves and restores the memory of a WebAssembly engine. */

type Memory = { readonly buffer: ArrayBuffer };

const CHUNK = 64 * 1024;
/**
 * So many empty chunks in a row mark the end of what was written, upwards in the heap and downwards in the stack. QuickJS limits
 * its stack to as much, and the allocator clears what lies behind before use.
 */
const EMPTY_CHUNKS = 8;
const ZEROS = Buffer.alloc(CHUNK);

type SavedChunk = readonly [at: number, bytes: Uint8Array];

export type MemorySnapshot = {
  restore: () => void;
  /**
   * What the memory holds now, beside what this snapshot holds, whose equal chunks it shares. Undefined when more than
   * so many chunks differ: to keep them would take more than to make them again.
   */
  takeNext: (mostChunks: number) => MemorySnapshot | undefined;
};

/**
 * Must be taken and restored between two calls into the engine, when its stack is empty. Empty chunks, which are most
 * of the memory, are neither stored nor written, so that the system need not allocate them.
 */
export function takeSnapshot(memory: Memory): MemorySnapshot {
  const bytes = Buffer.from(memory.buffer);
  const saved: SavedChunk[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) if (!isEmpty(bytes, at)) saved.push(copyChunk(bytes, at));
  return createSnapshot(memory, saved);
}

function createSnapshot(memory: Memory, saved: readonly SavedChunk[]): MemorySnapshot {
  /** Empty stretches below what is saved, from their end: a stack grows down into them. */
  const gaps: Stretch[] = [];
  let end = 0;
  for (const [at] of saved) {
    if (at > end) gaps.push({ from: at - CHUNK, step: -CHUNK, limit: end - CHUNK });
    end = at + CHUNK;
  }
  /** Places of chunks that were empty when this was taken. */
  const listWritten = (now: Buffer): number[] =>
    [...gaps, { from: end, step: CHUNK, limit: now.length }].flatMap((stretch) => listFullChunks(now, stretch));
  return {
    restore() {
      const now = Buffer.from(memory.buffer);
      for (const [at, bytes] of saved) now.set(bytes, at);
      for (const at of listWritten(now)) now.fill(0, at, at + CHUNK);
    },
    takeNext(mostChunks) {
      const now = Buffer.from(memory.buffer);
      const written = listWritten(now).map((at) => copyChunk(now, at));
      const next = saved.map((one): SavedChunk => (holdsChunk(now, one) ? one : copyChunk(now, one[0])));
      const differing = next.filter((one, index) => one !== saved[index]).length + written.length;
      if (differing > mostChunks) return undefined;
      return createSnapshot(
        memory,
        [...next, ...written].toSorted(([one], [other]) => one - other),
      );
    },
  };
}

type Stretch = { from: number; step: number; limit: number };

function listFullChunks(bytes: Buffer, { from, step, limit }: Stretch): number[] {
  const full: number[] = [];
  let empty = 0;
  for (let at = from; at !== limit && empty < EMPTY_CHUNKS; at += step) {
    empty = isEmpty(bytes, at) ? empty + 1 : 0;
    if (empty === 0) full.push(at);
  }
  return full;
}

function copyChunk(bytes: Buffer, at: number): SavedChunk {
  return [at, Uint8Array.from(bytes.subarray(at, at + CHUNK))];
}

function holdsChunk(bytes: Buffer, [at, chunk]: SavedChunk): boolean {
  return bytes.compare(chunk, 0, CHUNK, at, at + CHUNK) === 0;
}

function isEmpty(bytes: Buffer, at: number): boolean {
  return ZEROS.compare(bytes, at, at + CHUNK) === 0;
}
