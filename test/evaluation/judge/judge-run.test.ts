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

test('an expectation that is missed says which rules the approved table reads as broken, and no others', async () => {
  const changed: TrialEvent = { ...look, change: [{ op: 'add', path: '/paid', value: 2 }] };
  const played = withEvents({ before: {}, after: { paid: 2 }, stop: 'done' }, [changed]);
  const read = [
    { rule: 'R1', outcome: 'paid', says: 'not met', text: 'R1 demands paid: 0; read: 2' },
    { rule: 'R2', outcome: 'told', says: 'met', text: 'R2 demands told: yes; read: yes' },
    { outcome: 'frame', says: 'not met', text: 'this request may not change /paid, and it was changed' },
  ];
  const stage = {
    tools: new Map(),
    paths: new Map(),
    session: { askAll: async () => [[accepts, accepts]] },
    readTable: () => read,
  };
  const of = { ...sample, checkers: [] };
  const { verdicts } = await judgeRun({ sample: of, played, lines: [] }, stage as never, AbortSignal.timeout(5000));
  expect(verdicts[0]?.evidence[0]).toBe('the approved table: R1 demands paid: 0; read: 2');
  expect(verdicts[0]?.evidence.slice(1).join()).toContain('/paid');
  expect(verdicts[0]?.evidence.join()).not.toContain('R2');
});
