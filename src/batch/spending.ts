/** One budget for all runs of a batch, in `tandem batch`, `tandem resume` and workers alike. */
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { HarnessError, isHarnessError } from '../errors.ts';
import type { BatchStore } from '../ports/batches.ts';
import type { Reservation, ReservedTry, RunFolder, RunStore, Spending, WaitForMoney } from '../ports/run-store.ts';
import { findBatch } from './batch.ts';

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
  const within = (run: RunFolder): RunFolder => ({ ...run, spending: withBatchLedger(run, batches) });
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
  /** A run joins its batch before it continues, and never leaves it, so the answer is cached. */
  let joined: Promise<string | undefined> | undefined;
  const batchOf = async (): Promise<string | undefined> => {
    const text = await run.read(FILE);
    return text === undefined ? undefined : parseFile(Member, text, `${run.dir}/${FILE}`).batch;
  };
  /** The cap is read at every call, so that a raise counts at once. Without the batch's own file there is no cap. */
  const find = async (): Promise<BatchLedger | undefined> => {
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
      return reserveFromBatch(all, shared, wait).catch(async (error: unknown) => {
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
    const cause = error.message.replace(/ Raise the cap with .*$/, '');
    const message = `${batchPause(batch)}${cause} Raise it: tandem batch --resume ${batch} --budget ${more}.`;
    throw new HarnessError('budget_exceeded', message, { details: error.details, cause: error });
  }
}
