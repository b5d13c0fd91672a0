import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { BusinessRules } from '../../src/scenario/design.ts';
import { Results, type Verification } from '../../src/scenario/result.ts';
import { judgeResults } from '../../src/scenario/statistics/judge-results.ts';
import { call, facts, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { lampsBrief, lampsDesign, lampsFolder, lockedLamp, trustedSandbox, turnOn } from './lamps.ts';

const CASES = {
  attributes: { request: ['on', 'off'] },
  outcomes: {
    lit: { values: [true, false], from: { at: '/lamps/{lamp}/on' } },
  },
  names: { lamp: 'the lamp that is meant' },
  frames: [{ when: 'all', may_change: ['/lamps/{lamp}/on'] }],
};

function readingDesign() {
  const design = lampsDesign({ format: { cases: CASES } });
  const lines = [
    { when: { request: 'on' }, demands: { lit: true } },
    { when: { request: 'off' }, demands: { lit: true } },
  ];
  const rules = design.rules.rules.map((rule, index) => ({ ...rule, ...lines[index] }));
  return { ...design, rules: BusinessRules.parse({ ...design.rules, rules }) };
}

/** A checker that believes what is said, beside an end that may be any. */
const BELIEVES = `
export const checker = { id: 'as-asked', description: 'R1', rules: ['R1'] };
export const check = ({ final }) => ({ pass: final.includes('is on'), reason: 'as it says', evidence: [] });
`;

async function play(judges: Verification['judges']) {
  const dir = await lampsFolder({
    'checkers/as-asked.mjs': BELIEVES,
    'samples/turn-on.json': {
      ...turnOn,
      case: { request: 'on' },
      case_of: { lamp: 'hall' },
      expect: { ...turnOn.expect, end_state: 'any' },
    },
    'samples/locked-lamp.json': { ...lockedLamp, case: { request: 'off' }, case_of: { lamp: 'cellar' } },
  });
  const sandbox = trustedSandbox();
  const { components } = await loadComponents(dir, sandbox, new AbortController().signal);
  const answers = [
    ['turn-on', [say('The hall lamp is on.'), say('I mean that it is on.')]],
    ['locked-lamp', [call('read_lamp', { id: 'cellar' }), say('It is locked.')]],
  ] as const;
  const results = await evaluate({
    ...{ dir, design: readingDesign(), brief: lampsBrief(), components, sandbox, iteration: 1, round: 1 },
    verification: { ok: true, problems: [], proofs: [], coverage: {}, ...(judges && { judges }) },
    modelFor: (lane) => scriptedModel([...(answers.find(([id]) => lane.includes(id))?.[1] ?? [])]),
    ...{ maxTokens: 500, price: facts().price, concurrency: 1, simulated: true, componentsDigest: 'c'.repeat(64) },
    onSample: () => undefined,
    now: () => 0,
    signal: new AbortController().signal,
  });
  return Results.parse(results);
}

const TABLE = { R1: { by: ['table', 'checker'] as ('table' | 'checker')[], reads: 'whole' as const } };

test('a pass that the approved table does not see stays a pass, is disputed with both sides, and meets no target', async () => {
  const results = await play(TABLE);
  const [locked, lit] = results.samples;
  expect([locked?.outcome, lit?.outcome]).toEqual(['pass', 'pass']);
  expect(locked?.trials[0]?.disputed).toBeUndefined();
  expect(lit?.trials[0]?.disputed).toEqual([
    {
      by: 'table',
      rule: 'R1',
      text: 'all checks passed, and the approved table says: R1 demands lit: true; read: false',
    },
  ]);
  expect(judgeResults(results, { gate: 'rate', target: 0.9 })).toBe('disputed');
});

test('a reading that the proof has not seen tell right from wrong doubts nothing', async () => {
  const results = await play(undefined);
  expect(results.samples.flatMap(({ trials }) => trials.flatMap(({ disputed = [] }) => disputed))).toEqual([]);
  expect(judgeResults(results, { gate: 'rate', target: 0.9 })).toBe('met');
});
