/** Gathers everything that a report says about a run, from its folder alone. */
import { inputTokens } from '../transcript/message.ts';
import { contextHistory } from '../context-lab/history.ts';
import { ignoreHarnessError } from '../errors.ts';
import { readPack } from '../gate/read-pack.ts';
import { gateId } from '../gate/rules/gate.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RunFolder, SpendRecord } from '../ports/run-store.ts';
import type { RunSummary, SpentSummary } from '../report/run/run-summary.ts';
import { decide } from '../run/decide.ts';
import type { RunEvent } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { listSteering } from '../run/steering.ts';
import { readSettledResults } from './evaluation/settled-results.ts';
import { summariseDoubt } from '../scenario/statistics/judge-results.ts';
import { readForecast } from './forecast/saved-forecast.ts';
import { getStepAgent } from './sessions/read-sessions.ts';
import { readBrief } from './start-run.ts';
import { openSnapshot } from '../run-folder/snapshot.ts';
import { parseCallStep } from './spending/paid-model.ts';

export const AGENTS = ['init', 'execute'] as const;

/** `endpoint` is the address of the model, when the caller knows it. */
export async function summarise(run: RunFolder, endpoint?: string): Promise<RunSummary> {
  const { events, state } = await openSnapshot(run);
  const brief = await readBrief(run);
  const iterations = await Promise.all(
    state.iterations.map((iteration) => summariseIteration(run, iteration, state.origin.limits)),
  );
  return {
    run: run.id,
    scenario: run.scenario,
    title: brief.title,
    folder: run.dir,
    status: state.status,
    why: explainState(state),
    target: state.origin.limits.target,
    gate: state.origin.limits.gate,
    rounds: state.designs.map((design) => toRoundSummary(state, design)),
    iterations,
    ...listSteeringNotes(events),
    compactions: await listCompactions(run),
    contexts: await listContexts(run),
    spend: await sumRunSpend(run),
    budgetUsd: state.budgetUsd,
    ...omitUndefined({ forecast: await readForecast(run), cases: await summariseCases(run, state, iterations) }),
    simulated: state.origin.simulated,
    endpoint: endpoint ?? (state.origin.simulated ? 'the offline model' : 'a Messages API'),
    sandbox: iterations.findLast((iteration) => iteration.results !== undefined)?.results?.sandbox ?? 'not used yet',
    policyActors: [
      ...new Set(state.decisions.map((decision) => decision.actor).filter((actor) => actor.startsWith('policy:'))),
    ],
    durationMs: computeDuration(events),
    startedAt: state.origin.at,
  };
}

function listSteeringNotes(events: readonly RunEvent[]): Pick<RunSummary, 'steering'> {
  const said = listSteering(events).map(({ step, actor, at, text, heard }) =>
    omitUndefined({ step, agent: getStepAgent(step), actor, at, text, entry: heard?.entry }),
  );
  return said.length === 0 ? {} : { steering: said };
}

/** Summarises the cases of the newest design at a gate, and which of them samples reach; undefined if unreadable. */
async function summariseCases(
  run: RunFolder,
  { designs }: RunState,
  iterations: RunSummary['iterations'],
): Promise<RunSummary['cases']> {
  const newest = designs.at(-1);
  if (newest === undefined) return undefined;
  const cases = (await readPack(run, gateId(newest.round)).catch(ignoreHarnessError))?.cases;
  const proved = iterations.findLast(({ results }) => results?.verification.cases !== undefined);
  const reached = proved?.results?.verification.cases;
  if (cases === undefined || proved === undefined || reached === undefined) return cases;
  return { ...cases, reached: { iteration: proved.iteration, ...reached } };
}

function explainState(state: RunState): string {
  const command = decide(state);
  if (command.type === 'none') return command.verdict.why;
  if (command.type === 'wait') return command.why;
  return command.type === 'start'
    ? 'Nothing has been done yet.'
    : `${command.type === 'design' ? `The design of round ${command.round}` : `Iteration ${command.iteration}`} is not finished.`;
}

function toRoundSummary(state: RunState, design: RunState['designs'][number]): RunSummary['rounds'][number] {
  const decided = state.decisions.findLast((decision) => decision.round === design.round);
  const base = { round: design.round, digest: design.digest, comment: decided?.comment ?? '', rules: design.rules };
  return decided === undefined ? base : { ...base, decidedBy: decided.actor, decision: decided.decision };
}

