/** The answer to "why does it not go on" names the place, the reason and what to do. */
import { expect, test } from 'vitest';
import type { QueuePosition } from '../../../src/ports/job-queue.ts';
import { explainRest, explainWait } from '../../../src/cli/queue/queue.ts';
import type { RunState } from '../../../src/run/state.ts';

const next = { lane: 'execute', model: 'p/sonnet' } as const;
const place = (more: Partial<QueuePosition>): QueuePosition => ({
  state: 'waiting',
  workers: 2,
  handedBack: [],
  ...more,
});

test.each([
  [place({ since: 'T1' }), /waits for a worker for an iteration.*p\/sonnet since T1.*2 workers take such steps/],
  [place({ since: 'T1', workers: 0 }), /No worker takes such steps: tandem worker --execute/],
  [place({ state: 'active', since: 'T2' }), /A worker is at an iteration.* since T2/],
  [place({ state: 'absent' }), /the queue holds nothing of it/],
  [
    place({ state: 'delayed', until: 'T3', handedBack: [{ worker: 'w1', why: 'it has no bubblewrap.' }] }),
    /again at T3.*w1 gave it back: it has no bubblewrap/,
  ],
])('%j', (found, words) => expect(explainWait(next, found)).toMatch(words));

test.each([
  [
    { status: 'awaiting_approval', gate: { id: 'HITL-1.r1', openedAt: 'T' } },
    /a person at HITL-1.r1 since T.*gates review a/,
  ],
  [
    { status: 'paused', pause: { at: 'T', actor: 'user:ada', detail: 'lunch.' } },
    /paused at T by user:ada: lunch\. Go on: tandem resume a/,
  ],
  [
    { status: 'paused', pause: { at: 'T', actor: 'user:ada', detail: 'by hand' } },
    /paused at T by user:ada: by hand\. Go on: tandem resume a/,
  ],
  [{ status: 'errored', failure: { message: 'no disk.' } }, /stopped: no disk.*resume a/],
  [{ status: 'succeeded' }, /has ended/],
])('%j rests', (state, words) => expect(explainRest('a', state as unknown as RunState)).toMatch(words));
