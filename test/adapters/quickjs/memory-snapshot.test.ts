/** What a stack that grows down and a heap that grows up have written since the snapshot is put back. */
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
  // A stack grows down into what was empty, over pages that it leaves untouched.
  bytes().set([7], 29 * CHUNK + 5);
  bytes().set([7], 22 * CHUNK);
  bytes().set([7], 31 * CHUNK - 1);
  const grown = new ArrayBuffer(60 * CHUNK);
  new Uint8Array(grown).set(bytes());
  memory.buffer = grown;
  bytes().set([8], 38 * CHUNK + 1);
  bytes().set([8], 46 * CHUNK + 1);
  snapshot.restore();
  expect(Buffer.from(memory.buffer, 0, 40 * CHUNK).equals(atStart)).toBe(true);
  expect(
    bytes()
      .subarray(40 * CHUNK)
      .every((byte) => byte === 0),
  ).toBe(true);
});

test('a long empty stretch is not read: it would be most of the time of a call', () => {
  const memory = { buffer: new ArrayBuffer(400 * CHUNK) };
  new Uint8Array(memory.buffer).set([1], 300 * CHUNK);
  const snapshot = takeSnapshot(memory);
  new Uint8Array(memory.buffer).set([7], 100 * CHUNK);
  snapshot.restore();
  expect(new Uint8Array(memory.buffer)[100 * CHUNK]).toBe(7);
});

test('what was written since is copied, and with it the memory of that moment comes back', () => {
  const memory = { buffer: new ArrayBuffer(40 * CHUNK) };
  const bytes = () => new Uint8Array(memory.buffer);
  bytes().set([1], 5);
  bytes().set([9], 30 * CHUNK + 7);
  const snapshot = takeSnapshot(memory);
  bytes().set([2], 5);
  bytes().set([7], 29 * CHUNK);
  bytes().set([8], 32 * CHUNK);
  const then = Buffer.from(memory.buffer.slice(0));
  const changes = snapshot.listChanges();
  expect(changes.map(([at]) => at / CHUNK)).toEqual([0, 29, 32]);
  bytes().set([4, 4, 4], 4);
  bytes().fill(6, 27 * CHUNK, 36 * CHUNK);
  snapshot.restore(changes);
  expect(Buffer.from(memory.buffer).equals(then)).toBe(true);
});
