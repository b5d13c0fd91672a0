/** `tandem batch <scenarios>`: many runs, some at a time, one report; begun again it goes on where it stopped. */
import { loadConfig } from '../../config/load-config.ts';
import { findHome, type Home } from '../../config/home.ts';
import { openStore } from '../../app/open-store.ts';
import { findBatch, readBatch, runDir, type Batch, type BatchRun } from '../../batch/batch.ts';
import { batchState, batchRow, type BatchExits } from '../../batch/state.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { summarise } from '../../pipeline/summarise.ts';
import type { Call } from '../call.ts';
import { commandActor } from '../actor.ts';
import { driveBatch } from './drive.ts';
import { finishBatch, printBatch } from './finish.ts';
import { batchOnGate, batchOptions, type BatchFlags } from './options.ts';
import { planBatch } from './plan.ts';
import { createBatchScreen } from './screen.ts';
import { openCi, type Ci } from '../ci/ci.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import { writeReports } from '../run/finish.ts';
import type { Io } from '../io.ts';

export async function batchCommand(
  patterns: readonly string[],
  flags: BatchFlags,
  { io, signal }: Call,
): Promise<number> {
  const home = findHome(io.cwd);
  if (flags.status !== undefined) return showBatch(flags.status, flags, home, io);
  const options = batchOptions(flags);
  const ci = await openCi(flags, io, signal);
  try {
    const goesOn = options.resume !== undefined || (await findBatch(home.project, options.id ?? '')) !== undefined;
    if (!goesOn) await ci.refuseUsedRecording();
    const batch = await planBatch(patterns, options, home, io);
    return await drive(batch, options.maxParallel, flags, home, io, ci);
  } finally {
    ci.close();
  }
}

async function drive(
  batch: Batch,
  maxParallel: number,
  flags: BatchFlags,
  home: Home,
  io: Io,
  ci: Ci,
): Promise<number> {
  const profile = flags.profile ?? batch.profile;
  const config = await loadConfig(home, {
    ...(profile === undefined ? {} : { profile }),
    ...(flags.allowUnsandboxed === true ? { flags: { sandbox: { allow_unsandboxed: true } } } : {}),
  });
  const onGate = batchOnGate(flags, config);
  const read = openStore(home);
  const screen = createBatchScreen(
    await batchState(batch, { ...read, project: home.project, exits: exits(false) }),
    io,
  );
  const onRest = async (entry: BatchRun): Promise<void> => {
    screen.settle(await batchRow(entry, { ...read, project: home.project, exits: exits(false) }));
    await report(entry, home, read);
  };
  try {
    const driving = { batch, home, config, onGate, maxParallel, actor: commandActor(io), screen, ci, io, onRest };
    await driveBatch(driving);
  } catch (error) {
    // A signal: the report of what is there helps whoever goes on, the exit code is the signal's.
    if (!ci.slice.signal.aborted) throw error;
  } finally {
    screen.close();
  }
  const summary = await batchState(batch, { ...read, project: home.project, exits: exits(ci.slice.used()) });
  return finishBatch(summary, home.project, { json: flags.json ?? false, ci }, io);
}

/** Work that the end of the time slice cut short is not work that failed. */
function exits(timeUp: boolean): BatchExits {
  const unfinished = timeUp ? EXIT.timeSlice : EXIT.infrastructure;
  const live = ['created', 'designing', 'executing'];
  return {
    of: (state) => (live.includes(state.status) ? unfinished : exitCodeOf(state)),
    notStarted: unfinished,
    unreadable: EXIT.infrastructure,
  };
}

async function report(entry: BatchRun, home: Home, read: ReadDeps): Promise<void> {
  const row = await batchRow(entry, { ...read, project: home.project, exits: exits(false) });
  if (row.status === 'not_started' || row.status === 'unreadable') return;
  const run = await read.store.open(runDir(home.project, entry));
  await writeReports(run, await summarise(run));
}

async function showBatch(name: string, flags: BatchFlags, home: Home, io: Io): Promise<number> {
  const batch = await readBatch(home.project, name);
  const summary = await batchState(batch, { ...openStore(home), project: home.project, exits: exits(false) });
  if (flags.json === true) io.out(JSON.stringify(summary));
  else printBatch(summary, io, io.out);
  return EXIT.met;
}
