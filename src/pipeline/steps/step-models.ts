/** The models of a step: every call is paid from the run's budget, remembered by the attempt, and reported as progress. */
import type { Attempt } from '../../ports/artifacts.ts';
import type { Model, ModelFacts } from '../../ports/model.ts';
import type { RunFolder, Spending } from '../../ports/run-store.ts';
import { withImages } from '../../agent/images.ts';
import { beginStep } from '../drive/begin-step.ts';
import type { Deps } from '../deps.ts';
import { paidModel } from '../spending/paid-model.ts';

/** Makes a model whose calls are remembered under `lane` and booked on `agent`. */
export type ModelFor = (lane: string, agent: string, facts: ModelFacts) => Model;

/** `lane` gives each model a purse of its own, whose calls follow one another. */
export async function modelMaker(
  { run, attempt, lane }: { run: RunFolder; attempt: Attempt; lane: () => Spending },
  capUsd: number,
  deps: Deps,
): Promise<ModelFor> {
  const spent = await run.spending.list();
  let totalUsd = spent.reduce((sum, { usd }) => sum + usd, 0);
  let calls = spent.reduce((sum, { answers }) => sum + answers, 0);
  const begin = beginStep(run, attempt.step);
  return (name, agent, facts) => {
    const paid = paidModel({
      begin,
      model: deps.model,
      facts,
      attempt,
      spending: lane(),
      capUsd,
      agent,
      lane: name,
      onPaid: (usd) => {
        totalUsd += usd;
        calls += 1;
        deps.progress({ type: 'spend', totalUsd, calls });
        deps.telemetry?.count('tandem.cost', usd, { 'gen_ai.agent.name': agent, 'gen_ai.request.model': facts.id });
      },
    });
    return withImages(paid, run.transcripts.images);
  };
}
