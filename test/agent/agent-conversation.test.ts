import { expect, test } from 'vitest';
import { createAgentConversation, type AgentConversation } from '../../src/agent/agent-conversation.ts';
import { Entry } from '../../src/transcript/entry.ts';
import { createUserMessage } from '../../src/transcript/message.ts';

test('entries get ids, a parent and the step, and are written before they count (S4.1)', async () => {
  const written: Entry[] = [];
  const session = createAgentConversation({
    entries: [],
    step: 'design.r1',
    onAppend: async (entry) => void written.push(entry),
  });
  await session.append({ type: 'message', origin: 'harness', message: createUserMessage('task') });
  await session.append({ type: 'message', origin: 'reminder', message: createUserMessage('go on') });
  expect(session.entries.map(({ id, parents, lane, step }) => ({ id, parents, lane, step }))).toEqual([
    { id: 'e1', parents: [], lane: 'main', step: 'design.r1' },
    { id: 'e2', parents: ['e1'], lane: 'main', step: 'design.r1' },
  ]);
  expect(written).toEqual(session.entries);
  expect(() => written.map((entry) => Entry.parse(entry))).not.toThrow();
});

test('an entry that could not be written is not in the session', async () => {
  const session = createAgentConversation({
    entries: [],
    step: 's',
    onAppend: () => Promise.reject(new Error('disk full')),
  });
  await expect(session.append({ type: 'message', origin: 'human', message: createUserMessage('x') })).rejects.toThrow(
    'disk full',
  );
  expect(session.entries).toEqual([]);
});

test('ids go on after the newest entry', async () => {
  const first = createAgentConversation({ entries: [], step: 'a', onAppend: () => Promise.resolve() });
  await first.append({ type: 'message', origin: 'human', message: createUserMessage('x') });
  const second = createAgentConversation({ entries: first.entries, step: 'b', onAppend: () => Promise.resolve() });
  expect(await second.append({ type: 'message', origin: 'human', message: createUserMessage('y') })).toMatchObject({
    id: 'e2',
    parents: ['e1'],
    step: 'b',
  });
  expect(first.entries).toHaveLength(1);
});

test('lanes that are written at the same time have ids that do not depend on who is faster (S3.5)', async () => {
  const play = async (order: readonly number[]) => {
    const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
    const say = (where: AgentConversation, text: string) =>
      where.append({ type: 'message', origin: 'harness', message: createUserMessage(text) });
    await say(session, 'task');
    const lanes = [session.openLane('a', 3), session.openLane('b', 3), session.openLane('c', 3)];
    expect(session.opened).toBe(3);
    for (const lane of order) await say(lanes[lane] ?? session, `${lane}`);
    const next = await say(session, 'on');
    expect(session.all.map(({ id }) => Number(id.slice(1)))).toEqual(
      session.all.map(({ id }) => Number(id.slice(1))).toSorted((a, b) => a - b),
    );
    return { all: session.all, next };
  };
  const one = await play([0, 0, 0, 1, 2, 2]);
  expect(await play([2, 1, 0, 2, 0, 0])).toEqual(one);
  expect(one.all.map(({ id, lane }) => `${id} ${lane}`)).toEqual([
    'e1 main',
    'e2 a',
    'e3 b',
    'e4 c',
    'e5 a',
    'e7 c',
    'e8 a',
    'e9 main',
  ]);
  expect(one.next.parents).toEqual(['e1', 'e8', 'e3', 'e7']);
});
