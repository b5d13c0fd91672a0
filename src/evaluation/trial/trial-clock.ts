/** The clock of one trial: it is stopped while a call waits for a batch, a place, money or another try: the subject is not slow then. */
import type { CallTerms, Model } from '../../ports/model.ts';
import type { ParticipantSources } from './trial-participants.ts';

export type TrialClock = {
  now: () => number;
  /** The same sources, whose models stop the clock where they wait. */
  over: <Sources extends ParticipantSources>(sources: Sources) => Sources;
};

export function trialClock(now: () => number): TrialClock {
  let waited = 0;
  const stopping = (model: Model): Model => {
    const call: Model['call'] = async (request, signal, terms) => {
      const from = now();
      let answersFrom = model.batch === undefined ? from : Infinity;
      const onPhase: CallTerms['onPhase'] = (phase) => {
        terms?.onPhase?.(phase);
        // The last try is the one that was answered.
        if (phase === 'sent') answersFrom = now();
      };
      try {
        return await model.call(request, signal, { ...terms, onPhase });
      } finally {
        waited += Math.min(answersFrom, now()) - from;
      }
    };
    return { ...model, call };
  };
  type ModelFor = ParticipantSources['modelFor'];
  const stopped =
    (modelFor: ModelFor): ModelFor =>
    async (lane) =>
      stopping(await modelFor(lane));
  return {
    now: () => now() - waited,
    over: (sources) => ({
      ...sources,
      modelFor: stopped(sources.modelFor),
      ...(sources.userModel && { userModel: { ...sources.userModel, modelFor: stopped(sources.userModel.modelFor) } }),
    }),
  };
}
