/** A conversation that goes on holds money for what the provider has counted and for the bytes that are new. */
import { describe, expect, test } from 'vitest';
import { createInputBound, type InputBound } from '../../../src/pipeline/spending/input-bound.ts';
import { omitUndefined } from '../../../src/omit-undefined.ts';
import { createPaidModel } from '../../../src/pipeline/spending/paid-model.ts';
import type { Model, ModelRequest, ModelResponse } from '../../../src/ports/model.ts';
import type { Spending } from '../../../src/ports/run-store.ts';
import { NO_USAGE } from '../../../src/transcript/message.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });
const LONG = 'word '.repeat(20_000);
const first: ModelRequest = {
  model: 'm',
  system: [text('You are Init.')],
  tools: [],
  messages: [{ role: 'user', content: [text(LONG)] }],
  max_tokens: 1000,
};
const counted = {
  ...NO_USAGE,
  input_tokens: 4_000,
  cache_creation_input_tokens: 10_000,
  cache_read_input_tokens: 6_000,
};
const answer = { role: 'assistant' as const, content: [text('Yes.')] };
const next: ModelRequest = {
  ...first,
  messages: [...first.messages, answer, { role: 'user', content: [text('Go on.')] }],
};

describe('what a request can have at most', () => {
  const boundAfter = (request: ModelRequest, usage = counted): ((of: ModelRequest) => number | undefined) => {
    const bound = createInputBound();
    bound.counted(request, usage);
    return bound.atMost;
  };

  test('what was counted, and no token shorter than a byte of what is new', () => {
    const added = JSON.stringify(next.messages[1]).length + JSON.stringify(next.messages[2]).length;
    expect(boundAfter(first)(next)).toBe(20_000 + added + 200);
  });

  test('a cache mark that moves changes nothing', () => {
    const mark = { type: 'ephemeral' as const };
    const marked = {
      ...first,
      messages: [{ role: 'user' as const, content: [{ ...text(LONG), cache_control: mark }] }],
    };
    expect(boundAfter(marked)(next)).toBe(boundAfter(first)(next));
  });

  test.each([
    ['other words in the middle', { ...next, messages: next.messages.with(0, { role: 'user', content: [text('!')] }) }],
    ['a shorter conversation', { ...first, messages: [] }],
    ['another system prompt', { ...next, system: [text('You are Execute.')] }],
    ['another tool', { ...next, tools: [{ name: 't', description: '', input_schema: { type: 'object' } }] }],
    ['another model', { ...next, model: 'other' }],
    ['a compaction', { ...next, compaction: { type: 'summarize' } }],
  ] as [string, ModelRequest][])('%s: nothing is known', (_title, request) => {
    expect(boundAfter(first)(request)).toBeUndefined();
  });

  test('an answer without counts, and a compaction, say nothing', () => {
    expect(boundAfter(first, NO_USAGE)(next)).toBeUndefined();
    expect(
      boundAfter({ ...first, compaction: { type: 'summarize' } })({ ...next, compaction: { type: 'summarize' } }),
    ).toBeUndefined();
  });
});

test.each([
  [0, 20_000],
  [5 * 60_000, undefined],
  [Number.NaN, undefined],
])('what was counted %d ms ago is surely in the cache: %s tokens', (ago, tokens) => {
  const bound = createInputBound();
  const at = new Date(Date.now() - ago);
  bound.counted(first, counted, Number.isNaN(ago) ? undefined : at.toISOString());
  expect(bound.continues(next)).toBe(tokens);
  expect(bound.atMost(next), 'the bytes bound it however long ago').toBeGreaterThan(20_000);
});

test('the second call of a conversation holds a fraction of the first, and a step that is tried again does, too', async () => {
  const stored = new Map<string, unknown>();
  const held: number[] = [];
  const response: ModelResponse = {
    id: 'a',
    model: 'm',
    content: [text('Yes.')],
    stopReason: 'end_turn',
    usage: counted,
  };
  const spending = {
    reserve: async ({ worstUsd }: { worstUsd: number }) => (held.push(worstUsd), { nth: 0, usd: worstUsd }),
    settle: async () => 0,
    list: async () => [],
  } as unknown as Spending;
  const open = (bound?: InputBound): Model =>
    createPaidModel({
      ...omitUndefined({ bound }),
      model: { call: async () => response },
      facts: { window: 1_000_000, price: { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 } } as never,
      attempt: {
        step: 'design.r1',
        recall: async (name) => stored.get(name),
        remember: async (name, value) => void stored.set(name, value),
      },
      spending,
      capUsd: 5,
      agent: 'init',
      lane: 'init',
      onPaid: () => undefined,
    });
  const { signal } = new AbortController();
  const model = open();
  await model.call(first, signal);
  await model.call(next, signal);
  const [whole = 0, less = 0] = held;
  // 100,000 bytes are 20,000 tokens here.
  expect(whole).toBeGreaterThan(0.5);
  expect(less).toBeLessThan(0.15);
  stored.delete('init.0002');
  const again = open();
  await again.call(first, signal);
  await again.call(next, signal);
  expect(held).toEqual([whole, less, less]);
  // A turn after it begins with what the turn before has learnt.
  const bound = createInputBound();
  stored.clear();
  await open(bound).call(first, signal);
  stored.clear();
  await open(bound).call(next, signal);
  expect(held.slice(3)).toEqual([whole, less]);
});
