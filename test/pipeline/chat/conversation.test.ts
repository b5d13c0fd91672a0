/** What a question stands on: Init's conversation up to the design in question, and nothing of what came after. */
import { describe, expect, test } from 'vitest';
import { renumberAfter, openChatConversation } from '../../../src/pipeline/chat/conversation.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import type { Entry } from '../../../src/transcript/entry.ts';

const usage = { input_tokens: 9, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function said(id: number, step: string, lane = 'main', origin: 'harness' | 'model' = 'harness'): Entry {
  const text = { type: 'text' as const, text: `${step} ${id}` };
  const base = {
    version: 1 as const,
    id: `e${id}`,
    parents: id === 1 ? [] : id === 4 ? ['e2', 'e3'] : [`e${id - 1}`],
    lane,
    step,
  };
  if (origin === 'harness') return { ...base, type: 'message', origin, message: { role: 'user', content: [text] } };
  const thinking = { type: 'thinking' as const, thinking: '', signature: 'bound' };
  const response = { model: 'm', stopReason: 'end_turn' as const, usage, view: 'epoch' };
  return { ...base, type: 'message', origin, message: { role: 'assistant', content: [thinking, text] }, response };
}

const INIT = [
  said(1, 'design.r1'),
  said(2, 'design.r1', 'main', 'model'),
  said(3, 'design.r1', 'subagent-1'),
  said(4, 'design.r2'),
  said(5, 'design.r2', 'main', 'model'),
];

function runWith(chat: readonly Entry[]): RunFolder {
  const transcripts = {
    read: async (agent: string) => (agent === 'init' ? INIT : [...chat]),
    publish: async () => undefined,
  };
  // Nothing else of the run is touched.
  return { transcripts } as unknown as RunFolder;
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);

describe('the fork', () => {
  test('ends with the step that made the design, and leaves sub-agents out', async () => {
    expect(idsOf((await openChatConversation(runWith([]), 1, { fresh: false })).session.entries)).toEqual(['e1', 'e2']);
    expect(idsOf((await openChatConversation(runWith([]), 2, { fresh: false })).session.entries)).toEqual([
      'e1',
      'e2',
      'e4',
      'e5',
    ]);
  });

  test('holds no thinking and no measure of another conversation', async () => {
    const { session } = await openChatConversation(runWith([said(6, 'chat.r1', 'r1', 'model')]), 1, { fresh: false });
    expect(JSON.stringify(session.entries)).not.toMatch(/thinking|epoch/);
    expect(INIT[1]).toHaveProperty('response');
  });

  test('goes on in the newest conversation of its round, or begins another', async () => {
    const chat = [said(6, 'chat.r1', 'r1'), said(7, 'chat.r2', 'r2'), said(8, 'chat.r1', 'r1-2')];
    expect((await openChatConversation(runWith(chat), 1, { fresh: false })).lane).toBe('r1-2');
    expect((await openChatConversation(runWith(chat), 2, { fresh: false })).lane).toBe('r2');
    const { lane, session } = await openChatConversation(runWith(chat), 1, { fresh: true });
    expect([lane, idsOf(session.entries)]).toEqual(['r1-3', ['e1', 'e2']]);
    expect((await openChatConversation(runWith([]), 1, { fresh: true })).lane).toBe('r1');
  });

  test('numbers on from everything that the transcript holds, and writes to nothing but what it gives back', async () => {
    const { session, appended } = await openChatConversation(runWith([said(9, 'chat.r2', 'r2')]), 1, { fresh: false });
    await session.append({
      type: 'message',
      origin: 'human',
      message: { role: 'user', content: [{ type: 'text', text: 'why' }] },
    });
    expect(appended).toMatchObject([{ id: 'e10', lane: 'r1', parents: ['e2'] }]);
  });
});

test('entries move behind those that were written meanwhile, with all that points at them', () => {
  const entries = [said(6, 'chat.r1', 'r1'), said(7, 'chat.r1', 'r1', 'model')];
  expect(renumberAfter(entries, 5)).toEqual(entries);
  expect(renumberAfter(entries, 8).map(({ id, parents }) => [id, parents])).toEqual([
    ['e9', ['e5']],
    ['e10', ['e9']],
  ]);
});

test('a compaction that moves names what it covers, keeps, drops and points at by the new ids, and so does usage', () => {
  const compaction = {
    ...{ version: 1, id: 'e8', parents: ['e7'], lane: 'r1', step: 'chat.r1', type: 'compaction', shortened: {} },
    ...{ request: 'r', summary: 's', bridge: 'b', coversThrough: 'e3', keepsFrom: 'e6', left: ['e4', 'e7'] },
    pointers: { e2: 'old', e6: 'new' },
    receipt: {
      ...{ reason: 'threshold', tokensBefore: 2, tokensAfter: 1, stepsSummarised: 1, stepsKept: 1, decisions: [] },
      cacheTokensLost: 0,
    },
  } satisfies Entry;
  const answer = said(9, 'chat.r1', 'r1', 'model');
  if (answer.type !== 'message' || answer.response === undefined) throw new Error('no answer');
  answer.response.view = 'e8';
  const entries = [said(6, 'chat.r1', 'r1'), said(7, 'chat.r1', 'r1', 'model'), compaction, answer];
  const moved = renumberAfter(entries, 15);
  expect(moved[2]).toMatchObject({ id: 'e18', coversThrough: 'e3', keepsFrom: 'e16', left: ['e4', 'e17'] });
  expect(moved[2]).toMatchObject({ pointers: { e2: 'old', e16: 'new' } });
  expect(moved[3]).toMatchObject({ response: { view: 'e18' } });
});
