/** One budget for all runs of a batch, in `tandem batch`, `tandem resume` and workers alike. */
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { HarnessError, isHarnessError } from '../errors.ts';
import type { BatchStore } from '../ports/batches.ts';
import type { Reservation, Reserved, RunFolder, RunStore, Spending, WaitForMoney } from '../ports/run-store.ts';
import { findBatch } from './batch.ts';

/** In the run's folder: which batch it belongs to. */
const FILE = 'batch.json';
const Member = z.strictObject({ version: z.literal(1), batch: z.string() });

/** Begins the detail of a pause that a larger budget of the batch can end. */
export function batchPause(batch: string): string {
  return `Batch ${batch}: `;
}

/** Written before the run is carried on, so that no call escapes the cap. */
export async function joinBatch(run: RunFolder, batch: string): Promise<void> {
  if ((await run.read(FILE)) === undefined) await run.write(FILE, `${JSON.stringify({ version: 1, batch })}\n`);
}

/**
 * The same store; the money of a run that belongs to a batch is reserved from both. A batch without a cap keeps its
 * ledger too: a cap that comes later counts from the first call on.
 */
export function withBatchBudgets(store: RunStore, batches: BatchStore): RunStore {
  const within = (run: RunFolder): RunFolder => ({ ...run, spending: shared(run, batches) });
  return {
    ...store,
    create: async (scenarioDir, id) => within(await store.create(scenarioDir, id)),
    open: async (name) => within(await store.open(name)),
    at: (found) => within(store.at(found)),
  };
}

type Shared = { batch: string; capUsd: number; ledger: Spending };

function shared(run: RunFolder, batches: BatchStore): Spending {
  const { spending } = run;
  /** A run joins before it is carried on, and for good. */
  let joined: Promise<string | undefined> | undefined;
  const batchOf = async (): Promise<string | undefined> => {
    const text = await run.read(FILE);
    return text === undefined ? undefined : parseFile(Member, text, `${run.dir}/${FILE}`).batch;
  };
  /** The cap is read at every call: a raise counts at once. Without the batch's own file there is no cap to hold. */
  const find = async (): Promise<Shared | undefined> => {
    joined ??= batchOf();
    const batch = await joined.catch((error: unknown) => {
      joined = undefined;
      throw error;
    });
    const found = batch === undefined ? undefined : await findBatch(batches, batch);
    if (found === undefined) return undefined;
    const capUsd = found.budgetUsd ?? Number.POSITIVE_INFINITY;
    return { batch: found.id, capUsd, ledger: await batches.spending(found.id) };
  };
  const named = (call: string) => `${run.id}/${call}`;
  return {
    ...spending,
    reserve: async (record, capUsd, wait) => {
      const own = await spending.reserve(record, capUsd, wait);
      const all = await find();
      if (all === undefined) return own;
      const { nth, usd: worstUsd } = own;
      const leastUsd = Math.min(worstUsd, record.leastUsd ?? worstUsd);
      const shared = { ...record, call: named(record.call), nth, worstUsd, leastUsd };
      return reserveShared(all, shared, wait).catch(async (error: unknown) => {
        await spending.release(record.call, nth);
        throw error;
      });
    },
    settle: async (call, usage, terms) => {
      const usd = await spending.settle(call, usage, terms);
      await (await find())?.ledger.settle(named(call), usage, terms);
      return usd;
    },
    fail: async (call, cost) => {
      await spending.fail(call, cost);
      await (await find())?.ledger.fail(named(call), cost);
    },
    writeOff: async (call) => {
      const usd = await spending.writeOff(call);
      await (await find())?.ledger.writeOff(named(call));
      return usd;
    },
    release: async (call, nth) => {
      await spending.release(call, nth);
      await (await find())?.ledger.release(named(call), nth);
    },
  };
}

async function reserveShared(
  { batch, capUsd, ledger }: Shared,
  record: Reservation,
  wait: WaitForMoney | undefined,
): Promise<Reserved> {
  try {
    return await ledger.reserve(record, capUsd, wait);
  } catch (error) {
    if (!isHarnessError(error, 'budget_exceeded')) throw error;
    const more = Math.ceil(capUsd * 2);
    const cause = error.message.replace(/ Raise the cap with .*$/, '');
    const message = `${batchPause(batch)}${cause} Raise it: tandem batch --resume ${batch} --budget ${more}.`;
    throw new HarnessError('budget_exceeded', message, { details: error.details, cause: error });
  }
}
