/** Whatever was written since the snapshot is put back, wherever it lies; what was never written stays untouched. */
import { expect, test } from 'vitest';
import { takeSnapshot } from '../../../src/adapters/quickjs/memory-snapshot.ts';

const CHUNK = 64 * 1024;

test('bytes that were there, empty stretches between them, and memory that was added since', () => {
  const memory = { buffer: new ArrayBuffer(40 * CHUNK) };
  const bytes = () => new Uint8Array(memory.buffer);
  bytes().set([1, 2, 3], 5);
  bytes().set([9], 30 * CHUNK + 7);
  const atStart = Buffer.from(memory.buffer.slice(0));
  const snapshot = takeSnapshot(memory);
  bytes().set([4, 4, 4], 4);
  // A stack grows into what was empty.
  bytes().set([7], 12 * CHUNK);
  bytes().set([7], 31 * CHUNK - 1);
  const grown = new ArrayBuffer(60 * CHUNK);
  new Uint8Array(grown).set(bytes());
  memory.buffer = grown;
  bytes().set([8], 45 * CHUNK + 1);
  bytes().set([8], 58 * CHUNK + 1);
  snapshot.restore();
  expect(Buffer.from(memory.buffer, 0, 40 * CHUNK).equals(atStart)).toBe(true);
  expect(
    bytes()
      .subarray(40 * CHUNK)
      .every((byte) => byte === 0),
  ).toBe(true);
});
