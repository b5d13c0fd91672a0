/** Money of one run: reserved before each call and settled after, under one cap for all workers. */
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { costOf } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';
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
      await write(`Reserving money for ${call}`, (books) => {
        const mine = books.of(call);
        // A call that is made again after a crash is the same call: what it has reserved or paid still counts, once.
        if (mine?.usd !== undefined || (mine !== undefined && mine.reservedUsd >= worstUsd)) return undefined;
        const others = { spentUsd: books.spentUsd, reservedUsd: books.reservedUsd - (mine?.reservedUsd ?? 0) };
        refuseBreach({ call, ...others, nextUsd: worstUsd, capUsd });
        return { version: 1, type: 'reserved', call, agent, model, usd: worstUsd };
      });
    },

    settle: async (call, usage, { price, ms }) => {
      let paid = costOf(usage, price);
      await write(`Settling ${call}`, (books) => {
        const known = books.of(call);
        const earlier = known?.writtenOff === true ? undefined : known?.usd;
        paid = earlier ?? costOf(usage, price);
        if (earlier !== undefined) return undefined;
        return omitUndefined({ version: 1 as const, type: 'settled' as const, call, usd: paid, usage, ms });
      });
      return paid;
    },

    release: (call) =>
      write(`Releasing the money of ${call}`, (books) => {
        const mine = books.of(call);
        return mine === undefined || mine.usd !== undefined ? undefined : { version: 1, type: 'released', call };
      }),

    writeOff: async (call) => {
      let booked: number | undefined;
      await write(`Writing off ${call}`, (books) => {
        const mine = books.of(call);
        booked = mine === undefined || mine.usd !== undefined ? undefined : mine.reservedUsd;
        return booked === undefined ? undefined : { version: 1, type: 'written_off', call, usd: booked };
      });
      return booked;
    },

    list: () => onDisk('Reading what was spent', ledger.records),
  };
}

type Breach = { call: string; spentUsd: number; reservedUsd: number; capUsd: number; nextUsd: number };

/** The sums are those of all other calls. */
function refuseBreach(sums: Breach): void {
  const { spentUsd, reservedUsd, capUsd, nextUsd } = sums;
  if (spentUsd + reservedUsd + nextUsd <= capUsd + EPSILON) return;
  const state = `${dollars(spentUsd)} of ${dollars(capUsd)} are spent and ${dollars(reservedUsd)} are reserved`;
  const remedy = 'Raise the cap with tandem resume <run> --raise <dollars>.';
  throw new HarnessError('budget_exceeded', `The next call could cost ${dollars(nextUsd)}, and ${state}. ${remedy}`, {
    details: sums,
  });
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}
