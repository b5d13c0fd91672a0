/** Runs that have ended are told to memory, and agents are told of them (S3.12, S4.2). */
import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openSqliteMemory } from '../../../src/adapters/memory/sqlite-memory.ts';
import type { LoadedAgent } from '../../../src/agent/definition.ts';
import { HarnessError } from '../../../src/errors.ts';
import { indexRun, indexScenario, createRecall, toMemoryItems } from '../../../src/pipeline/sessions/index-sessions.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import type { Memory } from '../../../src/ports/memory.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { LIFE, put, runsIn, talk } from '../../support/sessions.ts';
import { scratch } from '../../support/scratch.ts';

/** Closed by each of its users, and still there for the next. */
const openKeptMemory = async () => ({ ...(await openSqliteMemory(':memory:')), close: () => Promise.resolve() });

const { signal } = new AbortController();
const where = { run: 'r', agent: 'init', outcome: 'rejected' };

function entry(more: Partial<Entry> & { type: Entry['type'] }): Entry {
  return { ...talk([{ human: 'x' }])[0], ...more } as Entry;
}

describe('what a session leaves (S3.12)', () => {
  test('people’s words, closing answers and summaries reach later runs; the rest reaches this conversation', () => {
    const [task, human, answer] = talk([{ harness: 'build' }, { human: 'no cash' }, { model: 'done' }]);
    const closing = { ...answer, response: { stopReason: 'end_turn' } } as Entry;
    const levels = (entries: (Entry | undefined)[]) =>
      toMemoryItems(
        entries.flatMap((one) => one ?? []),
        where,
      ).map(({ level, text }) => [level, text]);
    expect(levels([task, human, answer])).toEqual([
      ['conversation', 'build'],
      ['session', 'no cash'],
      ['conversation', 'done'],
    ]);
    expect(levels([closing])).toEqual([['session', 'done']]);
    expect(levels([entry({ lane: 'subagent-0a0b0c0d' } as never)])).toEqual([['task', 'x']]);
    const summary = '<compact_summary>{"state":"half way","facts":["R4 [#e3]",{"deep":"x"}],"n":1}</compact_summary>';
    expect(levels([entry({ type: 'compaction', summary } as never)])).toEqual([['session', 'half way; R4 [#e3]; x']]);
    expect(levels([entry({ type: 'compaction', summary: 'plain words' } as never)])).toEqual([
      ['session', 'plain words'],
    ]);
  });

  test('what the harness put beside the conversation is no memory: memory would feed on itself', () => {
    const beside = ['memory', 'recap', 'ephemeral'].map((item) => entry({ item } as never));
    expect(toMemoryItems([...beside, entry({ type: 'layer', name: 'l', text: 'law' } as never)], where)).toEqual([]);
  });

  test('tool results are found by their beginning, calls and thinking not at all', () => {
    const content = [
      { type: 'thinking', thinking: 'secret', signature: 's' },
      { type: 'tool_use', id: 't', name: 'read', input: { file_path: 'hidden.md' } },
      { type: 'tool_result', tool_use_id: 't', content: `seen ${'x'.repeat(9000)}` },
    ];
    const [item] = toMemoryItems([entry({ message: { role: 'user', content } } as never)], where);
    expect(item?.text).toMatch(/^seen x+$/);
    expect(item?.text.length).toBe(4000);
  });
});

async function project() {
  const dir = await scratch();
  const runs = runsIn(dir);
  const done = await runs.make('done-1', LIFE.done());
  await done.transcripts.publish('init', talk([{ harness: 'design' }, { human: 'gift cards are never paid in cash' }]));
  const gated = await runs.make('gated-1', LIFE.gated());
  await gated.transcripts.publish('init', talk([{ human: 'gift cards again' }]));
  return { ...runs, done, gated, memory: await openKeptMemory() };
}

