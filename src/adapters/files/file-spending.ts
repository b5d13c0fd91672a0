/** Spending of one run: reserved before each try of a call and booked after it, under one cap for all workers. */
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { computeCost } from '../../ports/model.ts';
import type { Reservation, ReservedTry, SettlementTerms, Spending, WaitForMoney } from '../../ports/run-store.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { isRunning, getPidScope } from '../../disk/live-mark.ts';
import type { MirroredNumbers } from '../../disk/numbered-files.ts';
import {
  EPSILON,
  type SpendBooks,
  type SpendCall,
  type SpendLine,
  type SpendSums,
  type SpendTry,
} from './spend-books.ts';
import { openSpendLedger, type SpendLedger } from './spend-ledger.ts';

/** The first pause before the ledger is read again while others have money reserved. */
const LOOK_MS = 100;
/** The longest such pause: reservations of batches may last for hours. */
const SLOWEST_LOOK_MS = 2000;
/** Longer than any call: an older reservation of a process that cannot be checked is not waited for. */
const LONGEST_CALL_MS = 60 * 60_000;

const version = 1;

export function openFileSpending(runDir: string, shared?: MirroredNumbers): Spending {
  const ledger = openSpendLedger(runDir, shared);
  const write: WriteLedger = (doing, choose) => onDisk(doing, () => ledger.write(choose));

  /** Reserves, or returns the amount that others hold; throws when the cap is reached. */
  const reserveNow = async (reservation: Reservation, capUsd: number): Promise<ReservedTry | HeldByOthers> => {
    const place = getPidScope();
    let outcome: ReservedTry | HeldByOthers | undefined;
    await write(`Reserving money for ${reservation.call}`, (books) => {
      const { call, agent, model } = reservation;
      const mine = books.of(call);
      const nth = reservation.nth ?? mine?.tries.size ?? 0;
      // An open try of a repeated call was interrupted, so it is not known what the provider did with it.
      const dead = openTries(mine).filter(([number]) => number !== nth);
      const usd = chooseAmount(reservation, capUsd, books);
      if (typeof usd !== 'number') {
        const held = livingUsd(books, { except: call, place });
        if (held === 0) throw usd;
        outcome = { heldUsd: held, refusal: usd };
        return [];
      }
      outcome = { nth, usd };
      const by = { place, pid: process.pid, at: new Date().toISOString() };
      const reserved = { version, type: 'reserved', call, agent, model, usd, ...toNthField(nth), by } as const;
      const closed = dead.map(([number, one]) => toWrittenOffLine(call, number, one));
      return [...closed, reserved];
    });
    if (outcome === undefined)
      throw new HarnessError('infrastructure', `Nothing was reserved for ${reservation.call}.`);
    return outcome;
  };

  return {
    reserve: async (reservation, capUsd, wait) => {
      checkAmounts(reservation);
      for (let looks = 0; ; looks += 1) {
        const found = await reserveNow(reservation, capUsd);
        if (!('refusal' in found)) return found;
        if (wait === undefined) throw found.refusal;
        await waitForNextLook(found.heldUsd, looks, wait);
      }
    },

    ...createBookings(write),
    list: () => onDisk('Reading what was spent', ledger.records),
    pack: () => onDisk('Packing what was spent', ledger.pack),
  };
}

type WriteLedger = (doing: string, choose: Parameters<SpendLedger['write']>[0]) => Promise<void>;