async function summariseIteration(
  run: RunFolder,
  iteration: RunState['iterations'][number],
  limits: RunState['origin']['limits'],
): Promise<RunSummary['iterations'][number]> {
  const results = await readSettledResults(run, iteration.iteration);
  const { round, outputDir, returned } = iteration;
  // Labels that settled a verdict may have changed what the journal says.
  const { successRate, passed, total, unscored, layers } = results ?? iteration;
  return {
    iteration: iteration.iteration,
    round,
    successRate,
    interval: results?.interval ?? [0, 1],
    passed,
    total,
    unscored,
    ...(results === undefined ? {} : summariseDoubt(results, limits)),
    layers,
    returned: returned !== undefined,
    ...(returned === undefined ? {} : { problems: [...returned] }),
    costUsd: results?.costUsd ?? 0,
    ...(results === undefined ? {} : { results }),
    outputDir,
  };
}

async function listCompactions(run: RunFolder): Promise<RunSummary['compactions']> {
  const perAgent = await Promise.all(
    AGENTS.map(async (agent) => {
      const rewrites = (await run.transcripts.calls(agent)).flatMap((call) => call.rewrites);
      // A call that failed and was tried again afterwards names its compaction twice.
      const made = new Map(rewrites.flatMap((one) => ('receipt' in one ? [[one.entry, one.receipt] as const] : [])));
      return [...made].map(([entry, { tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason }]) => ({
        ...{ agent, entry, tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason },
      }));
    }),
  );
  return perAgent.flat();
}

/** Leaves out an agent that was never called, because it has no context to show. */
async function listContexts(run: RunFolder): Promise<NonNullable<RunSummary['contexts']>> {
  const all = await Promise.all(
    AGENTS.map(async (agent) => ({ agent, history: contextHistory(await run.transcripts.calls(agent)) })),
  );
  return all.filter(({ history }) => history.calls.length > 0 || history.unanswered !== undefined);
}

/** Computes the time from the first event to the last, including the time at gates. */
function computeDuration(events: readonly RunEvent[]): number {
  const [first, last] = [events[0], events.at(-1)];
  return first === undefined || last === undefined ? 0 : Date.parse(last.ts) - Date.parse(first.ts);
}

/** The time sums only calls with a duration; calls of older programs have none. */
export async function sumRunSpend(run: RunFolder): Promise<RunSummary['spend']> {
  const paid = await run.spending.list();
  return {
    ...sumRecords(paid),
    byAgent: sumRecordsBy(paid, ({ agent }) => agent),
    byStep: sumRecordsBy(paid, ({ call }) => parseCallStep(call)),
  };
}

function sumRecordsBy(
  records: readonly SpendRecord[],
  nameOf: (record: SpendRecord) => string,
): Record<string, SpentSummary> {
  const groups = Map.groupBy(records, nameOf);
  return Object.fromEntries([...groups].map(([name, group]) => [name, sumRecords(group)]));
}

/** A call that was answered more than once counts by its last answer. */
function computeCacheRead(records: readonly SpendRecord[]): number | undefined {
  const usages = records.flatMap(({ usage }) => usage ?? []);
  const input = usages.reduce((sum, usage) => sum + inputTokens(usage), 0);
  const read = usages.reduce((sum, { cache_read_input_tokens: tokens }) => sum + tokens, 0);
  return input === 0 ? undefined : Math.round((read / input) * 1000) / 1000;
}

function sumRecords(records: readonly SpendRecord[]): SpentSummary {
  // A try under way may cost what is reserved for it, and so may one whose process died.
  const uncertainUsd = records.reduce((sum, one) => sum + one.uncertainUsd + one.reservedUsd, 0);
  const failed = records.reduce((sum, one) => sum + one.failed, 0);
  const unlikelyUsd = records.reduce((sum, one) => sum + (one.unlikelyUsd ?? 0), 0);
  const times = records.flatMap(({ ms }) => ms ?? []);
  return {
    usd: records.reduce((sum, { usd }) => sum + usd, 0),
    calls: records.reduce((sum, { answers }) => sum + answers, 0),
    ...(uncertainUsd === 0 ? {} : { uncertainUsd }),
    ...(unlikelyUsd === 0 ? {} : { unlikelyUsd }),
    ...(failed === 0 ? {} : { failed }),
    ...omitUndefined({ cacheRead: computeCacheRead(records) }),
    ...(times.length === 0 ? {} : { ms: times.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(...times) }),
  };
}
