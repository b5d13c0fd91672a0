/** Creates the models of a step: calls are paid from the run's budget, remembered by the attempt, and reported. */
import type { Attempt } from '../../ports/artifacts.ts';
import type { Model, ModelFacts } from '../../ports/model.ts';
import type { RunFolder, Spending } from '../../ports/run-store.ts';
import { withImages } from '../../agent/images.ts';
import { getOrCreate } from '../../get-or-create.ts';
import type { Deps } from '../deps.ts';
import { createInputBound, type InputBound } from '../spending/input-bound.ts';
import { createPaidModel } from '../spending/paid-model.ts';

/** Names on which the calls of an evaluation are booked; agents at work never use them. */
export const SUBJECT = 'subject';
export const USER = 'user';
export const GRADER = 'grader';

/** Makes a model whose calls are remembered under `lane` and booked on `agent`. */
export type ModelFor = (lane: string, agent: string, facts: ModelFacts) => Model;

type ModelMakerInput = {
  run: Pick<RunFolder, 'spending' | 'transcripts'>;
  attempt: Pick<Attempt, 'step' | 'recall' | 'remember'>;
  /** Returns the ledger of one model, whose calls follow one another. */
  lane: () => Spending;
  /** Called before the first paid call. */
  begin?: () => Promise<void>;
};

export async function createModelMaker(
  { run, attempt, lane, begin }: ModelMakerInput,
  capUsd: number,
  deps: Pick<Deps, 'progress' | 'telemetry' | 'model'>,
): Promise<ModelFor> {
  const spent = await run.spending.list();
  let totalUsd = spent.reduce((sum, { usd }) => sum + usd, 0);
  let uncertainUsd = spent.reduce((sum, one) => sum + one.uncertainUsd, 0);
  let calls = spent.reduce((sum, { answers }) => sum + answers, 0);
  const show = () => deps.progress({ type: 'spend', totalUsd, calls, ...(uncertainUsd > 0 ? { uncertainUsd } : {}) });
  // Shows a person who resumes a run what is already paid, before the first call of this process.
  if (calls > 0) show();
  const onWait = createWaitNotice(deps.progress);
  return (name, agent, facts) => {
    const paid = createPaidModel({
      begin,
      model: deps.model,
      facts,
      attempt,
      spending: lane(),
      capUsd,
      agent,
      lane: name,
      bound: name === agent ? getInputBound(run.spending, agent) : createInputBound(),
      onWait,
      onFailed: (cost) => {
        totalUsd += cost.usd;
        uncertainUsd += cost.uncertainUsd;
        show();
      },
      onPaid: (usd) => {
        totalUsd += usd;
        calls += 1;
        show();
        deps.telemetry?.count('tandem.cost', usd, { 'gen_ai.agent.name': agent, 'gen_ai.request.model': facts.id });
      },
    });
    return withImages(paid, run.transcripts.images);
  };
}

const inputBounds = new WeakMap<Spending, Map<string, InputBound>>();

/** A conversation goes on from turn to turn, so the first call of a turn continues the last one of the turn before. */
function getInputBound(spending: Spending, agent: string): InputBound {
  const known = getOrCreate(inputBounds, spending, () => new Map<string, InputBound>());
  return getOrCreate(known, agent, createInputBound);
}

/** Interval between notices to a person, although calls look ten times a second. */
const NOTICE_MS = 10_000;

function createWaitNotice(progress: Deps['progress']): (heldUsd: number) => void {
  let saidAt = -NOTICE_MS;
  return (heldUsd) => {
    if (performance.now() - saidAt < NOTICE_MS) return;
    saidAt = performance.now();
    const detail = `a call waits for money: calls under way hold $${heldUsd.toFixed(2)} of the cap until they are settled`;
    progress({ type: 'state', status: 'notice', detail });
  };
}
