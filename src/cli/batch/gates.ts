/** `tandem gates list|approve --batch <id>`: lists the gates of a batch and approves all that read the same at once. */
import { readState } from '../../run-folder/snapshot.ts';
import { wakeWorkers } from '../../app/worker-queue.ts';
import { openStore, type ProjectDeps } from '../../app/open-store.ts';
import { findHome, type Home } from '../../config/home.ts';
import { HarnessError, isHarnessError, usageError } from '../../errors.ts';
import { readBatch, type Batch } from '../../batch/batch.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { GateDecision } from '../../gate/rules/gate.ts';
import { gateReading, gateSameness, groupGates, type GateReading } from '../../gate/rules/sameness.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { printAnswer, type Io } from '../command-context.ts';
import { recordDecision, type DecideOptions } from '../gates/gates.ts';

type BatchCall = { batch: Batch; home: Home; deps: ProjectDeps; options: DecideOptions; io: Io };
type BatchGate = { run: RunFolder; gate: string; digest: string; reading: GateReading };

async function openBatchCall(name: string, options: DecideOptions, io: Io): Promise<BatchCall> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  return { batch: await readBatch(deps.batches, name), home, deps, options, io };
}

export async function listBatchGates(name: string, options: { json?: boolean | undefined }, io: Io): Promise<number> {
  const groups = groupGates(await listOpenBatchGates(await openBatchCall(name, options, io)));
  const value = groups.map((group) => group.map(({ run, gate, digest }) => ({ run: run.id, gate, digest })));
  const lines = groups.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : `  and ${others.length} that read the same`;
    const head = `${first.run.id}  ${first.gate}  ${first.run.scenario}  digest ${first.digest.slice(0, 16)}${more}`;
    return [head, ...others.map(({ run }) => `  ${run.id}`)];
  });
  if (groups.length === 0) lines.push('No gate of this batch waits for a decision.');
  return printAnswer(io, { json: options.json, value, lines });
}

/** `runId` names the run whose gate the reviewer read; the digest says which design that was. */
export async function approveBatch(
  name: string,
  { run: runId, ...options }: DecideOptions & { run: string | undefined },
  io: Io,
): Promise<number> {
  if (runId === undefined || options.digest === undefined)
    throw usageError(
      'Say which gate you read: tandem gates approve <run> --digest <digest> --batch <batch>. tandem gates list --batch <batch> shows them.',
    );
  const call = await openBatchCall(name, options, io);
  const { gate: read, isOpen } = await findReadGate(runId, options.digest, call);
  const others = (await listOpenBatchGates(call)).filter(({ run }) => run.id !== read.run.id);
  const approved = isOpen ? [formatApproval(await approveGate(read, '', call), read.run)] : [];
  const left: string[] = [];
  for (const other of others) {
    const same = gateSameness(read.reading, other.reading);
    if (same === undefined) {
      left.push(`${other.run.id}  ${other.gate}  digest ${other.digest.slice(0, 16)}`);
      continue;
    }
    try {
      approved.push(
        formatApproval(await approveGate(other, `(approved together: ${same} as ${read.run.id})`, call), other.run),
      );
    } catch (error) {
      // Another reviewer was quicker, the design changed, or it has a doubt of its own: it must be read by itself.
      if (!isHarnessError(error, 'gate_refused')) throw error;
      left.push(`${other.run.id}  ${other.gate}  ${error.message}`);
    }
  }
  for (const { run } of [read, ...others]) await wakeWorkers(run.dir, call.deps, { home: call.home, env: io.env });
  return showOutcome({ approved, left }, call);
}

/** Records a separate decision for each gate, on that gate's own digest. */
function approveGate({ run, gate, digest }: BatchGate, why: string, { options, io }: BatchCall): Promise<GateDecision> {
  const comment = [options.comment ?? '', why].filter((part) => part !== '').join(' ');
  const nonce = options.nonce === undefined ? undefined : `${options.nonce}/${run.id}`;
  return recordDecision(run, { ...options, gate, digest, comment, nonce, decision: 'approve' }, io);
}

function formatApproval({ gate, digest, actor }: GateDecision, run: RunFolder): string {
  return `${run.id}  ${gate}  approved by ${actor}, digest ${digest.slice(0, 16)}`;
}

function showOutcome(
  { approved, left }: { approved: string[]; left: string[] },
  { batch, options, io }: BatchCall,
): number {
  const lines = [
    ...approved,
    ...(left.length > 0 ? [`Not the same, so to be read by itself (${left.length}):`] : []),
    ...left.map((text) => `  ${text}`),
    `Go on: tandem batch --resume ${batch.id}`,
  ];
  return printAnswer(io, { json: options.json, value: { batch: batch.id, approved, left }, lines });
}

/** `isOpen` is false when the gate was approved before, as after a crash in between: then only the others are left. */
async function findReadGate(
  name: string,
  digest: string,
  { batch, deps }: BatchCall,
): Promise<{ gate: BatchGate; isOpen: boolean }> {
  const run = await deps.store.open(name);
  if (!batch.runs.some((one) => one.run === run.id))
    throw usageError(`Run ${run.id} is not of batch ${batch.id}: approve it by itself, without --batch.`);
  const state = await readState(run);
  const approved = state.decisions.findLast(({ decision }) => decision === 'approve');
  const isOpen = state.status === 'awaiting_approval';
  const found = isOpen ? state.gate : approved && { id: approved.gate, digest: approved.digest };
  if (found === undefined || digest.length < 12 || !found.digest.startsWith(digest)) {
    const now = found === undefined ? `it is ${state.status}` : `its design is ${found.digest.slice(0, 16)} now`;
    throw new HarnessError('gate_refused', `Run ${run.id}: ${now}. Read it again: tandem gates show ${run.id}.`);
  }
  return { gate: await readBatchGate(run, state, found), isOpen };
}

/** Lists the oldest first. A run that cannot be read is reported and skipped; a run not begun yet is no fault. */
async function listOpenBatchGates({ batch, deps, io }: BatchCall): Promise<BatchGate[]> {
  const found: { openedAt: string; gate: BatchGate }[] = [];
  for (const entry of batch.runs) {
    try {
      const run = await deps.store.open(await deps.batches.dirOf(entry));
      const state = await readState(run);
      if (state.status === 'awaiting_approval')
        found.push({ openedAt: state.gate.openedAt, gate: await readBatchGate(run, state, state.gate) });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      if (error.code !== 'not_found') io.err(`${entry.run}: ${error.message}`);
    }
  }
  return found.toSorted((one, other) => one.openedAt.localeCompare(other.openedAt)).map(({ gate }) => gate);
}

async function readBatchGate(
  run: RunFolder,
  state: RunState,
  { id: gate, digest }: { id: string; digest: string },
): Promise<BatchGate> {
  return { run, gate, digest, reading: gateReading(state, await readPack(run, gate), digest) };
}
