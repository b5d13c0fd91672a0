/** Sub-agents: a conversation of their own, in the same transcript, on the parent's account (S3.5, S3.11, S4.1). */
import { describe, expect, test } from 'vitest';
import { createAgentConversation, type AgentConversation } from '../../src/agent/agent-conversation.ts';
import { createSubagentTool } from '../../src/agent/tools/subagent.ts';
import { HarnessError } from '../../src/errors.ts';
import { createUserMessage } from '../../src/transcript/message.ts';
import type { Entry } from '../../src/transcript/entry.ts';

const { signal } = new AbortController();

function raise(error: Error): never {
  throw error;
}

async function parent(): Promise<{ session: AgentConversation; written: Entry[] }> {
  const written: Entry[] = [];
  const session = createAgentConversation({
    entries: [],
    step: 's',
    onAppend: async (entry) => void written.push(entry),
  });
  await session.append({ type: 'message', origin: 'harness', message: createUserMessage('the parent’s task') });
  return { session, written };
}

test('sees nothing but its task; only the result comes back, with its context and its loops', async () => {
  const { session, written } = await parent();
  const seen: (readonly Entry[])[] = [];
  const tool = createSubagentTool('d', {
    session,
    mostLoops: 5,
    parallel: false,
    run: async (child, { task, maxLoops }) => {
      await child.append({ type: 'message', origin: 'harness', message: createUserMessage(task) });
      seen.push([...child.entries]);
      await child.append({
        type: 'message',
        origin: 'model',
        message: { role: 'assistant', content: [{ type: 'text', text: 'found' }] },
      });
      return `found within ${maxLoops}`;
    },
  });
  const answer = JSON.parse((await tool.run({ task: 'look it up', max_loops: 3 }, signal)).content) as Record<
    string,
    unknown
  >;
  expect(answer).toEqual({
    ok: true,
    result: 'found within 3',
    context_id: expect.stringMatching(/^subagent-[0-9a-f]{8}$/),
    loops: 1,
  });
  expect(JSON.stringify(seen)).not.toContain('parent’s task');
  expect(session.entries).toHaveLength(1);
  expect(written.map(({ id, lane }) => `${id} ${lane.slice(0, 8)}`)).toEqual(['e1 main', 'e2 subagent', 'e3 subagent']);
  expect(written[1]?.parents).toEqual(['e1']);
  const next = await session.append({ type: 'message', origin: 'reminder', message: createUserMessage('on') });
  expect(next).toMatchObject({ id: 'e4', lane: 'main', parents: ['e1', 'e3'] });
  expect(session.all).toHaveLength(4);
});

test('its name is the same when the step is tried again, and another for the next call', async () => {
  const names: string[] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { session } = await parent();
    const tool = createSubagentTool('d', {
      session,
      mostLoops: 5,
      parallel: false,
      run: async (child) => {
        await child.append({ type: 'message', origin: 'harness', message: createUserMessage('t') });
        names.push(child.lane);
        return 'ok';
      },
    });
    await tool.run({ task: 'one' }, signal);
    await tool.run({ task: 'two' }, signal);
  }
  expect(names[0]).toBe(names[2]);
  expect(names[1]).toBe(names[3]);
  expect(names[0]).not.toBe(names[1]);
});

test('a sub-agent that runs away is an answer, and what it did stays; other failures are not swallowed', async () => {
  const { session } = await parent();
  const failing = (error: Error) =>
    createSubagentTool('d', { session, mostLoops: 5, parallel: false, run: async () => raise(error) });
  const stopped = await failing(new HarnessError('agent_stopped', 'the step limit is reached')).run(
    { task: 't' },
    signal,
  );
  expect(JSON.parse(stopped.content)).toEqual({
    ...{ ok: false, partial: true, why: 'the step limit is reached', result: '', loops: 0 },
    context_id: expect.any(String),
  });
  await expect(failing(new HarnessError('budget_exceeded', 'cap')).run({ task: 't' }, signal)).rejects.toMatchObject({
    code: 'budget_exceeded',
  });
  const many = await failing(new Error('x')).run({ task: 't', max_loops: 99 }, signal);
  expect(many.is_error).toBe(true);
});

test('a session that is opened again holds its own lane only, and goes on behind all of them', async () => {
  const { session } = await parent();
  const child = session.openLane('subagent-00000000');
  await child.append({ type: 'message', origin: 'harness', message: createUserMessage('t') });
  const again = createAgentConversation({ entries: session.all, step: 's2', onAppend: () => Promise.resolve() });
  expect(again.entries.map(({ id }) => id)).toEqual(['e1']);
  expect(await again.append({ type: 'message', origin: 'human', message: createUserMessage('x') })).toMatchObject({
    id: 'e3',
    parents: ['e1'],
  });
});

describe('at its limit (S3.5, S3.11)', () => {
  const working = (texts: readonly string[], end: () => string) =>
    ({
      mostLoops: 5,
      parallel: true,
      run: async (child: AgentConversation) => {
        for (const text of texts)
          await child.append({
            ...{ type: 'message', origin: 'model' },
            message: { role: 'assistant', content: [{ type: 'text', text }] },
          });
        return end();
      },
    }) as const;
  const ask = async (options: ReturnType<typeof working>, max_loops: number) => {
    const { session } = await parent();
    return JSON.parse(
      (await createSubagentTool('d', { session, ...options }).run({ task: 't', max_loops }, signal)).content,
    );
  };

  test('what it has said comes back, and is called partial', async () => {
    const stop = () => raise(new HarnessError('agent_stopped', 'the step limit is reached'));
    expect(await ask(working(['a is wrong', ' ', 'so is b'], stop), 3)).toEqual({
      ...{ ok: false, partial: true, why: 'the step limit is reached', result: 'a is wrong\n\nso is b' },
      ...{ context_id: expect.any(String), loops: 3 },
    });
  });

  test('a result that took the last answer is partial too; one that came before it, or in one answer, is whole', async () => {
    const end = () => 'a and b';
    expect(await ask(working(['a', 'a and b'], end), 2)).toMatchObject({ ok: true, partial: true, result: 'a and b' });
    expect(await ask(working(['a', 'a and b'], end), 3)).not.toHaveProperty('partial');
    expect(await ask(working(['a and b'], end), 1)).not.toHaveProperty('partial');
  });
});

test('several calls of one answer: each lane has its own name and its own ids, the same at every try', async () => {
  const play = async (order: 'first' | 'last') => {
    const { session } = await parent();
    const calls = ['one', 'two'].map((id) => ({ type: 'tool_use' as const, id, name: 'call_subagent', input: {} }));
    await session.append({ type: 'message', origin: 'model', message: { role: 'assistant', content: calls } });
    const first = Promise.withResolvers<undefined>();
    const tool = createSubagentTool('d', {
      ...{ session, mostLoops: 5, parallel: true },
      run: async (child, { task }) => {
        if (task === order) await first.promise;
        await child.append({ type: 'message', origin: 'harness', message: createUserMessage(task) });
        first.resolve(undefined);
        return task;
      },
    });
    await Promise.all(['first', 'last'].map((task) => tool.run({ task }, signal)));
    return session.all.map(({ id, lane, parents }) => ({ id, lane, parents }));
  };
  const lanes = await play('first');
  expect(await play('last')).toEqual(lanes);
  expect(lanes.slice(2)).toMatchObject([
    { id: 'e3', parents: ['e2'] },
    { id: 'e4', parents: ['e2'] },
  ]);
  expect(new Set(lanes.map(({ lane }) => lane)).size).toBe(3);
});
