/** Makes a new run that begins where another stood after one of its events, with all that was committed by then. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../errors.ts';
import { gateId } from '../../gate/rules/gate.ts';
import type { RunFolder, ReadDeps } from '../../ports/run-store.ts';
import { MACHINE_VERSION, type RunEvent } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import type { Entry } from '../../transcript/entry.ts';
import { listStoredImages } from '../../transcript/images.ts';
import { designDir, outputDir } from '../../run/layout.ts';
import { writeRunConfig, readRunConfig } from '../run-config.ts';
import { newRunId } from '../start-run.ts';
import { findLastStepEnd } from '../steps/cache-expiry.ts';
import { readExchangeEntries } from '../chat/record-exchange.ts';
import { CHAT } from '../chat/conversation.ts';
import { AGENTS } from '../summarise.ts';
import { readEvents, readState, withTranscriptDigest, refuseDamagedTranscripts } from '../../run-folder/snapshot.ts';
import { createSnapshot } from '../../run/snapshot.ts';

export type ForkOptions = {
  actor: string;
  /** Number of the last event that both runs share; default: the last one after which the new run can go on. */
  at?: number;
  id?: string;
  /** Absolute folder of the scenario in which the new run is made. */
  scenarioDir: string;
};

/** Made in a temporary folder and moved in one step, so that a fork that fails or is killed leaves no run behind. */
export async function forkRun(
  from: RunFolder,
  options: ForkOptions,
  deps: ReadDeps,
): Promise<{ run: RunFolder; at: number; state: RunState }> {
  const events = await readEvents(from);
  const at = chooseForkEvent(from, events, options.at);
  const shared = events.slice(0, at + 1);
  await refuseDamagedTranscripts(from, shared);
  const draft = await deps.store.draft(options.scenarioDir, options.id ?? newRunId(deps.clock.now()));
  let run: RunFolder;
  try {
    await copyHistory(draft.run, { from, shared, at }, options.actor);
    run = await draft.publish();
  } catch (error) {
    await draft.drop();
    throw error;
  }
  return { run, at, state: await readState(run) };
}

type SharedHistory = { from: RunFolder; shared: readonly RunEvent[]; at: number };

async function copyHistory(run: RunFolder, { from, shared, at }: SharedHistory, actor: string): Promise<void> {
  const { state } = createSnapshot(shared);
  for (const path of listCommittedPaths(state, shared, await from.list('handoffs'))) {
    await cp(join(from.dir, path), join(run.dir, path), { recursive: true, errorOnExist: true, force: false });
  }
  await copyTranscripts(from, run, shared);
  const own = await readRunConfig(from);
  if (own !== undefined) await writeRunConfig(run, own);
  const { at: _createdAt, ...origin } = state.origin;
  const birth = {
    ...origin,
    machineVersion: MACHINE_VERSION,
    forkedFrom: { run: from.id, seq: at, ...listStepEnds(shared) },
  };
  await run.journal.append({ type: 'run.created', ...birth }, actor, 0);
  // The actors stay as they were: a decision is about a digest, and the digests are the same.
  for (const { seq, actor: who, body } of shared.slice(1)) {
    const said = 'transcript' in body ? body.transcript : undefined;
    await run.journal.append(said === undefined ? body : await withTranscriptDigest(run, body, said), who, seq);
  }
}

/** Keeps when each agent last worked, because the new journal has the same events with new times. */
function listStepEnds(shared: readonly RunEvent[]): { spoke?: Record<string, string> } {
  const times = AGENTS.flatMap((agent) => {
    const at = findLastStepEnd(shared, agent);
    return at === undefined ? [] : [[agent, at]];
  });
  return times.length === 0 ? {} : { spoke: Object.fromEntries(times) };
}

function chooseForkEvent(from: RunFolder, events: readonly RunEvent[], wanted: number | undefined): number {
  const last = events.length - 1;
  if (last < 0) throw usageError(`Run ${from.id} has not begun yet: there is nothing to fork.`);
  if (wanted !== undefined && !(Number.isSafeInteger(wanted) && wanted >= 0 && wanted <= last)) {
    throw usageError(`--at ${wanted}: run ${from.id} has the events 0 to ${last}.`);
  }
  const at = wanted ?? findLastLive(events);
  const { status } = createSnapshot(events.slice(0, at + 1)).state;
  if (!['created', 'designing', 'awaiting_approval', 'executing'].includes(status)) {
    throw usageError(
      `After event ${at} run ${from.id} was ${status}, and a new run could not go on from there. An earlier event: --at <number>, 0 to ${last}.`,
    );
  }
  return at;
}

function findLastLive(events: readonly RunEvent[]): number {
  for (let at = events.length - 1; at > 0; at -= 1) {
    const { status } = createSnapshot(events.slice(0, at + 1)).state;
    if (['designing', 'awaiting_approval', 'executing'].includes(status)) return at;
  }
  return 0;
}

/** Lists the paths that these events refer to, and nothing that came later. */
function listCommittedPaths(state: RunState, shared: readonly RunEvent[], handoffs: readonly string[]): string[] {
  const edited = shared.flatMap(({ body }) => (body.type === 'gate.decided' ? (body.editedDir ?? []) : []));
  const roundIsBegun = state.iterations.some(({ round }) => round === state.round);
  const lastHandoff = 2 * (state.round - 1) + (roundIsBegun ? 1 : 0);
  return [
    'scenario',
    ...state.designs.flatMap(({ round }) => [designDir(round), `gates/${gateId(round)}`]),
    ...new Set(edited),
    ...state.iterations.map(({ iteration }) => outputDir(iteration)),
    ...handoffs.filter((path) => Number.parseInt(path.slice('handoffs/'.length), 10) <= lastHandoff),
  ];
}

/** Copies the steps that are done; an unfinished step is made again. */
async function copyTranscripts(from: RunFolder, to: RunFolder, shared: readonly RunEvent[]): Promise<void> {
  const done = new Set(
    shared.flatMap(({ body }) => {
      if (body.type === 'design.done') return [`design.r${body.round}`];
      return body.type === 'iteration.done' || body.type === 'design.returned' ? [`execute.i${body.iteration}`] : [];
    }),
  );
  const isDone = ({ step }: { step?: string | undefined }): boolean => step !== undefined && done.has(step);
  for (const agent of AGENTS) {
    const finished = (await from.transcripts.read(agent)).filter(isDone);
    await copyImages(finished, from, to);
    await to.transcripts.publish(agent, finished);
    const made = (await from.transcripts.calls(agent)).filter(isDone);
    if (made.length > 0) await to.transcripts.record(agent, made);
  }
  const chatEntries = await readExchangeEntries(from, shared);
  if (chatEntries.length === 0) return;
  await copyImages(chatEntries, from, to);
  await to.transcripts.publish(CHAT, chatEntries);
  const said = new Set<string | undefined>(chatEntries.map(({ id }) => id));
  await to.transcripts.record(
    CHAT,
    (await from.transcripts.calls(CHAT)).filter(({ entry }) => said.has(entry)),
  );
}

/** Copies the bytes of images, which entries refer to by hash. */
async function copyImages(entries: readonly Entry[], from: RunFolder, to: RunFolder): Promise<void> {
  for (const sha256 of listStoredImages(entries))
    await to.transcripts.images.keep(await from.transcripts.images.load(sha256));
}