describe('indexing (S3.12)', () => {
  test('takes runs that have ended, once; a run that may go on is left out', async () => {
    const { deps, memory, gated } = await project();
    expect(await indexScenario('refund-desk', memory, deps)).toEqual({
      runs: 1,
      items: 2,
      forgotten: [],
      unreadable: [],
    });
    expect(await memory.runs()).toEqual(['done-1']);
    expect((await indexScenario('refund-desk', memory, deps)).runs).toBe(0);
    expect(await indexRun(gated, memory)).toBe(0);
  });

  test('a run whose folder is gone is forgotten; one that cannot be read is told of', async () => {
    const { deps, memory, done, make } = await project();
    const broken = await make('broken-1', LIFE.done());
    await put(broken, 'transcripts/init.jsonl', 'nonsense\n');
    const first = await indexScenario('refund-desk', memory, deps);
    expect(first.unreadable).toMatchObject([{ run: 'broken-1', why: expect.stringContaining('init.jsonl line 1') }]);
    await rm(done.dir, { recursive: true });
    expect((await indexScenario('refund-desk', memory, deps)).forgotten).toEqual(['done-1']);
    expect(await memory.search({ text: 'gift', limit: 5 })).toEqual([]);
    expect((await indexScenario('other', memory, deps)).runs).toBe(0);
  });
});

describe('an agent with memory (S3.12, S4.2)', () => {
  const agent = (memory?: object) => ({ definition: { name: 'init', memory } }) as unknown as LoadedAgent;
  const wanted = { limit: 5, tokens: 1000, level: 'session' };

  async function recalling(memoryOf: (() => Promise<Memory>) | undefined, memory: Memory, run = 'new-1') {
    const { deps, make } = await project();
    const kept = new Map<string, unknown>();
    const notices: string[] = [];
    const attempt = {
      recall: async (name: string) => kept.get(name),
      remember: async (name: string, value: unknown) => void kept.set(name, value),
    };
    const all = {
      ...deps,
      ...(memoryOf === undefined ? {} : { memoryOf }),
      progress: (event: { detail?: string }) => notices.push(event.detail ?? ''),
    };
    const making = { run: await make(run, LIFE.live()), attempt: attempt as never, deps: all as unknown as Deps };
    return { recall: createRecall(agent(wanted), making), making, notices, memory };
  }

  test('is told what earlier runs left, each with where it stands and how its run ended', async () => {
    const memory = await openKeptMemory();
    const { recall } = await recalling(async () => memory, memory);
    expect(await recall?.('a scenario about gift cards', 5, signal)).toEqual([
      'run done-1 (rejected), init e2: gift cards are never paid in cash',
    ]);
  });

  test('is told the same when the step is tried again, whatever was added meanwhile', async () => {
    const memory = await openKeptMemory();
    const { recall } = await recalling(async () => memory, memory);
    const first = await recall?.('gift cards', 5, signal);
    await memory.remember([
      {
        run: 'done-1',
        agent: 'init',
        lane: 'main',
        entry: 'e9',
        level: 'session',
        outcome: 'failed',
        text: 'gift cards gift cards',
      },
    ]);
    expect(await recall?.('gift cards', 5, signal)).toEqual(first);
    expect(await recall?.('gift cards!', 5, signal)).toHaveLength(2);
  });

  test('is never told of its own run, nor more than the limit, nor the same twice; a citation in a memory is none here', async () => {
    const memory = await openKeptMemory();
    const said = (run: string, entry: string, text: string) => ({
      run,
      agent: 'init',
      lane: 'main',
      entry,
      level: 'session' as const,
      outcome: 'failed',
      text,
    });
    const { recall } = await recalling(async () => ({ ...memory, forget: async () => 0 }), memory);
    await memory.remember([
      said('new-1', 'e1', 'gift gift gift'),
      ...[2, 3, 4, 5].map((n) => said('old', `e${n}`, `gift ${n} [#e7]`)),
      said('old', 'e6', 'gift 2 [#e7]'),
    ]);
    const lines = (await recall?.('gift', 3, signal)) ?? [];
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toMatch(/new-1|\[#/);
    expect(await recall?.('the gift', 10, signal)).toHaveLength(5);
  });

  test('works without an index that cannot be used, and says so', async () => {
    const broken = () => Promise.reject(new HarnessError('infrastructure', 'the index is broken'));
    const { recall, notices } = await recalling(broken, await openKeptMemory());
    expect(await recall?.('gift', 3, signal)).toEqual([]);
    expect(notices).toEqual(['the index is broken']);
  });

  test('an agent that does not ask for memory has none, and nothing is opened', async () => {
    const opened = () => Promise.reject(new Error('opened'));
    const { making } = await recalling(opened, await openKeptMemory());
    expect(createRecall(agent(), making)).toBeUndefined();
    expect(
      createRecall(agent(wanted), { ...making, deps: { ...making.deps, memoryOf: undefined } as never }),
    ).toBeUndefined();
  });
});
