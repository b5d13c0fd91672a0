/** `tandem gates list|approve --batch <id>`: the gates of a batch, and one decision for those that read the same. */
import { randomUUID } from 'node:crypto';
import { wakeWorkers } from '../../app/open-queue.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, permissionsFor } from '../../config/reviewers.ts';
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { GateDecision } from '../../gate/rules/gate.ts';
import { readBatch, runDir, type Batch } from '../../batch/batch.ts';
import { groupGates, gateSameness, type BatchGate } from '../../gate/sameness.ts';
import { decideGate } from '../../gate/decide.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { RunState } from '../../run/state.ts';
import { commandActor } from '../actor.ts';
import { EXIT } from '../exit-code.ts';
import type { DecideOptions } from '../gates/gates.ts';
import type { Io } from '../io.ts';
import { loadReviewPack } from '../gates/read-pack.ts';
import { readState } from '../../run-folder/snapshot.ts';

export async function listBatchGates(name: string, options: { json?: boolean | undefined }, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const groups = groupGates(await waitingGates(await readBatch(home.project, name), home.project, deps, io));
  if (options.json === true) {
    const shown = groups.map((group) => group.map(({ run, gate, digest }) => ({ run, gate, digest })));
    io.out(JSON.stringify(shown));
  } else if (groups.length === 0) io.out('No gate of this batch waits for a decision.');
  for (const group of options.json === true ? [] : groups) {
    const [first] = group;
    if (first === undefined) continue;
    const more = group.length === 1 ? '' : `  and ${group.length - 1} that read the same`;
    io.out(`${first.run}  ${first.gate}  ${first.pack.scenario}  digest ${first.digest.slice(0, 16)}${more}`);
    for (const { run } of group.slice(1)) io.out(`  ${run}`);
  }
  return EXIT.met;
}

/** `readRun` is the run whose gate the reviewer read; the digest says which design that was. */
export async function approveBatch(
  name: string,
  readRun: string | undefined,
  options: DecideOptions,
  io: Io,
): Promise<number> {
  const { digest } = options;
  if (readRun === undefined || digest === undefined)
    throw new HarnessError(
      'usage',
      'Say which gate you read: tandem gates approve <run> --digest <digest> --batch <batch>. tandem gates list --batch <batch> shows them.',
    );
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const batch = await readBatch(home.project, name);
  const read = await gateThatWasRead(batch, home.project, readRun, digest, deps);
  const others = (await waitingGates(batch, home.project, deps, io)).filter(({ run }) => run !== read.gate.run);
  const approved: string[] = [];
  const left: string[] = [];
  if (read.open) approved.push(line(await approve(read.gate, '', options, io, deps), read.gate.run));
  for (const other of others) {
    const same = gateSameness(read.gate, other);
    if (same === undefined) left.push(`${other.run}  ${other.gate}  digest ${other.digest.slice(0, 16)}`);
    else await approveOther(other, `${same} as ${read.gate.run}`, options, io, deps, { approved, left });
  }
  for (const gate of [read.gate, ...others]) await wakeWorkers(gate.dir, deps, { home, env: io.env });
  say({ approved, left }, batch, options, io);
  return EXIT.met;
}

type Lists = { approved: string[]; left: string[] };

/** Somebody may have been quicker, or changed the design: that gate is left to be read, and the rest goes on. */
async function approveOther(
  gate: BatchGate,
  why: string,
  options: DecideOptions,
  io: Io,
  deps: ReadDeps,
  { approved, left }: Lists,
): Promise<void> {
  try {
    approved.push(line(await approve(gate, why, options, io, deps), gate.run));
  } catch (error) {
    if (!isHarnessError(error, 'gate_refused')) throw error;
    left.push(`${gate.run}  ${gate.gate}  ${error.message}`);
  }
}

