/** What holds for every run: the fold is total, nothing unfit gets in, everything executed was approved, and it ends. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findEventFault } from '../../src/run/event-fault.ts';
import { decide, isLive } from '../../src/run/decide.ts';
import type { EventBody, RunEvent, RunLimits } from '../../src/run/event.ts';
import { applyEvent, fold } from '../../src/run/fold.ts';
import type { RunState } from '../../src/run/state.ts';
import {
  cancelled,
  created,
  decided,
  designDone,
  failed,
  iterationDone,
  paused,
  PROBLEM,
  resumed,
  retried,
  started,
  type Happened,
} from '../support/run-events.ts';
import { propertyRuns } from '../support/property-runs.ts';

const limits: fc.Arbitrary<Partial<RunLimits>> = fc.record({
  target: fc.constantFrom(0.3, 0.85, 1),
  gate: fc.constantFrom('rate', 'lower-bound'),
  maxIterations: fc.integer({ min: 1, max: 6 }),
  maxRounds: fc.integer({ min: 1, max: 4 }),
  patience: fc.integer({ min: 1, max: 3 }),
});

const round = fc.integer({ min: 0, max: 5 });
const rate = fc.constantFrom(0, 0.25, 0.5, 0.75, 0.9, 1);
const digest = fc.oneof(
  round.map((number) => `design-${number}`),
  fc.constantFrom('', 'edited', 'other'),
);
const nonce = fc.oneof(fc.uuid(), fc.constantFrom('', 'n'));
const actor = fc.constantFrom(
  'user:ada',
  'user:bob',
  'user:Ada',
  'policy:demo',
  'agent:init',
  'agent:execute',
  'worker:a',
  '',
);
const decision = fc.constantFrom('approve', 'edit_approve', 'request_changes', 'reject');

const decidedBody = fc
  .record({
    gate: round.map((n) => `HITL-1.r${n}`),
    round,
    decision,
    digest,
    comment: fc.string(),
    via: fc.constant('cli'),
    nonce,
  })
  .chain((body) =>
    fc
      .option(digest, { nil: undefined })
      .map((edited) => ({ ...body, ...(edited === undefined ? {} : { editedDigest: edited }) })),
  )
  .map((body) => ({ type: 'gate.decided', ...body }) as const);

const results = fc.record({
  iteration: fc.integer({ min: 0, max: 8 }),
  round,
  designDigest: digest,
  successRate: fc.oneof(rate, fc.constantFrom(-1, 2, Number.NaN)),
  lowerBound: rate,
  passed: fc.integer({ min: -1, max: 25 }),
  total: fc.integer({ min: 0, max: 20 }),
  unscored: fc.integer({ min: 0, max: 3 }),
  layers: fc.constant({ '1': 0, '2': 1, '3': 0, '4': 2 }),
  outputDir: fc.constantFrom('execution_outputs/iteration_1', ''),
});

/** Any event of the right shape, whether it makes sense or not. */
const anyBody: fc.Arbitrary<EventBody> = fc.oneof(
  limits.map((chosen) => created(chosen).body),
  fc.constantFrom(
    started().body,
    paused().body,
    cancelled().body,
    failed(true).body,
    failed(false).body,
    retried().body,
  ),
  fc.double().map((raiseUsd) => resumed(raiseUsd).body),
  fc
    .record({
      round,
      digest,
      packDigest: digest,
      rules: fc.integer({ min: -1, max: 9 }),
      need: fc.integer({ min: 0, max: 2 }),
    })
    .map((body) => ({ type: 'design.done', ...body }) as const),
  decidedBody,
  round.map((n) => ({ type: 'gate.reminded', gate: `HITL-1.r${n}` }) as const),
  round.map((n) => ({ type: 'gate.expired', gate: `HITL-1.r${n}` }) as const),
  results.map((body) => ({ type: 'iteration.done', ...body }) as const),
  results.map((body): EventBody => ({ type: 'design.returned', ...body, problems: [PROBLEM] })),
);

/** What may sensibly happen next: the worker does what is decided, people answer, the world hiccups. */
type Choice = {
  decision: 'approve' | 'edit_approve' | 'request_changes' | 'reject';
  rate: number;
  returns: boolean;
  need: number;
  who: string;
  noise: number;
};
const choice: fc.Arbitrary<Choice> = fc.record({
  decision: fc.constantFrom('approve', 'approve', 'approve', 'edit_approve', 'request_changes', 'reject'),
  rate,
  returns: fc.boolean(),
  need: fc.constantFrom(1, 1, 2),
  who: fc.constantFrom('user:ada', 'user:bob', 'policy:demo'),
  noise: fc.integer({ min: 0, max: 9 }),
});

let serial = 0;

function nextEvent(state: RunState, { decision: answer, rate: success, returns, need, who, noise }: Choice): Happened {
  serial += 1;
  switch (state.status) {
    case 'paused':
      return resumed(1);
    case 'errored':
      return retried();
    case 'created':
      return started();
    case 'designing':
      if (noise === 0) return paused('budget');
      return noise === 1 ? failed(true) : designDone(state.round, { need });
    case 'awaiting_approval': {
      const { gate } = state;
      const edit = answer === 'edit_approve' ? { editedDigest: `edited-${serial}` } : {};
      const actorNow = gate.approvals.includes(who) ? `user:other${serial}` : who;
      return decided(gate.round, answer, { digest: gate.digest, nonce: `walk-${serial}`, ...edit }, actorNow);
    }
    default: {
      if (state.status !== 'executing') throw new Error(`nothing can happen to a run that ${state.status}`);
      if (noise === 2) return failed(false);
      const { body, actor: author } = iterationDone(state.iteration, success, state.round, {
        designDigest: state.designDigest,
      });
      if (body.type !== 'iteration.done' || !returns) return { body, actor: author };
      return { body: { ...body, type: 'design.returned', problems: [PROBLEM] }, actor: author };
    }
  }
}

