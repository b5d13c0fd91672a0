/** A file that somebody else changed since it was read is said to be changed, by its content and never by a time (S1.12). */
import { expect, test } from 'vitest';
import { freshReads } from '../../../src/agent/tools/fresh-reads.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { createLog } from '../../support/transcripts.ts';

const { signal } = new AbortController();
const NOTE = '\nNote: a.md was modified externally.';

function disk(earlier: readonly Entry[] = []) {
  const now = { text: 'one', fails: false };
  const host = freshReads(
    {
      definitions: [],
      call: async (name) => ({ content: name === 'read' ? now.text : 'ok', is_error: now.fails }),
    },
    earlier,
  );
  const read = async (more: Record<string, unknown> = {}) =>
    (await host.call('read', { file_path: 'a.md', ...more }, signal)).content;
  return { now, read, write: async (name = 'write') => host.call(name, { file_path: 'a.md' }, signal) };
}

test('S1.12: read again after a change from outside, a file says so once; unchanged, or changed back, it says what is so', async () => {
  const { now, read } = disk();
  expect(await read()).toBe('one');
  expect(await read()).toBe('one');
  now.text = 'two';
  expect(await read()).toBe(`two${NOTE}`);
  expect(await read()).toBe('two');
  now.text = 'one';
  expect(await read()).toBe(`one${NOTE}`);
});

test.each(['write', 'edit', 'multi_edit'])(
  'S1.12: what the agent wrote by %s itself is no change from outside',
  async (name) => {
    const { now, read, write } = disk();
    await read();
    await read({ view_range: [1, 2] });
    await write(name);
    now.text = 'three';
    expect(await read()).toBe('three');
    expect(await read({ view_range: [1, 2] })).toBe('three');
  },
);

test('S1.12: another part of a file is another read, and a failed one says nothing', async () => {
  const { now, read } = disk();
  await read();
  now.text = 'a part';
  expect(await read({ view_range: [1, 2] })).toBe('a part');
  now.fails = true;
  now.text = 'gone';
  expect(await read()).toBe('gone');
});

test('S1.12: what was read in an earlier turn counts, whatever has left the view since', async () => {
  const log = createLog();
  log.step([{ tool: 'read', input: { file_path: 'a.md' }, result: `zero${NOTE}` }]);
  expect(await disk(log.entries).read()).toBe(`one${NOTE}`);
  log.step([{ tool: 'read', input: { file_path: 'a.md' }, result: `one${NOTE}` }]);
  expect(await disk(log.entries).read()).toBe('one');
  log.step([{ tool: 'edit', input: { file_path: 'a.md' }, result: 'ok' }]);
  expect(await disk(log.entries).read()).toBe('one');
});
