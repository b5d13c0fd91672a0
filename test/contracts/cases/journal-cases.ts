/** The rules of every journal, whatever stores it. */
import assert from 'node:assert/strict';
import type { Journal } from '../../../src/ports/journal.ts';
import type { EventBody } from '../../../src/run/event.ts';
import { createCases, type Checks, type ContractCase, checksFor } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';

export type JournalUnderTest = { journal: Journal; again: () => Journal };

export const CREATED: EventBody = {
  ...{ type: 'run.created', machineVersion: 1, scenario: 'refund-desk', simulated: true },
  ...{ scenarioDigest: 'scenario-1', configDigest: 'config-1' },
  limits: { target: 0.85, gate: 'rate', maxIterations: 8, maxRounds: 5, patience: 3, budgetUsd: 25 },
};
const started: EventBody = { type: 'run.started' };
const STORY: readonly { body: EventBody; actor: string }[] = [
  { body: CREATED, actor: 'user:starter' },
  { body: started, actor: 'worker:a' },
  {
    body: { type: 'design.done', round: 1, digest: 'design-1', packDigest: 'pack-1', rules: 10, need: 1 },
    actor: 'agent:init',
  },
  {
    body: {
      ...{ type: 'gate.decided', gate: 'HITL-1.r1', round: 1, decision: 'approve', digest: 'design-1' },
      ...{ comment: 'gut: „ja“\u2028', via: 'cli', nonce: 'n1' },
    },
    actor: 'user:ada',
  },
];

const CHECKS: Checks<JournalUnderTest> = {
  'is empty at first': async ({ journal }) => {
    assert.deepEqual(await journal.read(), []);
  },

  'gives back what was appended, in order, to every reader': async ({ journal, again }) => {
    for (const [length, { body, actor }] of STORY.entries()) await journal.append(body, actor, length);
    const events = await again().read();
    assert.deepEqual(
      events.map(({ seq, actor, body }) => ({ seq, actor, body })),
      STORY.map(({ actor, body }, seq) => ({ seq, actor, body })),
    );
  },

  'answers with the event as it now stands there': async ({ journal }) => {
    const event = await journal.append(CREATED, 'user:ada', 0);
    assert.deepEqual(await journal.read(), [event]);
  },

  'says whether an event of a number is there, also when another wrote it': async ({ journal, again }) => {
    assert.equal(await journal.holds(0), false);
    await again().append(CREATED, 'user:ada', 0);
    assert.deepEqual([await journal.holds(0), await journal.holds(1)], [true, false]);
  },

  'gives only the events after one that the reader names': async ({ journal, again }) => {
    const first = await journal.append(CREATED, 'user:ada', 0);
    assert.deepEqual(await again().read(first), []);
    const second = await again().append(started, 'worker:a', 1);
    assert.deepEqual(await journal.read(first), [second]);
    assert.deepEqual(await journal.read(second), []);
  },

  'chains each event to the hash of the one before': async ({ journal }) => {
    const first = await journal.append(CREATED, 'user:ada', 0);
    const second = await journal.append(started, 'worker:a', 1);
    assert.equal(first.prev, '');
    assert.equal(second.prev, first.hash);
    assert.match(second.hash, /^[0-9a-f]{64}$/);
    assert.notEqual(second.hash, first.hash);
  },

  ...checksFor([0, 2, 7], (length) => [
    `refuses a writer who believes that it holds ${length} events when it holds 1`,
    async ({ journal, again }: JournalUnderTest) => {
      await journal.append(CREATED, 'user:ada', 0);
      await assertRejects(again().append(started, 'worker:a', length), {
        code: 'journal_conflict',
      });
      assert.equal((await journal.read()).length, 1);
    },
  ]),

  'lets one of many writers win, and the others write nothing': async ({ journal, again }) => {
    await journal.append(CREATED, 'user:ada', 0);
    const writers = Array.from({ length: 8 }, (_, index) => again().append(started, `worker:${index}`, 1));
    const outcomes = await Promise.allSettled(writers);
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.actor] : []));
    assert.equal(won.length, 1);
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    for (const reason of lost) assertLike(reason, { code: 'journal_conflict' });
    assert.deepEqual(
      (await journal.read()).map(({ actor }) => actor),
      ['user:ada', ...won],
    );
  },
};

/** `open` makes a fresh journal; `again` reopens the last one as another process would. */
export function journalCases(make: () => Promise<JournalUnderTest>): ContractCase[] {
  return createCases(CHECKS, make);
}
