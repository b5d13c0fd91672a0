/** What a trial is worth whose user had no answer. */
import { expect, test } from 'vitest';
import { withEvents, type TrialEvent } from '../../../src/evaluation/components/trial-record.ts';
import { judgeRun } from '../../../src/evaluation/judge/judge-run.ts';
import { Sample } from '../../../src/scenario/sample.ts';

const sample = Sample.parse({
  ...{ id: 's', title: 's', category: 'c', covers: ['R1'], start: { world: {} } },
  user: { says_first: 'Cancel it.', knows: {} },
  expect: { end_state: 'unchanged' },
  gold: [{ tool: 'look', args: {} }],
  ...{ gold_says: 'It cannot be done.', wrong: [], checkers: ['c'] },
});
const asks: TrialEvent = { type: 'says', step: 2, text: 'What is your number?' };
const look: TrialEvent = { type: 'call', step: 1, tool: 'look', input: {}, output: {}, is_error: false, change: [] };

const accepts = { ok: true, value: { pass: true, reason: 'nothing speaks against it', evidence: [] } };

async function judgeLost(events: TrialEvent[], of = sample): Promise<string> {
  const played = withEvents({ before: {}, after: {}, stop: 'no_move' }, events);
  const stage = {
    tools: new Map(),
    paths: new Map([['checkers/c', 'checkers/c.mjs']]),
    session: { askAll: async () => [[accepts, accepts]] },
  };
  return (await judgeRun({ sample: of, played, lines: [] }, stage as never, AbortSignal.timeout(5000))).outcome;
}

test('where nothing was done yet nobody knows what the subject would have done: no pass either', async () => {
  expect(await judgeLost([asks])).toBe('unscored');
});

test('a pass stands after a call, and where gold makes none', async () => {
  expect(await judgeLost([look, asks])).toBe('pass');
  expect(await judgeLost([asks], { ...sample, gold: [] })).toBe('pass');
});
