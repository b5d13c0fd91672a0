/** `tandem queue ls | why | drain`: tells where a run is, from the queue and the disk together. */
import { openStore } from '../../app/open-store.ts';
import { openShared, type SharedQueue } from '../../app/worker-queue.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { chooseQueue } from '../../config/schema.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { NextLane, QueuePosition } from '../../ports/job-queue.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { formatTable } from '../../report/text/width.ts';
import { isHandedOver, findNextLane } from '../../run-folder/hand-over.ts';
import { openRunIndex } from '../../run-folder/run-index.ts';
import { readState } from '../../run-folder/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { askToDrain, seenWorkers } from '../../worker/presence.ts';
import { type JsonFlag, EXIT, printAnswer, type Io } from '../command-context.ts';

type QueuedRun = { run: string; scenario: string } & Partial<NextLane> & Partial<QueuePosition> & { why: string };

/** Resolves with the result of `work`; the queue is closed in any case. */
export async function withQueue<Value>(io: Io, work: (queue: SharedQueue) => Promise<Value>): Promise<Value> {
  const home = findHome(io.cwd);
  const config = await loadConfig(home, {});
  const address = chooseQueue(config, io.env);
  if (address.kind === 'in-process')
    throw usageError('No queue is shared here: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database.');
  const progress = (event: { type: string; detail?: string }): void => io.err(event.detail ?? '');
  const queue = await openShared(address, { config, progress });
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

/** Combines the next step on disk with the run's position in the queue. */
async function locateQueuedRun(
  run: RunFolder,
  state: RunState,
  { locateRun }: Pick<SharedQueue, 'locateRun'>,
): Promise<QueuedRun> {
  const { id, scenario } = run;
  const next = await findNextLane(run);
  if (next === undefined) return { run: id, scenario, why: explainRest(id, state) };
  if (!(await isHandedOver(run))) {
    const why = `It was not handed to workers: its own process carries it on. When that has ended: tandem resume ${id}.`;
    return { run: id, scenario, ...next, why };
  }
  const found = await locateRun(run.id, next);
  return { run: id, scenario, ...next, ...found, why: explainWait(next, found) };
}

export async function queueWhy(name: string, options: JsonFlag, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const state = await readState(run);
  const place = await withQueue(io, (queue) => locateQueuedRun(run, state, queue));
  const lines = [`Run ${run.id} is ${state.status}. ${place.why}`];
  return printAnswer(io, { json: options.json, value: { status: state.status, ...place }, lines });
}

export async function queueLs(options: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const { store, shared, clock } = openStore(home);
  const workers = await seenWorkers(shared, clock);
  const live = (await openRunIndex(store).look()).runs.filter(({ lane }) => lane !== undefined);
  const places = await withQueue(io, async (queue) => {
    const found: QueuedRun[] = [];
    for (const { dir } of live) {
      const run = await store.open(dir);
      if (await isHandedOver(run)) found.push(await locateQueuedRun(run, await readState(run), queue));
    }
    return found;
  });
  const seen = workers.map(({ worker, lanes, startedAt, seenAt, isLost, isDraining }) => ({
    ...{ worker, lanes, startedAt, seenAt, isLost, isDraining },
  }));
  const workerRows = seen.map(({ worker, lanes, seenAt, isLost, isDraining }) => [
    worker,
    lanes.join(','),
    isLost ? `lost since ${seenAt}` : isDraining ? 'ends what it runs, then leaves' : 'here',
  ]);
  const runRows = places.map(({ run, lane = '', state = '', since = '', why }) => [run, lane, state, since, why]);
  const lines = [
    ...(seen.length === 0
      ? ['No worker has shown itself in this project: tandem worker starts one.']
      : formatTable([['worker', 'takes', 'state'], ...workerRows])),
    '',
    ...(places.length === 0
      ? ['No run waits for a worker.']
      : formatTable([['run', 'lane', 'state', 'since', 'why'], ...runRows])),
  ];
  return printAnswer(io, { json: options.json, value: { workers: seen, runs: places }, lines });
}

/** Writes the request among the project's files, where the worker finds it on any machine. */
export async function queueDrain(worker: string, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const { shared, clock } = openStore(home);
  const seen = await seenWorkers(shared, clock);
  const found = seen.find((one) => one.worker === worker);
  if (found === undefined) {
    const names = seen.map((one) => one.worker).join(', ');
    throw new HarnessError(
      'not_found',
      `No worker ${worker} has shown itself here${names === '' ? '.' : `; there are ${names}.`}`,
    );
  }
  await askToDrain(shared, worker);
  io.out(
    `Worker ${worker} takes nothing more, ends what it runs, and leaves with exit code 0. tandem queue ls shows when it has.`,
  );
  return EXIT.met;
}

const WORDS = { init: 'a design (Init)', execute: 'an iteration (Execute)' } as const;

/** Explains in one or two sentences where a run waits, for what, since when, and what to do. */
export function explainWait(
  { lane, model }: NextLane,
  { state, since, until, workers, handedBack }: QueuePosition,
): string {
  const what = `${WORDS[lane]}${model === undefined ? '' : ` with ${model}`}`;
  const back = handedBack.map(({ worker, why }) => ` ${worker} gave it back: ${why}`).join('');
  if (state === 'active') return `A worker is at ${what}${formatSince(since)}.${back}`;
  const nobody = workers === 0 ? ` No worker takes such steps: tandem worker --${lane}, with that model.` : '';
  if (state === 'delayed') return `It waits for ${what}, and is offered to workers again at ${until}.${back}${nobody}`;
  if (state === 'waiting') {
    const busy =
      workers === undefined || workers === 0
        ? ''
        : ` ${workers === 1 ? 'One worker takes' : `${workers} workers take`} such steps, and all places are taken.`;
    return `It waits for a worker for ${what}${formatSince(since)}.${busy}${back}${nobody}`;
  }
  return `It waits for ${what}, and the queue holds nothing of it: a worker that sees the folder puts it back within reconcile_ms.${back}${nobody}`;
}

function formatSince(since: string | undefined): string {
  return since === undefined ? '' : ` since ${since}`;
}

/** Explains why no worker could carry the run on now. */
export function explainRest(run: string, state: RunState): string {
  switch (state.status) {
    case 'awaiting_approval':
      return `It waits for a person at ${state.gate.id} since ${state.gate.openedAt}: tandem gates review ${run}.`;
    case 'paused':
      return `It was paused at ${state.pause.at} by ${state.pause.actor}: ${withFullStop(state.pause.detail)} Go on: tandem resume ${run}.`;
    case 'errored':
      return `It stopped: ${withFullStop(state.failure.message)} Go on: tandem resume ${run}.`;
    default:
      return 'It has ended: nothing is to be done.';
  }
}

/** Adds a full stop to a message of a person, a provider or the program if it has none. */
function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
