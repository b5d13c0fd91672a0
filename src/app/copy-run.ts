/** Copies an ended run from one home to another: it appears there atomically, and only when all digests match. */
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFolder } from '../disk/atomic-write.ts';
import { openSharedFiles } from '../disk/shared-files.ts';
import { makeManifest } from '../disk/manifest.ts';
import { HarnessError, usageError } from '../errors.ts';
import { verifyRun } from '../pipeline/control/verify.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { readState } from '../run-folder/snapshot.ts';
import { listUndoable } from '../run/undo.ts';
import { chooseStore } from '../config/store.ts';
import { openOther } from './open-store.ts';
import { BOOK_OF_RUN, formatBook, readBook } from '../gate/notices/notice-book.ts';
import type { Manifest } from '../scenario/design.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { mergeLabels } from '../run-folder/label-journal.ts';

/** `labels` counts labels of the scenario that were missing in the target. */
export type CopiedRun = { run: string; to: string; files: number; bytes: number; labels: number };

/**
 * `to` is a project's folder or a store's address. Contract: `usage` for a run that can still continue, or that exists
 * there; labels of its scenario are copied first, even when the run exists.
 */
export async function copyRun(run: RunFolder, to: string): Promise<CopiedRun> {
  await refuseLive(run);
  if (/^postgres(?:ql)?:/.test(to)) return copyToStore(run, to);
  const labels = await carryLabels(run, await labelsIn(to, run.scenario));
  return { ...(await copyToFolder(run, join(to, 'scenarios', run.scenario, 'runs', run.id))), labels };
}

/** Exports the run as one folder, without the labels of its scenario. Contract: as for `copyRun`. */
export async function exportRunFolder(run: RunFolder, dir: string): Promise<CopyResult> {
  await refuseLive(run);
  return copyToFolder(run, dir);
}

/** Refuses a live run, which would continue under one name in two places, and a damaged run. */
async function refuseLive(run: RunFolder): Promise<void> {
  const state = await readState(run);
  const why = 'it can still go on, and a copy would be a second run of that name. Let it end, or cancel it.';
  if (!('verdict' in state) || listUndoable(state).length > 0)
    throw usageError(`Run ${run.id} is ${state.status}: ${why}`);
  const broken = (await verifyRun(run)).find(({ ok }) => !ok);
  if (broken !== undefined)
    throw new HarnessError('data_corrupt', `Run ${run.id} is not copied: ${broken.what}: ${broken.detail}`);
}

type CopyResult = Omit<CopiedRun, 'labels'>;

async function copyToFolder(run: RunFolder, dir: string): Promise<CopyResult> {
  if (existsSync(dir)) throw folderExistsError(dir);
  const draft = join(dirname(dir), `.copy-${basename(dir)}-${process.pid}`);
  const before = await readContent(run);
  try {
    await mkdir(dirname(dir), { recursive: true });
    await cp(run.dir, draft, { recursive: true, filter: (source) => source !== join(run.dir, 'wip') });
    const files = assertSameContent(run, before.files, await filesIn(draft, true));
    const there = openSharedFiles(draft);
    for (const [path, text] of await relatedFiles(run)) await there.write(path, text);
    if (existsSync(dir)) throw folderExistsError(dir);
    await rename(draft, dir);
    await syncFolder(dirname(dir));
    return { run: run.id, to: dir, ...files };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function copyToStore(run: RunFolder, to: string): Promise<CopiedRun> {
  const address = chooseStore({ TANDEM_STORE: to });
  if (address === undefined) throw usageError('--to: no address of a store.');
  const before = await readContent(run);
  const store = await openOther(address);
  let labels = 0;
  try {
    labels = await carryLabels(run, store.labelsOf(run.scenario));
    await store.adopt(run, await relatedFiles(run));
  } finally {
    await store.close();
  }
  // Reads the copy back as another machine would, into an empty folder.
  const again = await openOther(address);
  try {
    const there = await readContent(await again.open(run.id));
    const withoutLedger = (files: Manifest['files']) => files.filter(({ path }) => !path.startsWith('spend/'));
    if (there.spent !== before.spent) throw copyDiffersError(run, 'spend');
    const files = assertSameContent(run, withoutLedger(before.files), withoutLedger(there.files));
    return { run: run.id, to: address.shown, ...files, labels };
  } finally {
    await again.close();
  }
}

async function readContent(run: RunFolder): Promise<{ files: Manifest['files']; spent: string }> {
  const spent = JSON.stringify(await run.spending.list());
  return { files: await filesIn(run.dir, false), spent };
}

/** Skips abandoned attempts, which are no part of an ended run. */
async function filesIn(dir: string, sync: boolean): Promise<Manifest['files']> {
  return (await makeManifest(dir, sync)).files.filter(({ path }) => !path.startsWith('wip/') && !isRelated(path));
}

function assertSameContent(
  run: RunFolder,
  before: Manifest['files'],
  after: Manifest['files'],
): { files: number; bytes: number } {
  const there = new Map(after.map((file) => [file.path, file.sha256]));
  const wrong = before.find(({ path, sha256 }) => there.get(path) !== sha256);
  if (wrong !== undefined) throw copyDiffersError(run, wrong.path);
  return { files: before.length, bytes: before.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function copyDiffersError(run: RunFolder, path: string): HarnessError {
  const message = `${path} of run ${run.id} is another one in the copy than here. Nothing was changed here; copy it again.`;
  return new HarnessError('data_corrupt', message, { details: { path } });
}

function folderExistsError(dir: string): HarnessError {
  return usageError(`${dir} is there already: it is left as it is.`, { details: { dir } });
}

/** Where earlier versions recorded the message batches that they sent. */
const SENT_BATCHES = 'economy';

/** These are files of a run folder, but separate rows in a store. */
function isRelated(path: string): boolean {
  return path === BOOK_OF_RUN || path.startsWith(`${SENT_BATCHES}/`);
}

/** Returns the files by their path in the copy. Notices still to be sent stay with the original run's home. */
async function relatedFiles({ shared }: Pick<RunFolder, 'shared'>): Promise<Map<string, string>> {
  const sent = [...(await shared.list(SENT_BATCHES))].map(([path, text]) => [`${SENT_BATCHES}/${path}`, text] as const);
  const book = await readBook({ files: shared, path: BOOK_OF_RUN });
  const left = book?.map((one) =>
    one.state === 'waiting'
      ? { ...one, state: 'dropped' as const, why: 'it is sent where this run was copied from' }
      : one,
  );
  return new Map([...sent, ...(left === undefined ? [] : [[BOOK_OF_RUN, formatBook(left)] as const])]);
}

/** Merges the labels of a scenario, without losing or repeating any. Resolves with the number of new ones. */
async function carryLabels(run: RunFolder, into: SharedFiles): Promise<number> {
  const runs = dirname(run.dir);
  const own = run.around?.labels;
  // A run folder outside of a scenario has no labels.
  if (own === undefined && basename(runs) !== 'runs') return 0;
  return mergeLabels(own ?? openSharedFiles(dirname(runs), { linked: true }), into);
}

async function labelsIn(project: string, scenario: string): Promise<SharedFiles> {
  const dir = join(resolve(project), 'scenarios', scenario);
  await mkdir(dir, { recursive: true });
  return openSharedFiles(dir, { linked: true });
}
