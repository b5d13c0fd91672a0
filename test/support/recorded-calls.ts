/** Model calls of a trial as the recorder packs them, from what went over the wire. */
import { recordCalls } from '../../src/evaluation/trial/record-calls.ts';
import type { ParticipantSources } from '../../src/evaluation/trial/trial-participants.ts';
import type { WireExchange } from '../../src/ports/model.ts';
import type { TrialCalls } from '../../src/scenario/trial-calls.ts';
import { lampsBrief } from '../evaluation/lamps.ts';
import { facts, say } from './responses.ts';

/** Each list is one call of the subject with its tries. */
export async function recordedCalls(calls: readonly (readonly WireExchange[])[]): Promise<TrialCalls | undefined> {
  const recorder = recordCalls();
  let at = 0;
  const modelFor: ParticipantSources['modelFor'] = () => ({
    call: async (_request, _signal, terms) => {
      for (const exchange of calls[at] ?? []) terms?.onExchange?.(exchange);
      at += 1;
      return say('Done.');
    },
  });
  const model = await recorder.over({ brief: lampsBrief(), modelFor, price: facts().price }).modelFor('subject/x.1');
  const request = { model: 'm', system: [], tools: [], messages: [], max_tokens: 1 };
  for (const _one of calls) await model.call(request, new AbortController().signal);
  return recorder.done();
}
