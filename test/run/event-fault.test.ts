import { describe, expect, test } from 'vitest';
import { findEventFault } from '../../src/run/event-fault.ts';
import type { RunState } from '../../src/run/state.ts';
import {
  after,
  APPROVED,
  cancelled,
  created,
  decided,
  DESIGNED,
  designDone,
  designReturned,
  failed,
  iterationDone,
  paused,
  resumed,
  retried,
  started,
  type Happened,
} from '../support/run-events.ts';

const refusal = (state: RunState | undefined, { body, actor }: Happened) => findEventFault(state, body, actor);

const gate = after(...DESIGNED);
const executing = after(...APPROVED);

describe('the first event', () => {
  test('is run.created, and comes once', () => {
    expect(refusal(undefined, created())).toBeUndefined();
    expect(refusal(undefined, started())).toBe('run.started needs a run, and this one is not created yet');
    expect(refusal(gate, created())).toBe('the run is created already');
  });

  test.each([
    [{ maxIterations: 0 }, 'maxIterations'],
    [{ maxRounds: -1 }, 'maxRounds'],
    [{ patience: 0 }, 'patience'],
    [{ maxRounds: 1.5 }, 'whole numbers'],
    [{ target: 0 }, 'target'],
    [{ target: 1.01 }, 'target'],
    [{ target: Number.NaN }, 'target'],
    [{ budgetUsd: 0 }, 'budget'],
    [{ budgetUsd: Number.POSITIVE_INFINITY }, 'budget'],
  ])('carries limits under which every run ends: not %o', (limits, word) => {
    expect(refusal(undefined, created(limits))).toContain(word);
  });
});

describe('an event of another state', () => {
  const done = after(created(), cancelled());
  const still = after(created(), started(), paused());
  const wrong: [string, RunState, Happened][] = [
    ['a second start', gate, started()],
    ['a design while one is at the gate', gate, designDone(1)],
    ['a decision when nothing is open', executing, decided(1, 'approve')],
    ['an iteration at the gate', gate, iterationDone(1, 0.5)],
    ['a resume of what runs', executing, resumed()],
    ['a retry of what has not failed', executing, retried()],
    ['a pause of a paused run', still, paused()],
    ['a design of a paused run', still, designDone(1)],
    ['a failure of a paused run', still, failed(true)],
    ['a decision on a paused run', after(created(), started(), designDone(1), paused()), decided(1, 'approve')],
    ['a pause of an errored run', after(created(), started(), failed(true)), paused()],
    ['a cancel of an ended run', done, cancelled()],
    ['a retry of an ended run', done, retried()],
  ];
  test.each(wrong)('is refused: %s', (_name, state, event) => {
    expect(refusal(state, event)).toContain(`and this one is ${state.status}`);
  });
});

describe('a decision', () => {
  test.each([
    ['of another gate', decided(2, 'approve'), 'HITL-1.r2 is not the gate of round 1'],
    ['of another round', decided(1, 'approve', { round: 2 }), 'not the gate of round 1'],
    ['about another digest', decided(1, 'approve', { digest: 'old' }), 'is about digest design-1'],
    ['without a nonce', decided(1, 'approve', { nonce: '' }), 'nonce'],
    ['by the author', decided(1, 'approve', {}, 'agent:init'), 'may not decide'],
    ['by a worker', decided(1, 'reject', {}, 'worker:a'), 'may not decide'],
    ['by nobody', decided(1, 'approve', {}, ''), 'may not decide'],
    ['by an agent in disguise', decided(1, 'approve', {}, ' agent:init'), 'may not decide'],
    ['that edits without an edit', decided(1, 'edit_approve'), 'needs the digest of the edited design'],
    ['that edits nothing', decided(1, 'edit_approve', { editedDigest: 'design-1' }), 'approve it instead'],
    ['of this gate and another round', decided(1, 'approve', { gate: 'HITL-1.r2' }), 'not the gate of round 1'],
    ['that edits into nothing', decided(1, 'edit_approve', { editedDigest: '' }), 'needs the digest'],
    ['that approves an edit in passing', decided(1, 'approve', { editedDigest: 'x' }), 'carries no edited digest'],
  ])('%s is refused', (_name, event, reason) => {
    expect(refusal(gate, event)).toContain(reason);
  });

  test('is recorded once: a known nonce is refused in every later round', () => {
    const first = decided(1, 'request_changes', { nonce: 'same' });
    const later = after(created(), started(), designDone(1), first, designDone(2));
    expect(refusal(later, decided(2, 'approve', { nonce: 'same' }))).toContain('recorded already');
  });

  test('of somebody who approved already may still ask for changes, or reject', () => {
    const once = after(created(), started(), designDone(1, { need: 2 }), decided(1, 'approve'));
    expect(refusal(once, decided(1, 'approve'))).toContain('has approved HITL-1.r1 already');
    expect(refusal(once, decided(1, 'request_changes'))).toBeUndefined();
    expect(refusal(once, decided(1, 'reject'))).toBeUndefined();
  });

  test('of a policy is a decision', () => {
    expect(refusal(gate, decided(1, 'approve', {}, 'policy:demo'))).toBeUndefined();
  });
});

