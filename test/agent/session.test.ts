import { expect, test } from 'vitest';
import { createAgentSession } from '../../src/agent/session.ts';
import { Entry } from '../../src/transcript/entry.ts';
import { userText } from '../../src/transcript/message.ts';

test('entries get ids, a parent and the step, and are written before they count (S4.1)', async () => {
  const written: Entry[] = [];
  const session = createAgentSession({
    entries: [],
    step: 'design.r1',
    onAppend: async (entry) => void written.push(entry),
  });
  await session.append({ type: 'message', origin: 'harness', message: userText('task') });
  await session.append({ type: 'message', origin: 'reminder', message: userText('go on') });
  expect(session.entries.map(({ id, parents, lane, step }) => ({ id, parents, lane, step }))).toEqual([
    { id: 'e1', parents: [], lane: 'main', step: 'design.r1' },
    { id: 'e2', parents: ['e1'], lane: 'main', step: 'design.r1' },
  ]);
  expect(written).toEqual(session.entries);
  expect(() => written.map((entry) => Entry.parse(entry))).not.toThrow();
});

test('an entry that could not be written is not in the session', async () => {
  const session = createAgentSession({
    entries: [],
    step: 's',
    onAppend: () => Promise.reject(new Error('disk full')),
  });
  await expect(session.append({ type: 'message', origin: 'human', message: userText('x') })).rejects.toThrow(
    'disk full',
  );
  expect(session.entries).toEqual([]);
});

test('ids go on after the newest entry', async () => {
  const first = createAgentSession({ entries: [], step: 'a', onAppend: () => Promise.resolve() });
  await first.append({ type: 'message', origin: 'human', message: userText('x') });
  const second = createAgentSession({ entries: first.entries, step: 'b', onAppend: () => Promise.resolve() });
  expect(await second.append({ type: 'message', origin: 'human', message: userText('y') })).toMatchObject({
    id: 'e2',
    parents: ['e1'],
    step: 'b',
  });
  expect(first.entries).toHaveLength(1);
});
