/** What a replay of one small recording tells for each policy and each summariser: every call, every rewrite, every fact. */
import { expect, test } from 'vitest';
import {
  extractFacts,
  fitRecorded,
  importTranscript,
  plantedFacts,
  replay,
  SUMMARISERS,
} from '../../src/library/context.ts';
import { planTrigger } from '../../bench/context/economics.ts';
import type { MessageEntry } from '../../src/transcript/entry.ts';
import type { Usage } from '../../src/transcript/message.ts';
import { fewMessages, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';

const BEGAN = Date.parse('2026-01-01T00:00:00Z');
const price = (usage: Usage) =>
  usage.input_tokens +
  1.25 * usage.cache_creation_input_tokens +
  0.1 * usage.cache_read_input_tokens +
  5 * usage.output_tokens;

/** Twenty-four steps with a pause in which the cache expires, a call that stays open, and ids that are needed later. */
function recorded(): MessageEntry[] {
  const log = createLog();
  log.human('Look into case ORD-77-x1 and the folder src/desk/refunds.ts.');
  for (let n = 1; n <= 24; n += 1) {
    const path = n > 14 ? 'src/desk/refunds.ts' : `src/f${n}.ts`;
    const said = n === 3 ? 'the code is KEY-9-ab12 here ' : '';
    const open = n === 11 ? [{ tool: 'bash', input: { command: 'npm test' } }] : [];
    log.step([{ input: { file_path: path }, result: `${said}line ${n} `.repeat(n === 8 ? 600 : 90) }, ...open], {
      think: `thought ${n}`,
      usage: 400 * n,
    });
    if (n === 11) log.human('The machine was restarted. Go on.');
    if (n === 20) log.step([{ input: { key: 'KEY-9-ab12' }, result: 'ok' }]);
  }
  log.says('Done.');
  return log.entries.flatMap((entry, place) =>
    entry.type === 'message'
      ? [{ ...entry, at: new Date(BEGAN + place * 20_000 + (place > 30 ? 600_000 : 0)).toISOString() }]
      : [],
  );
}

test.each(POLICY_NAMES)('%s', async (name) => {
  const messages = recorded();
  const core = smallCore(
    name,
    {
      trigger: { tokens: 3600, reserve: 500, cold: 0.7, ...fewMessages(name) },
      target: { ratio: 0.8, steps: undefined },
      keep: { maxTokens: 1500, steps: 3 },
      longResult: { over: 150, head: 40, tail: 30, errors: 30 },
      summary: { maxOutputTokens: 1500, maxTokens: 300 },
      facts: { earlier: 200, index: 300 },
    },
    { budget: { window: 8000, maxOutput: 1000, floor: 200 } },
  );
  const facts = [
    ...plantedFacts(messages, ['ORD-77-x1', 'KEY-9-ab12', 'said by nobody']),
    ...extractFacts(messages, 5),
  ];
  const told = Object.entries(SUMMARISERS).map(([who, summariser]) => {
    const made = replay(messages, {
      ...{ core, summariser, facts, ratio: 1.1, priceOf: price },
      rules: { boundThinking: true, prefill: false },
      cache: { minimum: 300, lookback: 20, ttlMs: 300_000 },
    });
    const { calls, rewrites, entries, ...rest } = made;
    return [
      `## ${who}`,
      ...calls.map((call) => JSON.stringify(call)),
      ...rewrites.map((rewrite) => JSON.stringify(rewrite)),
      JSON.stringify(rest),
      `${entries.length} entries`,
    ].join('\n');
  });
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot(`golden/replay-${name}.txt`);
});

test('facts, fit and the plan of triggers', async () => {
  const messages = recorded();
  const session = {
    ...{ fixed: 4000, answer: 250, result: 900, calls: 120, summary: 800, keep: 3000 },
    weights: { write: 1.25, read: 0.1, output: 5 },
  };
  const question = { session, window: 60_000, maxOutput: 8000, reserve: 4000 };
  const plans = [
    undefined,
    { type: 'separate' as const, leavesOut: 900 },
    { type: 'serialised' as const, tokens: 9000 },
  ].map((call) => planTrigger({ ...question, ...(call === undefined ? {} : { call }) }));
  const claude = messages.map((entry) => JSON.stringify(entry)).join('\n');
  const told = [
    JSON.stringify(extractFacts(messages, 10)),
    JSON.stringify(plantedFacts(messages, ['KEY-9-ab12', 'nobody'])),
    JSON.stringify(fitRecorded(importTranscript(claude, 'x').entries) ?? 'no fit'),
    JSON.stringify(fitRecorded(messages.slice(0, 6)) ?? 'no fit'),
    ...plans.map(({ points, ...plan }) => JSON.stringify({ ...plan, some: points.filter((_, n) => n % 10 === 0) })),
  ];
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('golden/plans.txt');
});
