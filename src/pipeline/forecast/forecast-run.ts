/** Forecasts the cost of a run before it begins and at its gates, from current prices and the use of earlier runs. */
import type { LoadedAgent } from '../../agent/definition.ts';
import type { ModelFacts } from '../../ports/model.ts';
import type { RunFolder, RunStore, SpendRecord } from '../../ports/run-store.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import type { Brief } from '../../scenario/brief.ts';
import { computeForecast, type Forecast } from '../../scenario/forecast/forecast.ts';
import { scaleTokens, type RunUse, type Tokens, addTokens, NO_TOKENS } from '../../scenario/forecast/run-use.ts';
import { chooserModelName, messagesModel, userModelName } from '../../scenario/subject.ts';
import type { Deps } from '../deps.ts';
import { parseCallStep } from '../spending/paid-model.ts';
import { readBrief } from '../start-run.ts';

/** Number of ended runs, of the scenario and of others, that are read; more would slow a start down. */
const MOST_RUNS = 6;
/** Number of runs that are examined to find ended ones, since most may be unfinished. */
const MOST_LOOKED_AT = 24;

export type ForecastDeps = {
  store: RunStore;
  agents: Record<'init' | 'execute', Pick<LoadedAgent, 'definition'>>;
  simulated: boolean;
  /** Undefined for a model without a known price. */
  priceOf: (model: string) => Promise<ModelFacts['price'] | undefined>;
};

/** `sources` counts the characters that Init may read, before a run begins; `at` is a run that waits at a gate. */
export type RunForecastInput = { brief: Brief } & ({ sources: number; at?: undefined } | { at: RunFolder });

export async function forecastRun({ brief, ...from }: RunForecastInput, deps: ForecastDeps): Promise<Forecast> {
  const { at } = from;
  const history = await readHistory(brief.name, at?.id, deps);
  const { init, execute } = deps.agents;
  // Where no model plays the user, a small one may choose its moves, and reads the subject's statements.
  const isPlayed = brief.user.simulator === 'model';
  const user = isPlayed ? userModelName(brief) : chooserModelName(brief, deps.simulated);
  const own = at && (await readRunUse(at));
  const graders = [...history.same, ...(own === undefined ? [] : [own])].flatMap(({ perTrial }) => perTrial);
  const names = [init.definition.model, execute.definition.model, messagesModel(brief.subject), user];
  const prices = await fetchPrices([...names, ...graders.map(({ model }) => model)], deps);
  const priceOf = (model: string | undefined): Tokens | undefined => prices.get(model ?? '');
  return computeForecast({
    ...{ brief, history, simulated: deps.simulated, sources: own?.sources ?? ('sources' in from ? from.sources : 0) },
    prices: {
      init: prices.get(init.definition.model),
      execute: prices.get(execute.definition.model),
      subject: priceOf(messagesModel(brief.subject)),
      user: priceOf(user),
    },
    priceOf,
    soFar: own && { use: own, rounds: own.rounds, iterations: own.iterations },
  });
}

/** Uses the prices at which the calls themselves will be booked. */
export function createForecastDeps(
  { store, agents, simulated, catalogue }: Pick<Deps, 'store' | 'agents' | 'simulated' | 'catalogue'>,
  signal: AbortSignal,
): ForecastDeps {
  const priceOf = (model: string) =>
    catalogue.describe(model, signal).then(
      ({ price }) => price,
      () => undefined,
    );
  return { store, agents, simulated, priceOf };
}

async function fetchPrices(
  names: readonly (string | undefined)[],
  { priceOf }: Pick<ForecastDeps, 'priceOf'>,
): Promise<ReadonlyMap<string, Tokens>> {
  const models = [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
  const priced = await Promise.all(models.map(async (model) => [model, await priceOf(model)] as const));
  return new Map(priced.flatMap(([model, price]) => (price === undefined ? [] : [[model, price] as const])));
}

type RunHistory = { same: RunUse[]; other: RunUse[] };

/** Reads the newest runs that ended by themselves and used the same kind of model, real or simulated. */
async function readHistory(
  scenario: string,
  except: string | undefined,
  { store, simulated }: Pick<ForecastDeps, 'store' | 'simulated'>,
): Promise<RunHistory> {
  const all = (await store.list()).filter(({ id }) => id !== except);
  const usesOf = async (runs: typeof all): Promise<RunUse[]> => {
    const uses: RunUse[] = [];
    for (const found of runs.slice(0, MOST_LOOKED_AT)) {
      const use = await readEndedUse(store.at(found), simulated);
      if (use !== undefined) uses.push(use);
      if (uses.length === MOST_RUNS) break;
    }
    return uses;
  };
  return {
    same: await usesOf(all.filter((one) => one.scenario === scenario)),
    other: await usesOf(all.filter((one) => one.scenario !== scenario)),
  };
}

/** Undefined for a run that has not ended or cannot be read, since it does not show the cost of a whole run. */
async function readEndedUse(run: RunFolder, simulated: boolean): Promise<RunUse | undefined> {
  try {
    const { state } = await openSnapshot(run);
    const isEnded = state.status === 'succeeded' || state.status === 'failed';
    if (!isEnded || state.origin.simulated !== simulated || state.iterations.length === 0) return undefined;
    return await readRunUse(run);
  } catch (unreadable) {
    void unreadable;
    return undefined;
  }
}

const AGENTS: ReadonlySet<string> = new Set(['init', 'execute']);

/** Sums what a run has used so far, from its journal and its books. */
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
