/** Everything that a report says about a run, gathered from its folder and from nowhere else. */
import { inputTokens } from '../context/record/receipt.ts';
import { contextHistory } from '../context-lab/history.ts';
import { isHarnessError } from '../errors.ts';
import { readPack } from '../gate/read-pack.ts';
import { gateId } from '../gate/rules/gate.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RunFolder, SpendRecord } from '../ports/run-store.ts';
import type { RunSummary, SpentSummary } from '../report/run/run-summary.ts';
import { decide } from '../run/decide.ts';
import type { RunEvent } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { steeringOf } from '../run/steering.ts';
import { readResults } from '../run-folder/read-results.ts';
import { readForecast } from './forecast/saved-forecast.ts';
import { agentOf } from './sessions/read-sessions.ts';
import { briefOf } from './start-run.ts';
import { openSnapshot } from '../run-folder/snapshot.ts';
import { stepOfCall } from './spending/paid-model.ts';

export const AGENTS = ['init', 'execute'] as const;

/** `endpoint` is the address of the model, when the caller knows it. */
export async function summarise(run: RunFolder, endpoint?: string): Promise<RunSummary> {
  const { events, state } = await openSnapshot(run);
  const brief = await briefOf(run);
  const iterations = await Promise.all(state.iterations.map((iteration) => iterationOf(run, iteration)));
  return {
    run: run.id,
    scenario: run.scenario,
    title: brief.title,
    folder: run.dir,
    status: state.status,
    why: whyOf(state),
    target: state.origin.limits.target,
    gate: state.origin.limits.gate,
    rounds: state.designs.map((design) => roundOf(state, design)),
    iterations,
    ...steeringIn(events),
    compactions: await compactionsOf(run),
    contexts: await contextsOf(run),
    spend: await spendOf(run),
    budgetUsd: state.budgetUsd,
    ...omitUndefined({ forecast: await readForecast(run), cases: await casesOf(run, state, iterations) }),
    simulated: state.origin.simulated,
    endpoint: endpoint ?? (state.origin.simulated ? 'the offline model' : 'a Messages API'),
    sandbox: iterations.findLast((iteration) => iteration.results !== undefined)?.results?.sandbox ?? 'not used yet',
    policyActors: [
      ...new Set(state.decisions.map((decision) => decision.actor).filter((actor) => actor.startsWith('policy:'))),
    ],
    durationMs: durationOf(events),
    startedAt: state.origin.at,
  };
}

function steeringIn(events: readonly RunEvent[]): Pick<RunSummary, 'steering'> {
  const said = steeringOf(events).map(({ step, actor, at, text, heard }) =>
    omitUndefined({ step, agent: agentOf(step), actor, at, text, entry: heard?.entry }),
  );
  return said.length === 0 ? {} : { steering: said };
}

/** Of the newest design that came to a gate, with what samples have reached since; a report is made of what can be read. */
async function casesOf(
  run: RunFolder,
  { designs }: RunState,
  iterations: RunSummary['iterations'],
): Promise<RunSummary['cases']> {
  const newest = designs.at(-1);
  if (newest === undefined) return undefined;
  try {
    const { cases } = await readPack(run, gateId(newest.round));
    const proved = iterations.findLast(({ results }) => results?.verification.cases !== undefined);
    const reached = proved?.results?.verification.cases;
    if (cases === undefined || proved === undefined || reached === undefined) return cases;
    return { ...cases, reached: { iteration: proved.iteration, ...reached } };
  } catch (error) {
    if (isHarnessError(error)) return undefined;
    throw error;
  }
}

function whyOf(state: RunState): string {
  const command = decide(state);
  if (command.type === 'none') return command.verdict.why;
  if (command.type === 'wait') return command.why;
  return command.type === 'start'
    ? 'not started yet'
    : `${state.status}: ${command.type === 'design' ? `design of round ${command.round}` : `iteration ${command.iteration}`} is being made`;
}

function roundOf(state: RunState, design: RunState['designs'][number]): RunSummary['rounds'][number] {
  const decided = state.decisions.findLast((decision) => decision.round === design.round);
  const base = { round: design.round, digest: design.digest, comment: decided?.comment ?? '', rules: design.rules };
  return decided === undefined ? base : { ...base, decidedBy: decided.actor, decision: decided.decision };
}

