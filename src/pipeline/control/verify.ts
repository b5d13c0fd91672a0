/** Verifies that a run folder matches its journal: the chain, every committed file, every digest that was decided on. */
import { isPermissionError } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import { gateId } from '../../gate/rules/gate.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import type { Iteration, RunState } from '../../run/state.ts';
import { designDir } from '../../run/layout.ts';
import { digestScenarioCopy } from './replace-scenario.ts';
import { readResults } from '../../run-folder/read-results.ts';
import { listStoredImages } from '../../transcript/images.ts';
import { listExchanges } from '../../run/exchanges.ts';
import { checkExchanges } from '../chat/record-exchange.ts';
import { AGENTS } from '../summarise.ts';
import { readAfresh, checkHandoffs, listDamagedTranscripts, describeDamage } from '../../run-folder/snapshot.ts';

/** `unread` means that this user may not read the item, so nothing is known of it. */
export type VerifyResult = { what: string; ok: boolean; detail: string; unread?: true };

type Check = [what: string, work: () => Promise<string>];

/** Continues after each problem; only a broken journal stops the check, because all else depends on it. */
export async function verifyRun(run: RunFolder): Promise<VerifyResult[]> {
  const journal = await readJournal(run);
  if ('detail' in journal) return [journal];
  const { events, state } = journal;
  const checks: Check[] = [
    ['scenario', () => verifyScenario(run, state, events)],
    ...state.designs.flatMap(({ round, digest, packDigest }): Check[] => [
      [designDir(round), () => verifyCommitted(run, designDir(round), findFirstDigest(events, round) ?? digest)],
      [`gates/${gateId(round)}`, () => verifyPack(run, round, packDigest)],
    ]),
    ...listEdits(events).map(({ dir, digest }): Check => [dir, () => verifyCommitted(run, dir, digest)]),
    ...state.iterations.map((one): Check => [one.outputDir, () => verifyIteration(run, one)]),
    ...AGENTS.map((agent): Check => [`transcripts/${agent}`, () => verifyTranscript(run, agent, events)]),
    ['handoffs', () => checkHandoffs(run, events)],
    ...(listExchanges(events).length === 0
      ? []
      : [['transcripts/chat', () => checkExchanges(run, events)] satisfies Check]),
    ['spend', async () => `${(await run.spending.list()).length} calls`],
  ];
  const findings = [
    { what: 'events', ok: true, detail: `${events.length} events, one unbroken chain; ${state.status}` },
  ];
  for (const [what, check] of checks) findings.push(await runCheck(what, check));
  return findings;
}

async function readJournal(run: RunFolder): Promise<Awaited<ReturnType<typeof readAfresh>> | VerifyResult> {
  try {
    return await readAfresh(run);
  } catch (error) {
    if (!isHarnessError(error) || error.code === 'version_mismatch') throw error;
    return toFailedResult('events', error);
  }
}

async function runCheck(what: string, check: () => Promise<string>): Promise<VerifyResult> {
  try {
    return { what, ok: true, detail: await check() };
  } catch (error) {
    // Content of a newer version is not damaged; this version cannot judge it.
    if (isHarnessError(error, 'version_mismatch')) throw error;
    return toFailedResult(what, error);
  }
}

function toFailedResult(what: string, error: unknown): VerifyResult {
  return {
    what,
    ok: false,
    detail: describeError(error),
    ...(isPermissionError(error) ? { unread: true as const } : {}),
  };
}

async function verifyCommitted(run: RunFolder, target: string, digest: string): Promise<string> {
  const found = await run.artifacts.committed(target, true);
  if (found === undefined) throw new Error(`${target} is missing.`);
  if (found.digest !== digest) throw new Error(`its digest is ${found.digest}, and the journal names ${digest}.`);
  return `${found.manifest.files.length} files, digest ${digest.slice(0, 16)}`;
}

/** Returns the digest as Init handed the design in; an edit at the gate has its own folder and digest. */
function findFirstDigest(events: readonly RunEvent[], round: number): string | undefined {
  for (const { body } of events) if (body.type === 'design.done' && body.round === round) return body.digest;
  return undefined;
}

function listEdits(events: readonly RunEvent[]): { dir: string; digest: string }[] {
  return events.flatMap(({ body }) => {
    if (body.type !== 'gate.decided' || body.editedDir === undefined || body.editedDigest === undefined) return [];
    return [{ dir: body.editedDir, digest: body.editedDigest }];
  });
}

async function verifyPack(run: RunFolder, round: number, digest: string): Promise<string> {
  const text = await run.read(`gates/${gateId(round)}/pack.json`);
  if (text === undefined) throw new Error('pack.json is missing.');
  if (sha256(text) !== digest) throw new Error('pack.json is not what the reviewer was shown: its digest differs.');
  return 'as the reviewer was shown it';
}

async function verifyIteration(run: RunFolder, done: Iteration): Promise<string> {
  const found = await run.artifacts.committed(done.outputDir, true);
  if (found === undefined) throw new Error(`${done.outputDir} is missing.`);
  const results = await readResults(run, done.iteration);
  if (results !== undefined) {
    if (results.designDigest !== done.designDigest) throw new Error('results.json was judged under another design.');
    if (results.passed !== done.passed || results.total !== done.total)
      throw new Error(
        `results.json says ${results.passed} of ${results.total}, the journal ${done.passed} of ${done.total}.`,
      );
  }
  return `${found.manifest.files.length} files, ${done.passed} of ${done.total} passed`;
}

async function verifyTranscript(run: RunFolder, agent: string, events: readonly RunEvent[]): Promise<string> {
  const damaged = (await listDamagedTranscripts(run, events)).find(({ recorded }) => recorded.agent === agent);
  if (damaged !== undefined) throw new Error(describeDamage(damaged));
  const entries = await run.transcripts.read(agent);
  const ids = new Set(entries.map(({ id }) => id));
  const orphan = entries.find(({ parents }) => parents.some((parent) => !ids.has(parent)));
  if (orphan !== undefined) throw new Error(`entry ${orphan.id} follows an entry that is not there.`);
  const images = listStoredImages(entries);
  for (const sha256 of images) await run.transcripts.images.load(sha256);
  return `${entries.length} entries${images.length === 0 ? '' : `, ${images.length} images`}`;
}

/** Compares with the digest from when the run was started, or when it took a repaired scenario. */
async function verifyScenario(run: RunFolder, state: RunState, events: readonly RunEvent[]): Promise<string> {
  const { digest, files } = await digestScenarioCopy(run);
  const taken = events.flatMap(({ body }) =>
    (body.type === 'run.resumed' || body.type === 'run.retried') && body.scenarioDigest !== undefined
      ? [body.scenarioDigest]
      : [],
  );
  const expected = taken.at(-1) ?? state.origin.scenarioDigest;
  if (digest !== expected) throw new Error('the copy of the scenario was changed.');
  return `${files} files, as the run was ${taken.length === 0 ? 'started with' : 'repaired'}`;
}
