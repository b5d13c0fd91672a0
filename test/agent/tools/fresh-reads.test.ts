/** A file that somebody else changed since it was read is said to be changed, by its content and never by a time (S1.12). */
import { expect, test } from 'vitest';
import { withChangeNotes } from '../../../src/agent/tools/fresh-reads.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { createLog } from '../../support/transcripts.ts';

const { signal } = new AbortController();
const NOTE = '\nNote: a.md was modified externally.';

function disk(earlier: readonly Entry[] = []) {
  const now = { text: 'one', written: 'written', fails: false };
  const host = withChangeNotes(
    {
      definitions: [],
      call: async (name, { view_range: range }) => {
        if (name !== 'read' && !now.fails) now.text = now.written;
        const [from, to] = Array.isArray(range) ? (range as [number, number]) : [1, 99];
        const text = now.text.split(' ').slice(from - 1, to);
        return { content: name === 'read' ? text.join(' ') : 'ok', is_error: now.fails };
      },
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
    now.written = 'three';
    expect((await write(name)).content).toBe('ok');
    expect(await read()).toBe('three');
    expect(await read({ view_range: [1, 2] })).toBe('three');
    now.text = 'four';
    expect((await write(name)).content).toBe(`ok${NOTE}`);
  },
);

test('S1.12: a change in what was read is seen by another part of the file and before an edit; a failed read says nothing', async () => {
  const { now, read, write } = disk();
  now.text = 'one two three';
  await read({ view_range: [1, 2] });
  now.text = 'one two four';
  expect(await read({ view_range: [3, 3] })).toBe('four');
  now.text = 'one 2 four';
  expect(await read({ view_range: [3, 3] })).toBe(`four${NOTE}`);
  expect(await read()).toBe('one 2 four');
  now.text = 'one 2 five';
  expect((await write('edit')).content).toBe(`ok${NOTE}`);
  expect(await read()).toBe('written');
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
