/** The clock of a trial is stopped while a call waits: for a place, or for another try. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callSubject } from '../../../src/evaluation/trial/subject-turn.ts';
import { createTrialClock } from '../../../src/evaluation/trial/run-trial.ts';
import type { ParticipantSources } from '../../../src/evaluation/trial/trial-participants.ts';
import type { Model } from '../../../src/ports/model.ts';
import { lampsBrief } from '../lamps.ts';
import { facts, say } from '../../support/responses.ts';

const REQUEST = { model: 'm', system: [], tools: [], messages: [], max_tokens: 1 };

test('an hour of a live call is an hour', async () => {
  let now = 0;
  const call: Model['call'] = async () => {
    now += 3_600_000;
    return say('Here.');
  };
  const clock = createTrialClock(() => now);
  const modelFor: ParticipantSources['modelFor'] = () => ({ call });
  const over = clock.over({ brief: lampsBrief(), modelFor, price: facts().price });
  await (await over.modelFor('subject/x.1')).call(REQUEST, new AbortController().signal);
  now += 5;
  expect(clock.now()).toBe(3_600_005);
});

test('an outage before the try that is answered is no second of the trial', async () => {
  let now = 0;
  const call: Model['call'] = async (_request, _signal, terms) => {
    terms?.onPhase?.('waiting');
    now += 60_000;
    terms?.onPhase?.('sent');
    now += 7;
    terms?.onPhase?.('waiting');
    return say('Here.');
  };
  const clock = createTrialClock(() => now);
  const modelFor: ParticipantSources['modelFor'] = () => ({ call });
  const over = clock.over({ brief: lampsBrief(), modelFor, price: facts().price });
  await (await over.modelFor('subject/x.1')).call(REQUEST, new AbortController().signal);
  expect(clock.now()).toBe(7);
});

test('the time of a sample ends a try that takes too long, and no wait before it', async () => {
  const { signal } = new AbortController();
  const patient: Model = {
    call: async (_request, _signal, terms) => {
      terms?.onPhase?.('waiting');
      await delay(40);
      terms?.onPhase?.('sent');
      return say('Here.');
    },
  };
  expect(await callSubject(patient, REQUEST, { leftMs: 15, signal })).toMatchObject({ type: 'answered' });
  const slow: Model = { call: async (_request, until) => delay(5000, say('never'), { signal: until }) };
  expect(await callSubject(slow, REQUEST, { leftMs: 15, signal })).toMatchObject({ type: 'stopped', stop: 'seconds' });
});
