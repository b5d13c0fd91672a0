/** A share of the trials is judged again in fresh hosts; a component that remembers is found out. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Results } from '../../../src/scenario/result.ts';
import { evaluateLamps } from '../evaluate-lamps.ts';
import { trustedSandbox } from '../lamps.ts';

// The modules of the trusted sandbox are loaded once: what they count survives in every session, as in a host without walls.
const COUNTING_TOOL = `
let calls = 0;
export const tool = {
  name: 'switch_lamp', description: 'Switches a lamp.', input_schema: { type: 'object' }, examples: [{ input: { id: 'hall', on: true }, world: 'house' }],
};
export function run({ id, on }, world) { world.lamps[id].on = on; calls += 1; return { ok: true, calls }; }
`;
const COUNTING_CHECKER = `
let asked = 0;
export const checker = { id: 'as-asked', description: 'R1: the lamp that was asked for is on.', rules: ['R1'] };
export function check() { asked += 1; return { pass: asked <= 2, reason: 'so far', evidence: [] }; }
`;

test('honest components are judged again and nothing is said', async () => {
  const { results } = await evaluateLamps();
  // Both samples: each is the only one of its tool.
  expect(results.judgedAgain).toEqual({ trials: 2, differences: 0 });
  expect(results.verification.remarks).toBeUndefined();
});

test('a tool that remembers its calls is a problem of layer 2, in what is written', async () => {
  const { dir, results } = await evaluateLamps({ files: { 'tools/switch_lamp.mjs': COUNTING_TOOL } });
  expect(results.judgedAgain).toEqual({ trials: 2, differences: 1 });
  expect(results.verification.remarks).toMatchObject([
    { layer: 2, code: 'tool-nondeterministic', component: 'switch_lamp', sample: 'turn-on' },
  ]);
  const written = Results.parse(JSON.parse(await readFile(join(dir, 'results.json'), 'utf8')));
  expect(written.verification.remarks?.[0]?.message).toContain('in a fresh host');
});

test('a checker whose verdict depends on what it was asked before is a problem of layer 3', async () => {
  const { results } = await evaluateLamps({ files: { 'checkers/as-asked.mjs': COUNTING_CHECKER } });
  expect(results.verification.remarks).toMatchObject([
    {
      layer: 3,
      code: 'checker-nondeterministic',
      component: 'as-asked',
      message: expect.stringContaining('it said pass (so far), and says fail (so far)'),
    },
  ]);
});

test('the host is a fresh one, and 0 judges nothing again', async () => {
  let opened = 0;
  const trusted = trustedSandbox();
  const counted = { ...trusted, open: (dir: string) => ((opened += 1), trusted.open(dir)) };
  const { results } = await evaluateLamps({ sandbox: counted, judgeAgain: 0 });
  const [withNone, before] = [opened, results.judgedAgain];
  await evaluateLamps({ sandbox: counted });
  expect([before, opened - withNone]).toEqual([{ trials: 0, differences: 0 }, withNone + 1]);
});
