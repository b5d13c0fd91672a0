/** The clock of a trial is stopped while a call waits for its batch, and for no other call. */
import { expect, test } from 'vitest';
import { trialClock } from '../../../src/evaluation/trial/trial-clock.ts';
import type { ParticipantSources } from '../../../src/evaluation/trial/trial-participants.ts';
import type { Model } from '../../../src/ports/model.ts';
import { lampsBrief } from '../lamps.ts';
import { facts, say } from '../../support/responses.ts';

async function clockAfter(more: Partial<Model>) {
  let now = 0;
  const call: Model['call'] = async () => {
    now += 3_600_000;
    return say('Here.');
  };
  const clock = trialClock(() => now);
  const modelFor: ParticipantSources['modelFor'] = () => ({ call, ...more });
  const over = clock.over({ brief: lampsBrief(), modelFor, price: facts().price });
  const model = await over.modelFor('subject/x.1');
  await model.call({ model: 'm', system: [], tools: [], messages: [], max_tokens: 1 }, new AbortController().signal);
  now += 5;
  return clock.now();
}

test('an hour in a batch is no second of the trial', async () => {
  expect(await clockAfter({ batch: { liveToo: false } })).toBe(5);
});

test('an hour of a live call is an hour', async () => {
  expect(await clockAfter({})).toBe(3_600_005);
});
