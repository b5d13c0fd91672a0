/** A replay makes every call as the harness would, by the real rules of cache and wire, and says what was forgotten. */
import { describe, expect, test } from 'vitest';
import { CACHE_RULES, createPromptCache } from '../../../src/context-lab/replay/cache.ts';
import { extractFacts, plantedFacts } from '../../../src/context-lab/replay/facts.ts';
import type { ReplayOptions } from '../../../src/context-lab/replay/compact.ts';
import { SUMMARISERS } from '../../../src/context-lab/replay/summariser.ts';
import { replay } from '../../../src/context-lab/replay/replay.ts';
import { createUserMessage, type Message } from '../../../src/transcript/message.ts';
import type { MessageEntry } from '../../../src/transcript/entry.ts';
import { estimateMessages } from '../../../src/transcript/tokens.ts';
import { busyLog, coreWith, createLog } from '../../support/transcripts.ts';

const messagesOf = (log: { entries: readonly unknown[] }) => log.entries as MessageEntry[];
const options = (change: Partial<ReplayOptions> = {}): ReplayOptions => ({
  core: coreWith(),
  rules: { boundThinking: true, prefill: false },
  summariser: SUMMARISERS.perfect,
  facts: [],
  ratio: 1,
  priceOf: (usage) =>
    usage.input_tokens + usage.cache_creation_input_tokens * 1.25 + usage.cache_read_input_tokens * 0.1,
  ...change,
});
/** Some 60 000 tokens in a window that compacts above 20 000; every tenth result holds a fact. */
function longLog() {
  const log = createLog();
  log.human('The goal is FACT-goal-0. Work through all files.');
  for (let n = 1; n <= 30; n += 1)
    log.step(
      [
        {
          input: { file_path: `src/f${n}.ts` },
          result: `${'line of code '.repeat(300)}${n % 10 === 0 ? `FACT-file-${n} ` : ''}${'line of code '.repeat(300)}`,
        },
      ],
      { think: `t${n}` },
    );
  log.says('done');
  return log;
}
const FACTS = ['FACT-goal-0', 'FACT-file-10', 'FACT-file-20', 'FACT-file-30'];