function createBookings(write: WriteLedger): Omit<Spending, 'reserve' | 'list' | 'pack'> {
  return {
    settle: async (call, usage, { price, ms, nth, uncertainUsd, lostUsd, capUsd = 0 }) => {
      let paid = 0;
      await write(`Settling ${call}`, (books) => {
        const mine = books.of(call);
        const number = nth ?? openTries(mine)[0]?.[0] ?? 0;
        const earlier = mine?.tries.get(number);
        if (earlier?.state === 'settled') {
          paid = earlier.usd;
          return estimateLostTries(call, mine, { lostUsd, roomUsd: 0 });
        }
        paid = computeCost(usage, price);
        const perhaps = uncertainUsd === undefined ? undefined : Math.min(uncertainUsd, computeHeadroom(earlier, paid));
        const line = { version, type: 'settled', call, usd: paid, usage, ms, uncertainUsd: perhaps } as const;
        const others = books.spentUsd + books.uncertainUsd + books.reservedUsd - sumTry(earlier);
        const roomUsd = Math.max(0, capUsd - others - paid - (perhaps ?? 0));
        return [
          omitUndefined({ ...line, ...toNthField(number) }),
          ...estimateLostTries(call, mine, { lostUsd, roomUsd }),
        ];
      });
      return paid;
    },

    fail: (call, { nth, usd, uncertainUsd, usage }) =>
      write(`Booking a failed try of ${call}`, (books) => {
        const mine = books.of(call)?.tries.get(nth);
        if (mine?.state !== 'open' && !(mine?.state === 'failed' && uncertainUsd === 0)) return [];
        const line = { version, type: 'failed', call, usd, uncertainUsd, usage } as const;
        return [omitUndefined({ ...line, ...toNthField(nth) })];
      }),

    release: (call, nth) =>
      write(`Releasing the money of ${call}`, (books) =>
        openTries(books.of(call))
          .filter(([number]) => nth === undefined || number === nth)
          .map(([number]) => ({ version, type: 'released', call, ...toNthField(number) })),
      ),

    writeOff: async (call) => {
      let booked: number | undefined;
      await write(`Writing off ${call}`, (books) => {
        const open = openTries(books.of(call));
        booked = open.length === 0 ? undefined : open.reduce((sum, [, { usd }]) => sum + usd, 0);
        return open.map(([number, one]) => toWrittenOffLine(call, number, one));
      });
      return booked;
    },
  };
}

type LostEstimate = Pick<SettlementTerms, 'lostUsd'> & { roomUsd: number };

/** Books tries without an answer by what the answer says of them: cheaper, or dearer by `roomUsd` in all. */
function estimateLostTries(call: string, found: SpendCall | undefined, terms: LostEstimate): SpendLine[] {
  const tries = [...(found?.tries ?? [])];
  const lost = tries.flatMap(([nth, one], index) =>
    one.state === 'failed' && one.uncertainUsd > 0 ? [{ nth, one, ...findNextUsage(one, tries.slice(index + 1)) }] : [],
  );
  const bounds = terms.lostUsd?.(lost.map(({ one, ms, next }) => ({ counted: one.usage, ms, next }))) ?? [];
  let { roomUsd } = terms;
  return lost.flatMap(({ nth, one }, index) => {
    const { usd, usage, uncertainUsd: before, mostUsd = usd + before } = one;
    const mostNow = Math.max(before, Math.min(before + roomUsd, mostUsd - usd));
    const uncertainUsd = Math.min(mostNow, Math.max(0, (bounds[index] ?? usd + before) - usd));
    if (uncertainUsd === before) return [];
    roomUsd -= uncertainUsd - before;
    return [omitUndefined({ version, type: 'failed', call, usd, uncertainUsd, usage, ...toNthField(nth) } as const)];
  });
}

/** The answered try is open until it is settled. */
function findNextUsage({ at = '' }: { at?: string | undefined }, later: [number, SpendTry][]) {
  for (const [, one] of later) {
    if (one.state === 'open') return { ms: Date.parse(one.by?.at ?? '') - Date.parse(at) };
    if (one.state === 'settled' || (one.state === 'failed' && one.usage !== undefined))
      return { ms: Date.parse(one.at ?? '') - Date.parse(at), next: one.usage };
  }
  return { ms: Number.POSITIVE_INFINITY };
}

type HeldByOthers = { heldUsd: number; refusal: HarnessError };
type OpenTry = Extract<SpendTry, { state: 'open' }>;

