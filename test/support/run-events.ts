/** Makers of run events, so that a test names only what it is about. */
import type { EventBody, RunEvent, RunLimits } from '../../src/run/event.ts';
import { applyEvent } from '../../src/run/fold.ts';
import type { RunState } from '../../src/run/state.ts';

export type BodyOf<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;
export type Happened = { body: EventBody; actor: string };

export const LIMITS: RunLimits = {
  target: 0.85,
  gate: 'rate',
  maxIterations: 8,
  maxRounds: 5,
  patience: 3,
  budgetUsd: 25,
};

const happened = (body: EventBody, actor: string): Happened => ({ body, actor });

export function created(limits: Partial<RunLimits> = {}, more: Partial<BodyOf<'run.created'>> = {}): Happened {
  const body: EventBody = {
    type: 'run.created',
    machineVersion: 1,
    scenario: 'refund-desk',
    scenarioDigest: 'scenario-1',
    configDigest: 'config-1',
    limits: { ...LIMITS, ...limits },
    simulated: true,
    ...more,
  };
  return happened(body, 'user:starter');
}

export const started = (): Happened => happened({ type: 'run.started' }, 'worker:a');

export function designDone(round: number, more: Partial<BodyOf<'design.done'>> = {}): Happened {
  const digest = `design-${round}`;
  return happened(
    { type: 'design.done', round, digest, packDigest: `pack-${round}`, rules: 10, need: 1, ...more },
    'agent:init',
  );
}

let nonces = 0;

export function decided(
  round: number,
  decision: BodyOf<'gate.decided'>['decision'],
  more: Partial<BodyOf<'gate.decided'>> = {},
  actor = 'user:ada',
): Happened {
  nonces += 1;
  const gate = `HITL-1.r${round}`;
  const digest = `design-${round}`;
  return happened(
    { type: 'gate.decided', gate, round, decision, digest, comment: '', via: 'cli', nonce: `n${nonces}`, ...more },
    actor,
  );
}

export function score(rate: number, total = 20): Omit<BodyOf<'iteration.done'>, 'type'> {
  return {
    iteration: 1,
    round: 1,
    designDigest: 'design-1',
    successRate: rate,
    lowerBound: Math.max(0, rate - 0.2),
    passed: Math.round(rate * total),
    total,
    unscored: 0,
    layers: { '1': 0, '2': 0, '3': 0, '4': total - Math.round(rate * total) },
    outputDir: 'execution_outputs/iteration_1',
  };
}

export function iterationDone(
  iteration: number,
  rate: number,
  round = 1,
  more: Partial<BodyOf<'iteration.done'>> = {},
): Happened {
  const place = {
    iteration,
    round,
    designDigest: `design-${round}`,
    outputDir: `execution_outputs/iteration_${iteration}`,
  };
  return happened({ type: 'iteration.done', ...score(rate), ...place, ...more }, 'agent:execute');
}

export const PROBLEM = {
  title: 'R4 against R8',
  rules: ['R4', 'R8'],
  samples: ['late-return'],
  claim: 'No world keeps both.',
};

export function designReturned(iteration: number, round: number, rate = 0.5): Happened {
  const { body } = iterationDone(iteration, rate, round);
  if (body.type !== 'iteration.done') throw new Error('unreachable');
  return happened({ ...body, type: 'design.returned', problems: [PROBLEM] }, 'agent:execute');
}

export const paused = (reason: BodyOf<'run.paused'>['reason'] = 'user'): Happened =>
  happened({ type: 'run.paused', reason, detail: 'lunch' }, 'user:ada');

export const resumed = (raiseUsd?: number): Happened =>
  happened({ type: 'run.resumed', ...(raiseUsd === undefined ? {} : { raiseUsd }) }, 'user:ada');

export const cancelled = (): Happened => happened({ type: 'run.cancelled', detail: 'not needed' }, 'user:ada');

export const failed = (final: boolean): Happened =>
  happened({ type: 'step.failed', step: 'design.r1', code: 'model_unavailable', message: '529', final }, 'worker:a');

export const retried = (): Happened => happened({ type: 'run.retried' }, 'user:ada');

/** The journal's events without hashes, as the fold needs them. */
export function eventsOf(story: readonly Happened[]): Pick<RunEvent, 'seq' | 'ts' | 'actor' | 'body'>[] {
  return story.map(({ body, actor }, seq) => ({
    seq,
    ts: `2026-11-20T10:00:${String(seq).padStart(2, '0')}.000Z`,
    actor,
    body,
  }));
}

/** The state after this story. */
export function after(...story: readonly Happened[]): RunState {
  let state: RunState | undefined;
  for (const event of eventsOf(story)) state = applyEvent(state, event);
  if (state === undefined) throw new Error('an empty story has no state');
  return state;
}

/** How every run begins: its first design waits. */
export const DESIGNED = [created(), started(), designDone(1)] as const;
export const APPROVED = [...DESIGNED, decided(1, 'approve')] as const;
