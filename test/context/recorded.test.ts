/** Recorded sessions, ours in the shapes of other harnesses, message by message through the core. */
import { expect, test } from 'vitest';
import { view } from '../../src/context/index.ts';
import { getText } from '../../src/transcript/message.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { FIXTURES, readSession } from '../support/recordings.ts';
import { throughCore } from '../support/replayed.ts';
import { coreWith } from '../support/transcripts.ts';

const coreOf = (window: number) =>
  coreWith(
    { trigger: { ratio: 0.75, tokens: undefined, reserve: 2000 }, keep: { steps: 3, maxTokens: 3000 } },
    { window, maxOutput: 2000, floor: 3000 },
  );

test.each([
  ['claude-code', 32_000],
  ['claude-code-short', 24_000],
] as const)('%s: stays valid and under its limits, keeps its first task', (name, window) => {
  const recorded = readSession(FIXTURES, name).entries;
  const { entries, compactions } = throughCore(recorded, coreOf(window));
  expect(compactions).toBeGreaterThan(1);
  const [first] = recorded;
  expect(getText(view(entries).messages[0] ?? { content: [] })).toContain(
    first && getText(first.message).slice(0, 200),
  );
});

test('the estimate is above what was billed for a short session', () => {
  const { entries } = readSession(FIXTURES, 'claude-code-short');
  const billed = entries.flatMap(({ response }, place) =>
    response === undefined || response.view !== 'e0' ? [] : [{ place, usage: response.usage }],
  );
  expect(billed.length).toBeGreaterThan(10);
  for (const { place, usage } of billed) {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
    const estimated = coreOf(20_000).budget.floor + estimateMessages(view(entries.slice(0, place)).messages);
    expect(estimated).toBeGreaterThan(input_tokens + cache_read_input_tokens + cache_creation_input_tokens);
  }
});
