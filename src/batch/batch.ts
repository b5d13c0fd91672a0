/** A batch: it lists its runs and shares a cap on money among them; everything else about it is folded from them. */
import { join, relative } from 'node:path';
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { HarnessError, isHarnessError, leaveOutRemedy } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { RunFolder, RunStore, Reservation, ReservedTry, Spending, WaitForMoney } from '../ports/run-store.ts';
import type { BatchStore } from '../ports/batches.ts';
import { PRIORITIES } from '../ports/job-queue.ts';

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
  /** Set by earlier versions, whose calls of subjects and users waited for message batches. */
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

/** Reports of a batch. */
export function batchDir(project: string, id: string): string {
  return join(project, 'batches', id);
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

/** The file in the run folder that names the run's batch. */
const FILE = 'batch.json';
const Member = z.strictObject({ version: z.literal(1), batch: z.string() });

/** Begins the detail of a pause that ends when the batch gets a larger budget. */
export function batchPause(batch: string): string {
  return `Batch ${batch}: `;
}

/** The membership is written before the run continues, so that no call escapes the cap. */
export async function joinBatch(run: RunFolder, batch: string): Promise<void> {
  if ((await run.read(FILE)) === undefined) await run.write(FILE, `${JSON.stringify({ version: 1, batch })}\n`);
}

/**
 * Returns the same store, in which the money of a batch's run is reserved from both ledgers. A batch without a cap
 * keeps its ledger too, so that a cap set later counts from the first call on.
 */
export function withBatchBudgets(store: RunStore, batches: BatchStore): RunStore {
  const known = new WeakMap<RunFolder, RunFolder>();
  // What a conversation knows of its next call hangs on the ledger, from turn to turn.
  const within = (run: RunFolder): RunFolder =>
    getOrCreate(known, run, () => ({ ...run, spending: withBatchLedger(run, batches) }));
  return {
    ...store,
    create: async (scenarioDir, id) => within(await store.create(scenarioDir, id)),
    open: async (name) => within(await store.open(name)),
    at: (found) => within(store.at(found)),
  };
}

type BatchLedger = { batch: string; capUsd: number; ledger: Spending };

function withBatchLedger(run: RunFolder, batches: BatchStore): Spending {
  const { spending } = run;
  /** A run never leaves its batch, so the answer is cached. */
  let joined: string | undefined;
  const batchOf = async (): Promise<string | undefined> => {
    const text = await run.read(FILE);
    return text === undefined ? undefined : parseFile(Member, text, `${run.dir}/${FILE}`).batch;
  };
  /** The cap is read at every call, so that a raise counts at once. Without the batch's own file there is no cap. */
  const find = async (): Promise<BatchLedger | undefined> => {
    joined ??= await batchOf();
    const found = joined === undefined ? undefined : await findBatch(batches, joined);
    if (found === undefined) return undefined;
    const capUsd = found.budgetUsd ?? Number.POSITIVE_INFINITY;
    return { batch: found.id, capUsd, ledger: await batches.spending(found.id) };
  };
  const named = (call: string) => `${run.id}/${call}`;
  const inBoth = async <Result>(call: string, book: (ledger: Spending, name: string) => Promise<Result>) => {
    const result = await book(spending, call);
    const all = await find();
    if (all !== undefined) await book(all.ledger, named(call));
    return result;
  };
  return {
    ...spending,
    reserve: async (record, capUsd, wait) => {
      const own = await spending.reserve(record, capUsd, wait);
      const all = await find();
      if (all === undefined) return own;
      const { nth, usd: worstUsd } = own;
      const leastUsd = Math.min(worstUsd, record.leastUsd ?? worstUsd);
      const shared = { ...record, call: named(record.call), nth, worstUsd, leastUsd };
      return reserveFromBatch(all, shared, wait).catch(async (error: unknown) => {
        await spending.release(record.call, nth);
        throw error;
      });
    },
    settle: async (call, usage, terms) => {
      const usd = await spending.settle(call, usage, terms);
      const all = await find();
      await all?.ledger.settle(named(call), usage, { ...terms, capUsd: all.capUsd });
      return usd;
    },
    fail: (call, cost) => inBoth(call, (ledger, name) => ledger.fail(name, cost)),
    writeOff: (call) => inBoth(call, (ledger, name) => ledger.writeOff(name)),
    release: (call, nth) => inBoth(call, (ledger, name) => ledger.release(name, nth)),
  };
}

async function reserveFromBatch(
  { batch, capUsd, ledger }: BatchLedger,
  record: Reservation,
  wait: WaitForMoney | undefined,
): Promise<ReservedTry> {
  try {
    return await ledger.reserve(record, capUsd, wait);
  } catch (error) {
    if (!isHarnessError(error, 'budget_exceeded')) throw error;
    const more = Math.ceil(capUsd * 2);
    const cause = leaveOutRemedy(error.message);
    const message = `${batchPause(batch)}${cause} Raise it: tandem batch --resume ${batch} --budget ${more}.`;
    throw new HarnessError('budget_exceeded', message, { details: error.details, cause: error });
  }
}
