/** `tandem context plan`: where compaction should begin for a model and a growth rate, with the assumptions. */
import { requireModel, type KnownModel } from '../../app/models/known-model.ts';
import { findHome } from '../../config/home.ts';
import { loadPolicy } from '../../config/load-agent.ts';
import { planTrigger } from '../../context-lab/economics-plan.ts';
import type { Session } from '../../context-lab/economics.ts';
import type { Policy } from '../../context/policy.ts';
import { fitRecorded } from '../../context-lab/replay/calibration.ts';
import { usageError } from '../../errors.ts';
import { toPriceWeights } from '../../ports/model.ts';
import { renderTriggerPlan } from '../../report/context/plan.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { terminalSize, type JsonFlag, type TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import { readTranscript } from './read-transcript.ts';

export type ContextPlanOptions = TextFlags<'from' | 'window'> &
  JsonFlag & { model: string; policy: string; calls: string };

/** Values of the published comparison, used for everything that is not measured. */
const USUAL = { fixed: 10_000, answer: 250, result: 2500 };
const PLAIN_COLUMNS = 110;
const MAX_OUTPUT = 16_000;

type MeasuredGrowth = { fixed: number; answer: number; result: number; source: string };

export async function planContext(options: ContextPlanOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const [model, policy] = [await requireModel(home, options.model), await loadPolicy(home, options.policy)];
  const measured =
    options.from === undefined ? { ...USUAL, source: 'assumed' } : await measureGrowth(options.from, model);
  const session = buildCostSession(options, measured, { model, policy });
  const window = parseOptionalCount('--window', options.window) ?? model.window;
  const maxOutput = Math.min(MAX_OUTPUT, model.maxOutput);
  const plan = planTrigger({ session, window, maxOutput, reserve: policy.trigger.reserve });
  const assumptions = listAssumptions({ session, window, maxOutput, model, policy, source: measured.source });
  if (options.json === true) {
    io.out(JSON.stringify({ model: model.id, policy: policy.name, window, maxOutput, session, ...plan, assumptions }));
    return EXIT.met;
  }
  const words = { assumptions, inputPrice: model.price.input / 1_000_000 };
  for (const line of renderTriggerPlan(plan, words, terminalSize(io, PLAIN_COLUMNS))) io.out(line);
  return EXIT.met;
}

function buildCostSession(
  options: ContextPlanOptions,
  { fixed, answer, result }: MeasuredGrowth,
  { model: { price }, policy: { keep, summary } }: { model: KnownModel; policy: Policy },
): Session {
  return {
    ...{ fixed, answer, result },
    calls: parseOptionalCount('--calls', options.calls) ?? 400,
    summary: summary.maxTokens,
    keep: Math.min(keep.maxTokens ?? Number.POSITIVE_INFINITY, keep.steps * (answer + result)),
    weights: toPriceWeights(price),
  };
}

/** Measures the growth of a recorded conversation, scaled to its billed tokens where the recording has them. */
async function measureGrowth(path: string, { id }: KnownModel): Promise<MeasuredGrowth> {
  const { entries } = await readTranscript(path);
  const fit = fitRecorded(entries);
  const answers = entries.filter(({ origin }) => origin === 'model');
  if (answers.length < 2) throw usageError(`${path}: too short to measure growth: ${answers.length} answers.`);
  const perCall = (list: typeof entries) =>
    Math.round((estimateMessages(list.map(({ message }) => message)) * (fit?.ratio ?? 1)) / answers.length);
  return {
    fixed: fit?.fixed ?? USUAL.fixed,
    answer: perCall(answers),
    result: perCall(entries.filter(({ origin }) => origin !== 'model')),
    source: `measured on ${answers.length} calls of ${path}${fit === undefined ? ', by estimate' : `, as billed to it (its tokenizer may count otherwise than that of ${id})`}`,
  };
}

function listAssumptions(known: {
  session: Session;
  window: number;
  maxOutput: number;
  model: KnownModel;
  policy: Policy;
  source: string;
}): string[] {
  const { session, window, maxOutput, model, policy, source } = known;
  const { price } = model;
  return [
    `${session.calls} calls; each answers with ${session.answer} tokens and brings ${session.result} (${source}).`,
    `System prompt and tools: ${session.fixed} tokens. A compaction leaves a summary of ${session.summary} and at most ${session.keep} tokens of the latest steps (policy ${policy.name}).`,
    `Window ${window}, output cap ${maxOutput}, reserve ${policy.trigger.reserve}: no trigger above ${window - maxOutput - policy.trigger.reserve}.`,
    `${model.id} per million tokens: input $${price.input}, cache write $${price.cacheWrite}, cache read $${price.cacheRead}, output $${price.output} (config/models.yaml).`,
    ...(price.longPrompt === undefined
      ? []
      : [
          `Prompts above ${price.longPrompt.above} tokens cost more on this model; the curve does not show it: stay below.`,
        ]),
    'The summary is asked for at the end of the live request and reads its cache; the cache never expires between two calls.',
    'Every call is the same size. Quality is not in the curve, but for the tie: of two triggers that cost about the same, the later one.',
  ];
}
