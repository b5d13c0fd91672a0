/** The clock of one trial: it is stopped while a call waits for its batch, because waiting is no slowness of the subject. */
import type { Model } from '../../ports/model.ts';
import type { ParticipantSources } from './trial-participants.ts';

export type TrialClock = {
  now: () => number;
  /** The same sources, whose models stop the clock where they wait. */
  over: <Sources extends ParticipantSources>(sources: Sources) => Sources;
};

export function trialClock(now: () => number): TrialClock {
  let waited = 0;
  const stopping = (model: Model): Model => {
    if (model.batch === undefined) return model;
    const call: Model['call'] = async (...args) => {
      const from = now();
      try {
        return await model.call(...args);
      } finally {
        waited += now() - from;
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