async function iterationOf(
  run: RunFolder,
  iteration: RunState['iterations'][number],
): Promise<RunSummary['iterations'][number]> {
  const results = await readResults(run, iteration.iteration);
  const { round, successRate, passed, total, unscored, layers, outputDir, returned } = iteration;
  return {
    iteration: iteration.iteration,
    round,
    successRate,
    interval: results?.interval ?? [0, 1],
    passed,
    total,
    unscored,
    layers,
    returned: returned !== undefined,
    ...(returned === undefined ? {} : { problems: [...returned] }),
    costUsd: results?.costUsd ?? 0,
    ...(results === undefined ? {} : { results }),
    outputDir,
  };
}

async function compactionsOf(run: RunFolder): Promise<RunSummary['compactions']> {
  const perAgent = await Promise.all(
    AGENTS.map(async (agent) => {
      const rewrites = (await run.transcripts.calls(agent)).flatMap((call) => call.rewrites);
      // A call that failed and was tried again after it names its compaction twice.
      const made = new Map(rewrites.flatMap((one) => ('receipt' in one ? [[one.entry, one.receipt] as const] : [])));
      return [...made].map(([entry, { tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason }]) => ({
        ...{ agent, entry, tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason },
      }));
    }),
  );
  return perAgent.flat();
}

/** An agent that was never called has no context to show. */
async function contextsOf(run: RunFolder): Promise<NonNullable<RunSummary['contexts']>> {
  const all = await Promise.all(
    AGENTS.map(async (agent) => {
      const { transcripts } = run;
      return { agent, history: contextHistory(await transcripts.calls(agent)) };
    }),
  );
  return all.filter(({ history }) => history.calls.length > 0 || history.unanswered !== undefined);
}

/** From the first event to the last: the time at gates counts. */
function durationOf(events: readonly RunEvent[]): number {
  const [first, last] = [events[0], events.at(-1)];
  return first === undefined || last === undefined ? 0 : Date.parse(last.ts) - Date.parse(first.ts);
}

/** Calls of older programs have no duration; the sum covers only calls with one. */
export async function spendOf(run: RunFolder): Promise<RunSummary['spend']> {
  const paid = await run.spending.list();
  return {
    ...sumOf(paid),
    byAgent: sumsBy(paid, ({ agent }) => agent),
    byStep: sumsBy(paid, ({ call }) => stepOfCall(call)),
  };
}

function sumsBy(
  records: readonly SpendRecord[],
  nameOf: (record: SpendRecord) => string,
): Record<string, SpentSummary> {
  const groups = Map.groupBy(records, nameOf);
  return Object.fromEntries([...groups].map(([name, group]) => [name, sumOf(group)]));
}

/** What came from batches; undefined where nothing did. */
export function batchesIn(records: readonly SpendRecord[]): SpentSummary['batches'] {
  const inBatches = records.filter(({ usage }) => usage?.service_tier === 'batch');
  if (inBatches.length === 0) return undefined;
  return {
    usd: inBatches.reduce((sum, { usd }) => sum + usd, 0),
    calls: inBatches.reduce((sum, { answers }) => sum + answers, 0),
  };
}

/** A call that was answered more than once counts by its last answer. */
function cacheReadOf(records: readonly SpendRecord[]): number | undefined {
  const usages = records.flatMap(({ usage }) => usage ?? []);
  const input = usages.reduce((sum, usage) => sum + inputTokens(usage), 0);
  const read = usages.reduce((sum, { cache_read_input_tokens: tokens }) => sum + tokens, 0);
  return input === 0 ? undefined : Math.round((read / input) * 1000) / 1000;
}

function sumOf(records: readonly SpendRecord[]): SpentSummary {
  // A try under way may cost what is reserved for it, and so may one whose process died.
  const uncertainUsd = records.reduce((sum, one) => sum + one.uncertainUsd + one.reservedUsd, 0);
  const failed = records.reduce((sum, one) => sum + one.failed, 0);
  const times = records.flatMap(({ ms }) => ms ?? []);
  return {
    usd: records.reduce((sum, { usd }) => sum + usd, 0),
    calls: records.reduce((sum, { answers }) => sum + answers, 0),
    ...(uncertainUsd === 0 ? {} : { uncertainUsd }),
    ...(failed === 0 ? {} : { failed }),
    ...omitUndefined({ batches: batchesIn(records), cacheRead: cacheReadOf(records) }),
    ...(times.length === 0 ? {} : { ms: times.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(...times) }),
  };
}
