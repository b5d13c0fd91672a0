import { expect, test } from 'vitest';
import { proposeSamples } from '../../../src/interop/traces/propose.ts';
import type { ReadTrace, TraceStep } from '../../../src/interop/traces/read-traces.ts';
import { chance } from '../../support/chance.ts';
import { makeTraces } from './loan-desk.ts';
import { openDesk } from './open-desk.ts';

const { signal } = new AbortController();
const STEPS = makeTraces(1, chance(5))[0]?.steps.map((step) =>
  'tool' in step ? { ...step, is_error: false } : step,
) as TraceStep[];
const toTrace = (steps: TraceStep[], line = 1): ReadTrace => ({ place: `f:${line}`, notes: [], steps });

test('a sample is drafted from what was said and done; its wrong path leaves out the last change', async () => {
  const input = await openDesk(signal);
  const [made, twin] = await proposeSamples([toTrace(STEPS), toTrace(STEPS, 2)], input, signal);
  expect([made?.disposition, made?.notes]).toEqual(['exact', []]);
  const { sample } = made ?? {};
  expect(sample).toMatchObject({ category: 'renewals', covers: ['R1'], checkers: ['at-most-twice'] });
  expect(sample?.user.says_first).toBe((STEPS[0] as { user: string }).user);
  expect(Object.keys(sample?.user.knows ?? {})).toEqual(['email']);
  expect(sample?.gold).toHaveLength(STEPS.length - 2);
  const isChanged = sample?.expect.end_state !== 'unchanged';
  expect(sample?.wrong).toHaveLength(STEPS.length - (isChanged ? 3 : 2));
  expect([twin?.disposition, twin?.notes]).toEqual(['refused', [`It is the same as ${made?.id}.`]]);
  expect(twin).not.toHaveProperty('sample');
});

test('a right sample that the design refuses is a question, and so is a setting that no call shows', async () => {
  const input = await openDesk(signal);
  // The agent of this trace renews nothing although it could: the checker of the design refuses it.
  const steps = STEPS.map((step) =>
    'tool' in step && step.tool === 'renew_loan'
      ? { ...step, args: { loan_id: 'L-none' }, output: { renewed: false } }
      : step,
  );
  const [made] = await proposeSamples([toTrace(steps)], input, signal);
  expect(made?.disposition).toBe('needs a person');
  const world = structuredClone(input.design.format.world) as unknown as {
    properties: Record<string, object>;
    required: string[];
  };
  world.properties['today'] = { type: 'string' };
  world.required.push('today');
  const samples = input.components.samples.map((one) => ({ ...one, world: { ...one.world, today: '2026-01-20' } }));
  const design = { ...input.design, format: { ...input.design.format, world: { ...world, type: 'object' as const } } };
  const [asked] = await proposeSamples(
    [toTrace(STEPS)],
    { ...input, design, components: { ...input.components, samples } },
    signal,
  );
  expect(asked?.disposition).toBe('needs a person');
  expect(asked?.notes[0]).toContain('No call shows /today; all samples of the design begin with "2026-01-20"');
});

test('what does not begin with a person is refused', async () => {
  const [made] = await proposeSamples([toTrace(STEPS.slice(3))], await openDesk(signal), signal);
  expect([made?.disposition, made?.notes]).toEqual(['refused', ['It does not begin with a person’s words.']]);
});
