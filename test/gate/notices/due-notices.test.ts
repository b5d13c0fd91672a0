/** The words of a notice: how long a gate has waited, and at which rate a run has ended. */
import { expect, test } from 'vitest';
import { dueNotices } from '../../../src/gate/notices/due-notices.ts';
import type { EventBody } from '../../../src/run/event.ts';
import { createSnapshot } from '../../../src/run/snapshot.ts';
import { APPROVED, created, DESIGNED, eventsOf, iterationDone, type Happened } from '../../support/run-events.ts';

const HOUR_MS = 3_600_000;
const OPENED = Date.parse('2026-11-20T10:00:02.000Z');

function textsOf(story: readonly Happened[], hours = 0): string[] {
  const events = eventsOf(story).map((event) => ({ ...event, prev: '', hash: '' }));
  const run = { id: 'run-1', scenario: 'desk' };
  const nowMs = OPENED + hours * HOUR_MS;
  return dueNotices({ run, snapshot: createSnapshot(events), packOf: () => undefined, nowMs }).map(({ text }) => text);
}

const reminded: Happened = { body: { type: 'gate.reminded', gate: 'HITL-1.r1' }, actor: 'worker:a' };
const undone = (nonce: string): Happened => {
  const body: EventBody = { type: 'gate.undone', gate: 'HITL-1.r1', round: 1, undoes: nonce, comment: '', via: 'cli' };
  return { body, actor: 'user:ada' };
};
const nonceOf = ({ body }: Happened): string => ('nonce' in body ? body.nonce : '');

const handed = (to: string, comment = ''): Happened => {
  const body: EventBody = { type: 'gate.commented', gate: 'HITL-1.r1', round: 1, digest: 'design-1', comment, to };
  return { body, actor: 'user:ada' };
};

test('the last hand-over calls the one who was handed the gate, as long as it waits', () => {
  expect(textsOf([...DESIGNED, handed('bob'), handed('cleo', 'You know gift cards.')])).toEqual([
    'HITL-1.r1 of desk waits for a decision.',
    'user:ada handed HITL-1.r1 of desk to user:cleo, who is asked to decide it. "You know gift cards."',
  ]);
  expect(textsOf([...DESIGNED, handed('bob'), ...APPROVED.slice(DESIGNED.length)]).join(' ')).not.toContain('handed');
});

test('a reminder says how long the gate has waited', () => {
  expect(textsOf([...DESIGNED, reminded], 1.5)[1]).toBe('HITL-1.r1 of desk has waited for 1 hour.');
  expect(textsOf([...DESIGNED, reminded], 5)[1]).toBe('HITL-1.r1 of desk has waited for 5 hours.');
});

test('the time for which a gate was answered is none that it waited', () => {
  // Decided as event 3 and taken back as event 4: one second, without which the fifth hour is not over.
  const story = [...APPROVED, undone(nonceOf(APPROVED[3])), reminded];
  expect(textsOf(story, 5)[1]).toBe('HITL-1.r1 of desk has waited for 4 hours.');
});

test('a rate that misses the target does not read like the target, and without a judged sample there is none', () => {
  const begun = [created({ maxIterations: 1 }), ...APPROVED.slice(1)];
  expect(textsOf([...begun, iterationDone(1, 0.8496)]).at(-1)).toBe(
    'desk has ended: the target is not met at 84.96 %.',
  );
  const empty = iterationDone(1, 0, 1, {
    passed: 0,
    total: 0,
    unscored: 20,
    layers: { '1': 0, '2': 0, '3': 0, '4': 0 },
  });
  expect(textsOf([...begun, empty]).at(-1)).toBe('desk has ended: the target is not met.');
});
