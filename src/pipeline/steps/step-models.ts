/** The models of a step: every call is paid from the run's budget, remembered by the attempt, and reported as progress. */
import type { Attempt } from '../../ports/artifacts.ts';
import type { Model, ModelFacts } from '../../ports/model.ts';
import type { RunFolder, Spending } from '../../ports/run-store.ts';
import { withImages } from '../../agent/images.ts';
import type { Deps } from '../deps.ts';
import { createInputBound, type InputBound } from '../spending/input-bound.ts';
import { paidModel } from '../spending/paid-model.ts';

/** Whom the calls of an evaluation are booked on; agents at work are never among them. */
export const SUBJECT = 'subject';
export const USER = 'user';
export const GRADER = 'grader';

/** Makes a model whose calls are remembered under `lane` and booked on `agent`. */
export type ModelFor = (lane: string, agent: string, facts: ModelFacts) => Model;

type Making = {
  run: Pick<RunFolder, 'dir' | 'shared' | 'spending' | 'transcripts'>;
  attempt: Pick<Attempt, 'step' | 'recall' | 'remember'>;
  /** A purse for each model, whose calls follow one another. */
  lane: () => Spending;
  /** Before the first paid call. */
  begin?: () => Promise<void>;
};

export async function modelMaker(
  { run, attempt, lane, begin }: Making,
  capUsd: number,
  deps: Pick<Deps, 'progress' | 'telemetry' | 'economy' | 'model'>,
): Promise<ModelFor> {
  const spent = await run.spending.list();
  let totalUsd = spent.reduce((sum, { usd }) => sum + usd, 0);
  let uncertainUsd = spent.reduce((sum, one) => sum + one.uncertainUsd, 0);
  let calls = spent.reduce((sum, { answers }) => sum + answers, 0);
  const show = () => deps.progress({ type: 'spend', totalUsd, calls, ...(uncertainUsd > 0 ? { uncertainUsd } : {}) });
  // Who goes on with a run sees what is paid already, before the first call of this process.
  if (calls > 0) show();
  const onWait = sayOnce(deps.progress);
  return (name, agent, facts) => {
    const paid = paidModel({
      begin,
      model: modelOf({ run, attempt, lane: name, agent }, deps),
      facts,
      attempt,
      spending: lane(),
      capUsd,
      agent,
      lane: name,
      bound: name === agent ? boundOf(run.spending, agent) : createInputBound(),
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

const bounds = new WeakMap<Spending, Map<string, InputBound>>();

/** An agent's conversation goes on from turn to turn, so the first call of a turn continues the last one of the turn before. */
function boundOf(spending: Spending, agent: string): InputBound {
  const known = bounds.get(spending) ?? new Map<string, InputBound>();
  const bound = known.get(agent) ?? createInputBound();
  bounds.set(spending, known.set(agent, bound));
  return bound;
}

/** Calls look again ten times a second; a person reads it once a while. */
const NOTICE_MS = 10_000;

function sayOnce(progress: Deps['progress']): (heldUsd: number) => void {
  let saidAt = -NOTICE_MS;
  return (heldUsd) => {
    if (performance.now() - saidAt < NOTICE_MS) return;
    saidAt = performance.now();
    const detail = `a call waits for money: calls under way hold $${heldUsd.toFixed(2)} of the cap until they are settled`;
    progress({ type: 'state', status: 'notice', detail });
  };
}

type Booked = { run: Pick<RunFolder, 'dir' | 'shared'>; attempt: Pick<Attempt, 'step'>; lane: string; agent: string };

/** In a batch where the run is an economical one and nobody is at work. */
function modelOf(
  { run, attempt, lane, agent }: Booked,
  { economy, model, progress }: Pick<Deps, 'economy' | 'model' | 'progress'>,
): Model {
  if (economy === undefined || ![SUBJECT, USER, GRADER].includes(agent)) return model;
  return economy.model({
    dir: run.dir,
    files: run.shared,
    name: `${attempt.step}/${lane}`,
    tell: (detail) => progress({ type: 'state', status: 'notice', detail }),
  });
}
