/** What the budget of a turn is, before and after compactions, and when a model without a countdown is told what is left. */
import { describe, expect, test } from 'vitest';
import { listBudgetNotes, readTaskBudget } from '../../src/agent/compaction/request-fitter.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';

const TOTAL = 40_000;
const agent = { definition: { task_budget: TOTAL }, prompts: { budget: '{{left}} of {{total}}' } };
const model = { id: 'm', window: 200_000, maxOutput: 16_000, boundThinking: false };
const counts = { ...model, taskBudget: true };

/** A turn opens with a task; each step is an answer that was billed, and a result of so many words. */
function createTurn() {
  const entries: Entry[] = [];
  const push = (entry: object) =>
    void entries.push({
      version: 1,
      id: `e${entries.length + 1}`,
      parents: [],
      lane: 'main',
      ...entry,
    } as unknown as Entry);
  const text = (words: string) => [{ type: 'text' as const, text: words }];
  return {
    entries,
    task: () =>
      push({ type: 'message', origin: 'harness', context: {}, message: { role: 'user', content: text('Go.') } }),
    step: (output: number, words: number) => {
      const usage = {
        output_tokens: output,
        input_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      };
      push({
        type: 'message',
        origin: 'model',
        response: { usage },
        message: { role: 'assistant', content: text('I look.') },
      });
      push({ type: 'message', origin: 'tools', message: { role: 'user', content: text('word '.repeat(words)) } });
    },
    compact: () => push({ type: 'compaction', coversThrough: entries.at(-3)?.id }),
  };
}

const resultTokens = (words: number) =>
  estimateMessages([{ content: [{ type: 'text', text: 'word '.repeat(words) }] }]);

describe('the budget that is sent', () => {
  test('is the same in every request until a compaction, and then says what has left (S0.7)', () => {
    const turn = createTurn();
    turn.task();
    turn.step(500, 100);
    turn.step(700, 100);
    expect(readTaskBudget(turn.entries, agent, counts)).toEqual({ type: 'tokens', total: TOTAL });
    turn.compact();
    const remaining = TOTAL - 500 - resultTokens(100);
    expect(readTaskBudget(turn.entries, agent, counts)).toEqual({ type: 'tokens', total: TOTAL, remaining });
    turn.step(900, 100);
    expect(readTaskBudget(turn.entries, agent, counts)).toEqual({ type: 'tokens', total: TOTAL, remaining });
  });

  test('is never below nothing, and begins anew with the next turn', () => {
    const turn = createTurn();
    turn.task();
    turn.step(50_000, 10);
    turn.step(10, 10);
    turn.compact();
    expect(readTaskBudget(turn.entries, agent, counts)).toMatchObject({ remaining: 0 });
    turn.task();
    expect(readTaskBudget(turn.entries, agent, counts)).toEqual({ type: 'tokens', total: TOTAL });
  });
});

test('a model without a countdown is told once for each quarter, and a kept note says the same after a restart', () => {
  const turn = createTurn();
  turn.task();
  const said: string[] = [];
  for (let step = 0; step < 50; step += 1) {
    turn.step(900, 20);
    const read = () => listBudgetNotes(turn.entries, agent, model);
    const note = read();
    expect(read()).toEqual(note);
    said.push(...note.map((one) => JSON.stringify(one)));
  }
  expect(said).toHaveLength(4);
  expect(said[0]).toMatch(/"lasts":"call".*[23]\d{4} of 40000|[23]\d{4} of 40000.*"lasts":"call"/);
  expect(said[3]).toContain('0 of 40000');
});

test('an agent without a budget has neither, and a model with a countdown gets no note', () => {
  const turn = createTurn();
  turn.task();
  turn.step(39_000, 20);
  const without = { definition: {}, prompts: agent.prompts };
  expect(readTaskBudget(turn.entries, without, counts)).toBeUndefined();
  expect(listBudgetNotes(turn.entries, without, model)).toEqual([]);
  expect(listBudgetNotes(turn.entries, agent, counts)).toEqual([]);
  expect(readTaskBudget(turn.entries, agent, model)).toBeUndefined();
});
