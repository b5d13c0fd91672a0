/** Sums what a run has used so far, from its journal and its books. */
import type { RunFolder, SpendRecord } from '../../ports/run-store.ts';
import { addTokens, NO_TOKENS, scaleTokens, type RunUse, type Tokens } from '../../scenario/forecast/run-use.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { parseCallStep } from '../spending/paid-model.ts';
import { readBrief } from '../start-run.ts';

const AGENTS: ReadonlySet<string> = new Set(['init', 'execute']);

export async function readRunUse(run: RunFolder): Promise<RunUse> {
  const { state } = await openSnapshot(run);
  const brief = await readBrief(run);
  const texts = await Promise.all(brief.reads.map((path) => run.read(`scenario/${path}`)));
  const paid = await run.spending.list();
  const { round: rounds } = state;
  const iterations = state.iterations.length;
  const trials = state.iterations.reduce((sum, { total }) => sum + total, 0) * brief.trials;
  const ofAgent = (agent: string, step: RegExp): Tokens =>
    sumTokens(paid.filter((one) => one.agent === agent && step.test(parseCallStep(one.call))));
  return {
    sources: texts.reduce((sum, text) => sum + (text?.length ?? 0), 0),
    samples: Math.max(0, ...state.iterations.map(({ total }) => total)),
    samplesMin: brief.samples.min,
    rounds,
    iterations,
    design: ofAgent('init', /^design\.r1$/),
    redesign: scaleTokens(ofAgent('init', /^design\.r(?!1$)/), 1 / Math.max(1, rounds - 1)),
    build: ofAgent('execute', /^execute\.i1$/),
    repair: scaleTokens(ofAgent('execute', /^execute\.i(?!1$)/), 1 / Math.max(1, iterations - 1)),
    perTrial: toTrialUse(paid, Math.max(1, trials)),
  };
}

function toTrialUse(paid: readonly SpendRecord[], trials: number): RunUse['perTrial'] {
  const inTrials = paid.filter(({ agent, call }) => !AGENTS.has(agent) && parseCallStep(call).startsWith('execute.'));
  const groups = Map.groupBy(inTrials, ({ agent, model }) => `${agent} ${model}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ who: first.agent, model: first.model, tokens: scaleTokens(sumTokens(group), 1 / trials) }];
  });
}

function sumTokens(records: readonly SpendRecord[]): Tokens {
  return records.reduce((sum, { usage }) => {
    if (usage === undefined) return sum;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
    return addTokens(sum, {
      input: input_tokens,
      cacheWrite: cache_creation_input_tokens,
      cacheRead: cache_read_input_tokens,
      output: output_tokens,
    });
  }, NO_TOKENS);
}