describe('calls', () => {
  test('each recorded answer is one call; what the last call wrote is read, what came since is written', () => {
    const log = longLog();
    const { calls, rewrites } = replay(messagesOf(log), options({ core: coreWith({}, { floor: 5000 }) }));
    expect(calls).toHaveLength(31);
    const [first, second] = calls;
    expect(first?.usage).toMatchObject({ cache_read_input_tokens: 0, input_tokens: 0 });
    expect(second?.usage.cache_read_input_tokens).toBe(first?.usage.cache_creation_input_tokens);
    expect(rewrites.length).toBeGreaterThan(1);
    expect(calls.every(({ fault, staleThinking }) => fault === undefined && staleThinking === 0)).toBe(true);
  });

  test('a call right after a compaction reads system prompt and tools alone; the summary call read everything', () => {
    const { calls, rewrites } = replay(messagesOf(longLog()), options({ core: coreWith({}, { floor: 5000 }) }));
    const after = calls.find(({ rewritten }) => rewritten);
    expect(after?.usage.cache_read_input_tokens).toBe(5000);
    const [summary] = rewrites;
    expect(summary?.usage.cache_read_input_tokens).toBeGreaterThan(15_000);
    expect(summary?.usage.cache_creation_input_tokens).toBeLessThan(4000);
  });

  test('the cost is that of all calls and all summary calls', () => {
    const { calls, rewrites, cost } = replay(messagesOf(longLog()), options());
    const sum = [...calls, ...rewrites].reduce((total, one) => total + one.cost, 0);
    expect(cost).toBeCloseTo(sum);
    expect(rewrites.every((one) => one.cost > 0)).toBe(true);
  });

  test('thinking that stands behind another prefix than its own is counted (T5)', () => {
    const core = coreWith();
    const kept = { ...core, policy: { ...core.policy, thinking: 'drop_block' as const } };
    const { calls } = replay(
      messagesOf(longLog()),
      options({ core: kept, rules: { boundThinking: false, prefill: false } }),
    );
    expect(calls.some(({ staleThinking }) => staleThinking > 0)).toBe(true);
  });

  test('a summary call that is refused leaves the next request an extension of the last', () => {
    const { calls, rewrites } = replay(messagesOf(longLog()), options({ summariser: SUMMARISERS.empty }));
    const refused = rewrites.filter(({ entry }) => entry === undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(calls.filter(({ rewritten }) => rewritten)).toHaveLength(rewrites.length - refused.length);
  });

  test('neither the recording nor its order of entries is changed', () => {
    const log = longLog();
    const before = JSON.stringify(log.entries);
    const first = replay(messagesOf(log), options());
    expect(JSON.stringify(log.entries)).toBe(before);
    expect(replay(messagesOf(log), options())).toEqual(first);
  });

  test('a window too small for the policy is said, not thrown (T1)', () => {
    const { stopped, calls } = replay(messagesOf(longLog()), options({ core: coreWith({}, { window: 8000 }) }));
    expect(stopped).toMatchObject({ code: 'context_overflow' });
    expect(calls).toEqual([]);
  });
});

describe('facts', () => {
  const facts = (log: ReturnType<typeof longLog>) => plantedFacts(messagesOf(log), FACTS);

  test('with a summary that forgets nothing, nothing is lost in any number of rounds (T15)', () => {
    const log = longLog();
    const made = replay(messagesOf(log), options({ facts: facts(log) }));
    expect(made.rewrites.length).toBeGreaterThanOrEqual(3);
    expect(made.facts).toMatchObject({ asked: 4, kept: 4, lost: [] });
  });

  test.each(['empty', 'failing'] as const)(
    'with an %s summariser the goal is kept, every view is valid and under the window (T11, T12)',
    (kind) => {
      const log = longLog();
      const made = replay(messagesOf(log), options({ facts: facts(log), summariser: SUMMARISERS[kind] }));
      expect(made.facts.lost).not.toContain('FACT-goal-0');
      expect(made.facts.lost).toContain('FACT-file-10');
      expect(made.calls.every(({ fault, tokens }) => fault === undefined && tokens <= 36_000)).toBe(true);
      expect(made.rewrites.some(({ refused }) => refused.length > 0)).toBe(true);
      expect(made.stopped).toBeUndefined();
    },
  );

  test('a conversation that was never rewritten forgot nothing, and was not asked', () => {
    const log = busyLog(2, 100);
    expect(
      replay(messagesOf(log), options({ facts: plantedFacts(messagesOf(log), ['Build it']) })).facts,
    ).toMatchObject({ asked: 0, kept: 0 });
  });

  test('a fact is asked for as long as it is needed, and no longer', () => {
    const log = longLog();
    const said = 'FACT-file-10';
    const lost = (until: number) =>
      replay(messagesOf(log), options({ facts: [{ text: said, from: 20, until }], summariser: SUMMARISERS.failing }))
        .facts;
    expect(lost(21)).toMatchObject({ asked: 0, lost: [] });
    expect(lost(60)).toMatchObject({ asked: 1, lost: [said] });
  });

  test('ids that people or tools said and a call needs much later are found; words and recent ids are not', () => {
    const log = createLog();
    log.human('Look at ticket ABC-1234 in src/deep/file.ts.');
    for (let n = 0; n < 10; n += 1) log.step([{ result: 'nothing' }]);
    log.step([{ input: { query: 'ABC-1234', near: 'late-5678x' }, result: 'late-5678x' }]);
    log.step([{ input: { query: 'late-5678x' }, result: 'ok' }]);
    const found = extractFacts(messagesOf(log), 10);
    expect(found).toEqual([{ text: 'ABC-1234', from: 0, until: 21 }]);
  });
});

describe('the cache (docs/internals/api-rules.md §2.6)', () => {
  const text = (tokens: number): Message => createUserMessage('word '.repeat(tokens));
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'yes' }] };
  const big = text(8000);

  test('a prefix under 4,096 tokens is neither written nor read', () => {
    const cache = createPromptCache(CACHE_RULES, 100, 1);
    const small = [createUserMessage('hello')];
    for (const _ of [1, 2])
      expect(cache.send(small, 0).usage).toEqual({
        input_tokens: 100 + estimateMessages(small),
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      });
  });

  test('five minutes after it was used last an entry is gone', () => {
    const cache = createPromptCache(CACHE_RULES, 0, 1);
    cache.send([big], 0);
    expect(cache.send([big], 299_999).usage.cache_read_input_tokens).toBeGreaterThan(8000);
    expect(cache.isCold(599_998)).toBe(false);
    expect(cache.isCold(599_999)).toBe(true);
    expect(cache.send([big], 599_999).usage.cache_read_input_tokens).toBe(0);
  });

  test('a step of more than twenty blocks is still read, for its own beginning is marked too', () => {
    const cache = createPromptCache(CACHE_RULES, 0, 1);
    const many: Message = {
      role: 'user',
      content: Array.from({ length: 30 }, (_, n) => ({ type: 'text', text: `part ${n}` })),
    };
    const written = cache.send([big], 0).usage.cache_creation_input_tokens;
    expect(cache.send([big, answer, many], 1).usage.cache_read_input_tokens).toBe(written);
    // Two messages further back than any mark, thirty blocks away: not found.
    const other = createPromptCache(CACHE_RULES, 0, 1);
    other.send([big], 0);
    expect(other.send([big, many, many, answer, createUserMessage('go')], 1).usage.cache_read_input_tokens).toBe(0);
  });

  test('one changed word loses everything behind it (T28)', () => {
    const cache = createPromptCache(CACHE_RULES, 5000, 1);
    cache.send([big, answer, text(3000)], 0);
    const changed = cache.send([createUserMessage(`${'word '.repeat(8000)}!`), answer, text(3000)], 1);
    expect(changed.usage.cache_read_input_tokens).toBe(5000);
    expect(changed.extends).toBe(false);
  });
});