describe('results', () => {
  test.each([
    ['of another iteration', iterationDone(2, 0.5), 'iteration 1 is being worked on'],
    ['of another round', iterationDone(1, 0.5, 1, { round: 2 }), 'the run is in round 1'],
    ['of another design', iterationDone(1, 0.5, 1, { designDigest: 'old' }), 'another design'],
    ['with a rate above 1', iterationDone(1, 0.5, 1, { successRate: 1.5 }), 'between 0 and 1'],
    ['with a rate that is no number', iterationDone(1, 0.5, 1, { lowerBound: Number.NaN }), 'between 0 and 1'],
    ['with more passed than there were', iterationDone(1, 0.5, 1, { passed: 21 }), '21 cannot have passed of 20'],
    ['with a negative count', iterationDone(1, 0.5, 1, { unscored: -1 }), 'counts'],
    ['with a negative layer', iterationDone(1, 0.5, 1, { layers: { '1': -1, '2': 0, '3': 0, '4': 0 } }), 'counts'],
    [
      'with half a failure of a subject',
      iterationDone(1, 0.5, 1, { layers: { '1': 0, '2': 0, '3': 0, '4': 1, '4b': 0.5 } }),
      'counts',
    ],
    ['without a folder', iterationDone(1, 0.5, 1, { outputDir: '' }), 'output folder'],
    ['of a design returned from another round', designReturned(1, 2), 'the run is in round 1'],
  ])('%s are refused', (_name, event, reason) => {
    expect(refusal(executing, event)).toContain(reason);
  });
});

test.each([
  [designDone(2), 'round 1'],
  [designDone(1, { digest: '' }), 'digest'],
  [designDone(1, { packDigest: '' }), 'digest'],
  [designDone(1, { need: 0 }), 'need'],
  [designDone(1, { rules: -1 }), 'rules'],
])('a design is of this round, named by its digests, and needs somebody (%#)', (event, reason) => {
  expect(refusal(after(created(), started()), event)).toContain(reason);
});

test('a raise is money', () => {
  const still = after(created(), paused());
  expect(refusal(still, resumed(-1))).toContain('raise');
  expect(refusal(still, resumed(Number.POSITIVE_INFINITY))).toContain('raise');
  expect(refusal(still, resumed(0))).toBeUndefined();
});

test('an expired or reminded gate is the open one', () => {
  expect(findEventFault(gate, { type: 'gate.expired', gate: 'HITL-1.r2' }, 'worker:a')).toContain('not the gate');
  expect(findEventFault(gate, { type: 'gate.reminded', gate: 'HITL-1.r1' }, 'worker:a')).toBeUndefined();
});

test('words of a person to the agent at work: of its step, also while the run rests, never at a gate', () => {
  const words = (step: string) => ({ type: 'agent.steered', step, text: 'In euro.', via: 'cli', nonce: 's1' }) as const;
  const designing = after(created(), started());
  expect(findEventFault(designing, words('design.r1'), 'user:ada')).toBeUndefined();
  expect(findEventFault(after(created(), started(), paused()), words('design.r1'), 'user:ada')).toBeUndefined();
  expect(findEventFault(designing, words('execute.i1'), 'user:ada')).toContain('design.r1 is at work');
  expect(findEventFault(executing, words('execute.i1'), 'user:ada')).toBeUndefined();
  expect(findEventFault(after(created(), started(), failed(true)), words('design.r1'), 'user:ada')).toBeUndefined();
  // Files are changed only while their agent does not work on them.
  const files = { ...words('design.r1'), files: [{ path: 'design/r1/a.md' }] };
  expect(findEventFault(designing, files, 'user:ada')).toContain("its files are its agent's");
  expect(findEventFault(after(created(), started(), paused()), files, 'user:ada')).toBeUndefined();
  expect(findEventFault(gate, words('design.r1'), 'user:ada')).toContain('awaiting_approval');
  expect(findEventFault(after(created(), paused()), words('design.r1'), 'user:ada')).toContain('no agent is at work');
  for (const actor of ['agent:init', 'policy:demo', 'worker:a'])
    expect(findEventFault(designing, words('design.r1'), actor)).toContain('only a person');
  const heard = (said: number) => ({ type: 'agent.heard', step: 'design.r1', said, entry: 'e4' }) as const;
  expect(findEventFault(designing, heard(1), 'agent:init')).toBeUndefined();
  expect(findEventFault(designing, heard(2), 'agent:init')).toContain('no event 2');
});
