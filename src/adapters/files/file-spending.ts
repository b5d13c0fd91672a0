/** Money of one run: reserved before each call and settled after, under one cap for all workers. */
import { HarnessError } from '../../errors.ts';
import { costOf } from '../../ports/model.ts';
import type { SpendRecord, Spending } from '../../ports/run-store.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { openSpendLedger, type SpendLedger } from './spend-ledger.ts';

/** Sums of cents that are no binary fractions must not break a cap that they meet exactly. */
const EPSILON = 1e-9;

export function openFileSpending(runDir: string): Spending {
  const ledger = openSpendLedger(runDir);
  const write = (doing: string, choose: Parameters<SpendLedger['write']>[0]) =>
    onDisk(doing, () => ledger.write(choose));

  return {
    reserve: async ({ call, agent, model, worstUsd }, capUsd) => {
      if (!(Number.isFinite(worstUsd) && worstUsd >= 0)) {
        throw new HarnessError(
          'infrastructure',
          `The worst cost of ${call} is ${worstUsd}: check the prices of ${model}.`,
        );
      }
      await write(`Reserving money for ${call}`, (records) => {
        const mine = records.get(call);
        // A call that is made again after a crash is the same call: what it has reserved or paid still counts, once.
        if (mine?.usd !== undefined || (mine !== undefined && mine.reservedUsd >= worstUsd)) return undefined;
        const others = [...records.values()].filter((record) => record.call !== call);
        refuseBreach(call, others, worstUsd, capUsd);
        return { version: 1, type: 'reserved', call, agent, model, usd: worstUsd };
      });
    },

    settle: async (call, usage, price, ms) => {
      let paid = costOf(usage, price);
      await write(`Settling ${call}`, (records) => {
        const known = records.get(call);
        const earlier = known?.writtenOff === true ? undefined : known?.usd;
        paid = earlier ?? costOf(usage, price);
        if (earlier !== undefined) return undefined;
        return { version: 1, type: 'settled', call, usd: paid, usage, ...(ms === undefined ? {} : { ms }) };
      });
      return paid;
    },

    release: (call) =>
      write(`Releasing the money of ${call}`, (records) => {
        const mine = records.get(call);
        return mine === undefined || mine.usd !== undefined ? undefined : { version: 1, type: 'released', call };
      }),

    writeOff: async (call) => {
      let booked: number | undefined;
      await write(`Writing off ${call}`, (records) => {
        const mine = records.get(call);
        booked = mine === undefined || mine.usd !== undefined ? undefined : mine.reservedUsd;
        return booked === undefined ? undefined : { version: 1, type: 'written_off', call, usd: booked };
      });
      return booked;
    },

    list: () => onDisk('Reading what was spent', async () => [...(await ledger.records()).values()]),
  };
}

function refuseBreach(call: string, others: readonly SpendRecord[], worstUsd: number, capUsd: number): void {
  const spentUsd = others.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const reservedUsd = others.reduce((sum, record) => sum + (record.usd === undefined ? record.reservedUsd : 0), 0);
  if (spentUsd + reservedUsd + worstUsd <= capUsd + EPSILON) return;
  const state = `${dollars(spentUsd)} of ${dollars(capUsd)} are spent and ${dollars(reservedUsd)} are reserved`;
  const remedy = 'Raise the cap with tandem resume <run> --raise <dollars>.';
  throw new HarnessError('budget_exceeded', `The next call could cost ${dollars(worstUsd)}, and ${state}. ${remedy}`, {
    details: { call, spentUsd, reservedUsd, capUsd, nextUsd: worstUsd },
  });
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}