type Walk = { events: Omit<RunEvent, 'prev' | 'hash'>[]; state: RunState };

function walk(chosen: Partial<RunLimits>, choices: readonly Choice[]): Walk {
  const events: Walk['events'] = [];
  let state: RunState | undefined;
  const happen = ({ body, actor: who }: Happened): RunState => {
    const event = { seq: events.length, ts: '2026-11-20T10:00:00.000Z', actor: who, body };
    events.push(event);
    return applyEvent(state, event);
  };
  state = happen(created(chosen));
  for (const one of choices) {
    if (!isLive(state)) break;
    state = happen(nextEvent(state, one));
  }
  return { events, state };
}

const walks = fc.tuple(limits, fc.array(choice, { maxLength: 40 })).map(([chosen, choices]) => walk(chosen, choices));

describe('every run', () => {
  test('the fold is total over accepted events, and a fold from any middle is the same fold', () => {
    fc.assert(
      fc.property(walks, fc.nat(), ({ events, state }, cut) => {
        const whole = events.map((event) => ({ ...event, prev: '', hash: '' }));
        expect(fold(whole)).toEqual(state);
        const head = fold(whole.slice(0, 1 + (cut % whole.length)));
        expect(whole.slice(head.length).reduce<RunState>(applyEvent, head)).toEqual(state);
        expect(state.length).toBe(events.length);
      }),
    );
  });

  test('what accepts refuses cannot be folded, and what it lets through can: in every state, for every event', () => {
    fc.assert(
      fc.property(walks, fc.array(fc.tuple(anyBody, actor), { minLength: 1, maxLength: 12 }), ({ state }, tries) => {
        for (const [body, who] of tries) {
          const refusal = findEventFault(state, body, who);
          const fold = () => applyEvent(state, { seq: state.length, ts: '', actor: who, body });
          if (refusal !== undefined) expect(fold).toThrow(refusal);
          else expect(decide(fold()).type).toMatch(/^(start|design|iterate|wait|none)$/);
        }
      }),
      propertyRuns(400),
    );
  });

  test('an ended run takes no event at all', () => {
    fc.assert(
      fc.property(walks, anyBody, actor, ({ state }, body, who) => {
        fc.pre(!isLive(state));
        expect(findEventFault(state, body, who)).toBeTypeOf('string');
      }),
    );
  });

  // S0.25
  test('ends under its caps whatever people and agents do', () => {
    fc.assert(
      fc.property(limits, fc.infiniteStream(choice), (chosen, choices) => {
        const calm = [...choices.take(200)].map((one) => ({ ...one, noise: 9 }));
        const { state, events } = walk(
          chosen,
          calm.map((one, index) =>
            index % 4 === 3 && one.decision === 'edit_approve' ? { ...one, decision: 'approve' } : one,
          ),
        );
        expect(decide(state).type).toBe('none');
        const progress = events.filter(({ body }) =>
          ['design.done', 'iteration.done', 'design.returned'].includes(body.type),
        );
        const { maxRounds, maxIterations } = state.origin.limits;
        expect(progress.length).toBeLessThanOrEqual(maxRounds + maxIterations);
      }),
    );
  });

  test('can still end from every state it can reach, without being cancelled', () => {
    fc.assert(
      fc.property(walks, ({ state }) => {
        let now = state;
        const calm: Choice = { decision: 'reject', rate: 0, returns: false, need: 1, who: 'user:ada', noise: 9 };
        for (let steps = 0; isLive(now) && steps < 20; steps += 1) {
          const { body, actor: who } = nextEvent(now, calm);
          now = applyEvent(now, { seq: now.length, ts: '', actor: who, body });
        }
        expect(isLive(now)).toBe(false);
        if (isLive(state)) expect(findEventFault(state, cancelled().body, 'user:ada')).toBeUndefined();
      }),
    );
  });

  test('executes only a design whose very digest a person or policy approved in this round', () => {
    fc.assert(
      fc.property(walks, ({ events }) => {
        let state: RunState | undefined;
        for (const event of events) {
          state = applyEvent(state, event);
          if (state.status !== 'executing') continue;
          const { round: now, designDigest, decisions } = state;
          const last = decisions.findLast((one) => one.round === now);
          expect(last?.decision).toMatch(/approve$/);
          expect(last?.editedDigest ?? last?.digest).toBe(designDigest);
        }
      }),
    );
  });

  test('never passes its caps, and numbers its iterations without a gap', () => {
    fc.assert(
      fc.property(walks, ({ state }) => {
        const { maxRounds, maxIterations } = state.origin.limits;
        expect(state.round).toBeLessThanOrEqual(maxRounds);
        expect(state.iterations.map(({ iteration }) => iteration)).toEqual(
          state.iterations.map((_, index) => index + 1),
        );
        expect(state.iterations.length).toBeLessThanOrEqual(maxIterations);
        expect(state.designs.map((design) => design.round)).toEqual(state.designs.map((_, index) => index + 1));
      }),
    );
  });
});