function openTries(found: SpendCall | undefined): [number, OpenTry][] {
  return [...(found?.tries ?? [])].flatMap(([number, one]) => (one.state === 'open' ? [[number, one]] : []));
}

/** The most that the try may cost beyond the paid amount; with it the sum stays within the amount counted so far. */
function computeHeadroom(earlier: SpendTry | undefined, paidUsd: number): number {
  const isCounted = earlier?.state === 'open' || earlier?.state === 'failed';
  return isCounted ? Math.max(0, sumTry(earlier) - paidUsd) : Number.POSITIVE_INFINITY;
}

/** What the try counts for under the cap. */
function sumTry(one: SpendTry | undefined): number {
  if (one === undefined || one.state === 'released') return 0;
  return one.usd + (one.state === 'open' ? 0 : one.uncertainUsd);
}

function toNthField(nth: number): { nth?: number } {
  return nth === 0 ? {} : { nth };
}

function toWrittenOffLine(call: string, nth: number, { usd }: OpenTry): SpendLine {
  return { version, type: 'written_off', call, usd, ...toNthField(nth) };
}

/** The sum reserved for tries of living processes, which may settle for less. */
function livingUsd(books: SpendBooks, { except, place }: { except: string; place: string }): number {
  const others = books.open().filter(({ call }) => call !== except);
  const living = others.flatMap((found) => openTries(found)).filter(([, { by }]) => isAlive(by, place));
  return living.reduce((sum, [, { usd }]) => sum + usd, 0);
}

function isAlive(by: OpenTry['by'], place: string): boolean {
  if (by?.pid === process.pid && by.place === place) return true;
  if (by === undefined || Date.now() - Date.parse(by.at) > LONGEST_CALL_MS) return false;
  return by.place !== place || isRunning(by.pid);
}

async function waitForNextLook(heldUsd: number, looks: number, { signal, onWait }: WaitForMoney): Promise<void> {
  onWait?.(heldUsd);
  await delay(Math.min(LOOK_MS * (1 + looks / 10), SLOWEST_LOOK_MS), undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

function checkAmounts({ call, model, worstUsd }: Reservation): void {
  if (Number.isFinite(worstUsd) && worstUsd >= 0) return;
  throw new HarnessError('infrastructure', `The worst cost of ${call} is ${worstUsd}: check the prices of ${model}.`);
}

/** Returns the worst case if it fits under the cap, else the least useful amount, else the error. */
function chooseAmount(reservation: Reservation, capUsd: number, books: SpendBooks): number | HarnessError {
  const { worstUsd, leastUsd = worstUsd } = reservation;
  const { spentUsd, uncertainUsd, reservedUsd } = books;
  const fits = (usd: number): boolean => spentUsd + uncertainUsd + reservedUsd + usd <= capUsd + EPSILON;
  if (fits(worstUsd)) return worstUsd;
  const least = Math.min(worstUsd, leastUsd);
  return fits(least) ? least : createCapError({ spentUsd, uncertainUsd, reservedUsd }, { capUsd, nextUsd: least });
}

function createCapError(sums: SpendSums, next: { capUsd: number; nextUsd: number }): HarnessError {
  const { spentUsd, uncertainUsd, reservedUsd } = sums;
  const perhaps =
    uncertainUsd > EPSILON ? `, up to ${formatDollars(uncertainUsd)} more may have been (failed calls)` : '';
  const state = `${formatDollars(spentUsd)} of ${formatDollars(next.capUsd)} are spent${perhaps} and ${formatDollars(reservedUsd)} are reserved`;
  const remedy = 'Raise the cap with tandem resume <run> --raise <dollars>.';
  const message = `The next call could cost ${formatDollars(next.nextUsd)}, and ${state}. ${remedy}`;
  return new HarnessError('budget_exceeded', message, { details: { ...sums, ...next } });
}

function formatDollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}
