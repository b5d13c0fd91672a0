/** Reads the sessions of a run: each lane of every agent's conversation, folded from the files on disk (S3.1, S3.6). */
import { parseOrNone } from '../../disk/parse-file.ts';
import type { RunFolder, SpendRecord } from '../../ports/run-store.ts';
import { foldSession, sessionStatus, type AgentTools } from '../../run/fold-session.ts';
import type { SessionState } from '../../run/session.ts';
import { compareEntries, Entry, getEntryNumber } from '../../transcript/entry.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

/** Finds the tools in an agent's definition; undefined for an agent without one. */
export type AgentToolsLookup = (agent: string) => Promise<AgentTools | undefined>;

/** Returns the main lane of each agent first, then its others. An agent that has not spoken has no session. */
export async function readSessions(run: RunFolder, toolsOf: AgentToolsLookup): Promise<SessionState[]> {
  const { events, state } = await openSnapshot(run);
  const about = {
    ...{ id: run.id, scenario: run.scenario, status: sessionStatus(state), runStatus: state.status },
    ...{ startedBy: state.startedBy, lastAt: events.at(-1)?.ts ?? state.origin.at },
  };
  const [spent, files] = await Promise.all([run.spending.list(), run.list('scenario')]);
  const uploads = files.toSorted();
  const sessions: SessionState[] = [];
  for (const [agent, entries] of await readAllTranscripts(run)) {
    const tools = await toolsOf(agent);
    for (const lane of listLanes(entries)) {
      const costUsd = sumLaneCost(spent, agent, lane);
      sessions.push(foldSession({ run: about, agent, lane, entries, tools, uploads, costUsd }));
    }
  }
  return sessions;
}

/** Reads every agent's whole transcript; unpublished entries of a step follow the published ones. */
export async function readAllTranscripts(run: RunFolder): Promise<Map<string, Entry[]>> {
  const live = await liveStepEntries(run);
  const transcripts = new Map<string, Entry[]>();
  for (const agent of await listSpokenAgents(run, live)) {
    const published = await run.transcripts.read(agent);
    const steps = [...live].flatMap(([step, entries]) => (getStepAgent(step) === agent ? [entries] : []));
    const entries = steps.reduce(withStep, published);
    if (entries.length > 0) transcripts.set(agent, entries);
  }
  return transcripts;
}

/** Adds a step's live entries, unless the step was published and is longer, or other steps follow it. */
function withStep(published: readonly Entry[], live: readonly Entry[]): Entry[] {
  const [first] = live;
  const others = published.filter(({ step }) => step === undefined || step !== first?.step);
  const follows = first !== undefined && others.every((entry) => getEntryNumber(entry) < getEntryNumber(first));
  return follows && live.length > published.length - others.length ? [...others, ...live] : [...published];
}

async function listSpokenAgents(run: RunFolder, live: ReadonlyMap<string, unknown>): Promise<string[]> {
  const files = await run.list('transcripts');
  const spoken = files.flatMap((file) => /^transcripts\/([a-z][a-z0-9-]{0,63})\.jsonl$/.exec(file)?.[1] ?? []);
  return [...new Set([...spoken, ...[...live.keys()].map(getStepAgent)])].toSorted().toReversed();
}

/** Returns the agent of a step (S0.1: the pipeline alone knows the two by name). */
export function getStepAgent(step: string): string {
  return step.startsWith('design.') ? 'init' : 'execute';
}

export function listLanes(entries: readonly Entry[]): string[] {
  const lanes = [...new Set(entries.map(({ lane }) => lane))];
  return [...lanes.filter((lane) => lane === 'main'), ...lanes.filter((lane) => lane !== 'main')];
}

/** Sums the cost of one lane by its name; the main lane includes all lanes of the agent (S3.5). */
export function sumLaneCost(spent: readonly SpendRecord[], agent: string, lane: string): number {
  const mine = spent.filter((record) => record.agent === agent);
  const counted = lane === 'main' ? mine : mine.filter(({ call }) => call.includes(`.${agent}.${lane}.`));
  return counted.reduce((sum, { usd }) => sum + usd, 0);
}

/** Lists `wip/<step>@<worker>/transcript.jsonl` of every attempt. */
export async function listAttemptFiles(run: RunFolder): Promise<string[]> {
  return (await run.list('wip')).filter((file) => /^wip\/[^/]+\/transcript\.jsonl$/.test(file));
}

/** Reads the furthest attempt at each step in progress; a torn last line is left out. */
async function liveStepEntries(run: RunFolder): Promise<Map<string, Entry[]>> {
  const furthest = new Map<string, Entry[]>();
  for (const file of await listAttemptFiles(run)) {
    const step = file.slice('wip/'.length).split('@')[0] ?? '';
    const text = await run.read(file).catch(() => undefined);
    // Sub-agents that work at the same time write in any order.
    const entries = (text ?? '')
      .split('\n')
      .flatMap((line) => parseOrNone(Entry, line) ?? [])
      .toSorted(compareEntries);
    if (entries.length > (furthest.get(step)?.length ?? 0)) furthest.set(step, entries);
  }
  return furthest;
}