/** Each gate gets a decision of its own, through the one door and on its own digest. */
async function approve(
  gate: BatchGate,
  why: string,
  options: DecideOptions,
  io: Io,
  deps: ReadDeps,
): Promise<GateDecision> {
  const comment = [options.comment ?? '', why === '' ? '' : `(approved together: ${why})`].filter(
    (part) => part !== '',
  );
  return decideGate(
    {
      run: gate.dir,
      gate: gate.gate,
      digest: gate.digest,
      decision: 'approve',
      comment: comment.join(' '),
      actor: commandActor(io),
      via: 'cli',
      nonce: options.nonce === undefined ? randomUUID() : `${options.nonce}/${gate.run}`,
    },
    permissionsFor(await loadReviewers(findHome(io.cwd)), gate.pack.scenario),
    deps,
  );
}

function line({ gate, digest, actor }: GateDecision, run: string): string {
  return `${run}  ${gate}  approved by ${actor}, digest ${digest.slice(0, 16)}`;
}

function say({ approved, left }: Lists, batch: Batch, options: DecideOptions, io: Io): void {
  if (options.json === true) {
    io.out(JSON.stringify({ batch: batch.id, approved, left }));
    return;
  }
  for (const text of approved) io.out(text);
  if (left.length > 0) io.out(`Not the same, so to be read by itself (${left.length}):`);
  for (const text of left) io.out(`  ${text}`);
  io.out(`Go on: tandem batch --resume ${batch.id}`);
}

/** `open` is false when it was approved a moment ago: then only the others are left, as after a crash in between. */
async function gateThatWasRead(
  batch: Batch,
  project: string,
  name: string,
  digest: string,
  deps: ReadDeps,
): Promise<{ gate: BatchGate; open: boolean }> {
  const run = await deps.store.open(name);
  const entry = batch.runs.find((one) => one.run === run.id);
  if (entry === undefined)
    throw new HarnessError(
      'usage',
      `Run ${run.id} is not of batch ${batch.id}: approve it by itself, without --batch.`,
    );
  const state = await readState(run);
  const approvedNow = state.decisions.findLast(({ decision }) => decision === 'approve');
  const waiting = state.status === 'awaiting_approval' ? { id: state.gate.id, digest: state.gate.digest } : undefined;
  const found = waiting ?? (approvedNow && { id: approvedNow.gate, digest: approvedNow.digest });
  if (found === undefined || digest.length < 12 || !found.digest.startsWith(digest)) {
    const now = found === undefined ? `it is ${state.status}` : `its design is ${found.digest.slice(0, 16)} now`;
    throw new HarnessError('gate_refused', `Run ${run.id}: ${now}. Read it again: tandem gates show ${run.id}.`);
  }
  const gate = await waitingGate(runDir(project, entry), found, state, deps);
  return { gate, open: waiting !== undefined };
}

async function waitingGates(batch: Batch, project: string, deps: ReadDeps, io: Io): Promise<BatchGate[]> {
  const found: { openedAt: string; gate: BatchGate }[] = [];
  for (const entry of batch.runs) {
    const dir = runDir(project, entry);
    try {
      const state = await readState(await deps.store.open(dir));
      if (state.status === 'awaiting_approval')
        found.push({ openedAt: state.gate.openedAt, gate: await waitingGate(dir, state.gate, state, deps) });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      if (error.code !== 'not_found') io.err(`${entry.run}: ${error.message}`);
    }
  }
  return found.toSorted((one, other) => one.openedAt.localeCompare(other.openedAt)).map(({ gate }) => gate);
}

async function waitingGate(
  dir: string,
  open: { id: string; digest: string },
  state: RunState,
  deps: ReadDeps,
): Promise<BatchGate> {
  const run = await deps.store.open(dir);
  const pack = await loadReviewPack(run, open.id);
  const base = state.decisions.findLast(
    ({ round, decision }) => round === pack.since.round && ['approve', 'edit_approve'].includes(decision),
  );
  return {
    run: run.id,
    dir,
    gate: open.id,
    digest: open.digest,
    scenarioDigest: state.origin.scenarioDigest,
    pack,
    baseByPerson: base?.actor.startsWith('user:') === true,
  };
}
