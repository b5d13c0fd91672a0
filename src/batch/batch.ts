/** A batch: it lists its runs; everything else about it is folded from them. */
import { join, relative } from 'node:path';
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { HarnessError, isHarnessError } from '../errors.ts';
import type { BatchStore } from '../ports/batches.ts';
import { PRIORITIES } from '../ports/job-queue.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;

export const Batch = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(ID),
  createdAt: z.string(),
  actor: z.string(),
  /** The profile of its runs unless `--profile` names another. */
  profile: z.string().optional(),
  /** The context policy of its runs, in the same way. */
  policy: z.string().optional(),
  /** One cap on money for all runs together, US dollars. */
  budgetUsd: z.number().positive().optional(),
  /** Set when calls of subjects and users wait for batches of the API. */
  economy: z.strictObject({ live_after_minutes: z.number().positive().optional() }).optional(),
  /** Priority of the batch's runs among the runs that wait for workers. */
  priority: z.enum(PRIORITIES).optional(),
  /** `dir` is the run folder, relative to the project. It is fixed before a run begins, so that no run begins twice. */
  runs: z.array(z.strictObject({ run: z.string(), scenario: z.string(), dir: z.string() })).min(1),
});
export type Batch = z.infer<typeof Batch>;
export type BatchRun = Batch['runs'][number];

/** Names every run of a new batch: `<batch>-001`, in the order in which they are begun. */
export function planRuns(
  { id, project, each }: { id: string; project: string; each: number },
  scenarios: readonly { name: string; dir: string }[],
): BatchRun[] {
  const wanted = Array.from({ length: each }, () => scenarios).flat();
  return wanted.map(({ name, dir }, index) => {
    const run = `${id}-${String(index + 1).padStart(3, '0')}`;
    return { run, scenario: name, dir: relative(project, join(dir, 'runs', run)) };
  });
}

export function batchesDir(project: string): string {
  return join(project, 'batches');
}

/** Reports of a batch. */
export function batchDir(project: string, id: string): string {
  return join(batchesDir(project), id);
}

export async function writeBatch(batches: BatchStore, batch: Batch): Promise<void> {
  await batches.write(batch.id, `${JSON.stringify(batch, null, 2)}\n`);
}

/** Accepts the id or a unique beginning of it. Contract: `not_found` lists the batches that exist. */
export async function readBatch(batches: BatchStore, name: string): Promise<Batch> {
  const known = await batches.ids();
  const found = known.includes(name) ? [name] : known.filter((id) => name !== '' && id.startsWith(name));
  const [id] = found;
  if (id === undefined || found.length > 1) {
    const meant = found.length > 1 ? found : known;
    const there = meant.length === 0 ? 'There are none yet' : `There are ${meant.slice(-10).join(', ')}`;
    const what = found.length > 1 ? 'could be several batches' : 'is no batch of this project';
    throw new HarnessError('not_found', `${JSON.stringify(name)} ${what}. ${there}.`);
  }
  const batch = await findBatch(batches, id);
  if (batch === undefined) throw new HarnessError('not_found', `Batch ${id} was removed meanwhile.`);
  return batch;
}

/** Returns undefined when there is no batch with that id. */
export async function findBatch(batches: BatchStore, id: string): Promise<Batch | undefined> {
  if (!ID.test(id)) return undefined;
  const text = await batches.read(id);
  return text === undefined ? undefined : parseFile(Batch, text, `batches/${id}.json`);
}

/** Lists the newest batch first. A batch that cannot be read is listed without runs; opening it shows the error. */
export async function listBatches(batches: BatchStore): Promise<Batch[]> {
  const ids = (await batches.ids()).toReversed();
  const found = await Promise.all(
    ids.map((id) =>
      findBatch(batches, id).catch((error: unknown) => {
        if (!(error instanceof HarnessError)) throw error;
        return { version: 1 as const, id, createdAt: '', actor: '', runs: [] };
      }),
    ),
  );
  return found.filter((batch) => batch !== undefined);
}

/** Returns undefined for a run that has not been created yet. */
export async function findRunAt(store: RunStore, dir: string): Promise<RunFolder | undefined> {
  return store.open(dir).catch((error: unknown) => {
    if (isHarnessError(error, 'not_found')) return undefined;
    throw error;
  });
}
