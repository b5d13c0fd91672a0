/** The lines of a ledger, and the sums that they give, by call and by try. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { Usage } from '../../transcript/message.ts';

/** The tolerance for rounding errors, so that sums of cents may meet a cap exactly. */
export const EPSILON = 1e-9;

const version = z.literal(1);
const usd = z.number().nonnegative();
const call = z.string();
/** The number of the try of a call; the first one is 0 and is not written. */
const nth = z.int().nonnegative().optional();

export const SpendLine = z.discriminatedUnion('type', [
  z.strictObject({
    ...{ version, type: z.literal('reserved'), call, agent: z.string(), model: z.string(), usd, nth },
    /** The process that makes the try, and the time at which it began: others wait for it while it lives. */
    /** Set by earlier versions for a try in a message batch. */
    batch: z.literal(true).optional(),
    by: z.strictObject({ place: z.string(), pid: z.int().positive(), at: z.string() }).optional(),
  }),
  z.strictObject({
    ...{ version, type: z.literal('settled'), call, usd, usage: Usage, ms: z.int().nonnegative().optional(), nth },
    uncertainUsd: usd.optional(),
  }),
  /** The try failed: `usd` is its certain cost, and `uncertainUsd` the most that it may have cost beyond that. */
  z.strictObject({ version, type: z.literal('failed'), call, usd, uncertainUsd: usd, usage: Usage.optional(), nth }),
  z.strictObject({ version, type: z.literal('released'), call, nth }),
  /** The process of the try died, so the whole amount is uncertain. */
  z.strictObject({ version, type: z.literal('written_off'), call, usd, nth }),
]);
export type SpendLine = z.infer<typeof SpendLine>;
type SettledEntry = Omit<Extract<SpendLine, { type: 'settled' }>, 'version' | 'type' | 'call' | 'nth' | 'usage'>;

export type SpendTry =
  | { state: 'open'; usd: number; by: Extract<SpendLine, { type: 'reserved' }>['by'] }
  /** `mostUsd` was reserved when it began, `at`: whatever the provider says, a request cannot cost more. */
  | (SettledEntry & {
      state: 'settled' | 'failed';
      uncertainUsd: number;
      mostUsd?: number | undefined;
      at?: string | undefined;
      usage?: Usage | undefined;
    })
  | { state: 'released' };

export type SpendCall = { call: string; agent: string; model: string; tries: ReadonlyMap<number, SpendTry> };

/** US dollars: certainly paid, perhaps paid beyond that, and reserved for open tries. */
export type SpendSums = { readonly spentUsd: number; readonly uncertainUsd: number; readonly reservedUsd: number };

/** The calls so far of all workers, and their sums. */
export type SpendBooks = SpendSums & {
  readonly of: (call: string) => SpendCall | undefined;
  /** Calls with an open try. */
  readonly open: () => readonly SpendCall[];
};

export type OpenBooks = SpendBooks & { add: (line: SpendLine) => void; records: () => SpendRecord[] };

/** Keeps running totals, so nothing is summed again. With `below`, added lines are kept apart from those books. */
export function openBooks(below?: SpendBooks): OpenBooks {
  const own = new Map<string, SpendCall>();
  const total = { spentUsd: below?.spentUsd ?? 0, uncertainUsd: below?.uncertainUsd ?? 0 };
  let reservedUsd = below?.reservedUsd ?? 0;
  const open = new Set<string>();
  const of = (name: string): SpendCall | undefined => own.get(name) ?? below?.of(name);
  const count = (found: SpendCall | undefined, sign: 1 | -1): void => {
    if (found === undefined) return;
    const sums = sumTries(found);
    total.spentUsd += sign * sums.spentUsd;
    total.uncertainUsd += sign * sums.uncertainUsd;
    reservedUsd += sign * sums.reservedUsd;
  };
  return {
    of,
    open: () => {
      const names = new Set([...(below?.open().map((one) => one.call) ?? []), ...open]);
      return [...names].flatMap((name) => of(name) ?? []).filter(isOpen);
    },
    get spentUsd() {
      return total.spentUsd;
    },
    get uncertainUsd() {
      return total.uncertainUsd;
    },
    get reservedUsd() {
      return reservedUsd;
    },
    add: (line) => {
      const before = of(line.call);
      const after = updateCall(line, before);
      if (after === undefined || after === before) return;
      count(before, -1);
      count(after, 1);
      own.set(line.call, after);
      if (isOpen(after)) open.add(line.call);
      else open.delete(line.call);
      // Rounding errors of binary fractions must not leave a remainder, so the sum is reset.
      if (open.size === 0 && below === undefined) reservedUsd = 0;
    },
    records: () => [...own.values()].flatMap(toSpendRecords),
  };
}

function isOpen({ tries }: SpendCall): boolean {
  return [...tries.values()].some(({ state }) => state === 'open');
}

function sumTries({ tries }: SpendCall): { spentUsd: number; uncertainUsd: number; reservedUsd: number } {
  const sums = { spentUsd: 0, uncertainUsd: 0, reservedUsd: 0 };
  for (const one of tries.values()) {
    if (one.state === 'open') sums.reservedUsd += one.usd;
    if (one.state !== 'settled' && one.state !== 'failed') continue;
    sums.spentUsd += one.usd;
    sums.uncertainUsd += one.uncertainUsd;
  }
  return sums;
}

/** Returns no record for a call whose every try was released. */
function toSpendRecords(found: SpendCall): SpendRecord[] {
  const { call: name, agent, model, tries } = found;
  const all = [...tries.values()];
  if (all.every(({ state }) => state === 'released')) return [];
  const answers = all.flatMap((one) => (one.state === 'settled' ? [one] : []));
  const last = answers.at(-1);
  const { spentUsd, ...sums } = sumTries(found);
  const failed = all.filter(({ state }) => state === 'failed').length;
  const unlikelyUsd = all.reduce((sum, one) => sum + computeUnlikelyCost(one), 0);
  return [
    omitUndefined({
      call: name,
      agent,
      model,
      ...sums,
      usd: spentUsd,
      answers: answers.length,
      failed,
      unlikelyUsd: unlikelyUsd > 0 ? unlikelyUsd : undefined,
      usage: last?.usage,
      ms: last?.ms,
    }),
  ];
}

/** Computes what an uncertain try may cost beyond its estimate, up to what was reserved for it. */
function computeUnlikelyCost(one: SpendTry): number {
  if (one.state !== 'failed' || one.uncertainUsd === 0) return 0;
  return Math.max(0, (one.mostUsd ?? 0) - one.usd - one.uncertainUsd);
}

/** A settled try never changes; a failed one is only estimated, until a settlement or the provider states its true cost. */
function updateCall(line: SpendLine, before: SpendCall | undefined): SpendCall | undefined {
  const number = line.nth ?? 0;
  const earlier = before?.tries.get(number);
  const isSure = line.type === 'settled' || (line.type === 'failed' && line.uncertainUsd === 0);
  const isGuess = earlier?.state === 'failed' && (isSure || isEstimate(line, earlier));
  if ((earlier?.state === 'settled' || earlier?.state === 'failed') && !isGuess) return before;
  // A settlement without its reservation is still paid money and must count.
  const unknown = { call: line.call, agent: 'unknown', model: 'unknown' };
  const named = line.type === 'reserved' ? { call: line.call, agent: line.agent, model: line.model } : unknown;
  const found = before ?? { ...named, tries: new Map<number, SpendTry>() };
  const { agent, model } = found.agent === 'unknown' ? named : found;
  const begun =
    earlier?.state === 'open'
      ? { mostUsd: earlier.usd, at: earlier.by?.at }
      : earlier?.state === 'failed'
        ? { mostUsd: earlier.mostUsd, at: earlier.at }
        : {};
  const changed = toSpendTry(line);
  const known =
    changed.state === 'failed' || changed.state === 'settled' ? omitUndefined({ ...changed, ...begun }) : changed;
  return { ...found, agent, model, tries: new Map([...found.tries, [number, known]]) };
}

/** The answer of a call says more of its lost tries than was known when they failed; none costs more than was reserved. */
function isEstimate(line: SpendLine, before: { usd: number; uncertainUsd: number; mostUsd?: number | undefined }) {
  const { usd: paid, uncertainUsd, mostUsd = 0 } = before;
  const most = Math.max(paid + uncertainUsd, mostUsd) + EPSILON;
  return line.type === 'failed' && line.usd >= paid && line.usd + line.uncertainUsd <= most;
}

function toSpendTry(line: SpendLine): SpendTry {
  switch (line.type) {
    case 'reserved':
      return { state: 'open', usd: line.usd, by: line.by };
    case 'released':
      return { state: 'released' };
    case 'written_off':
      return { state: 'failed', usd: 0, uncertainUsd: line.usd };
    case 'failed':
    case 'settled': {
      const { usd: paid, uncertainUsd = 0, usage } = line;
      const ms = line.type === 'settled' ? line.ms : undefined;
      return omitUndefined({ state: line.type, usd: paid, uncertainUsd, usage, ms });
    }
    default:
      return line satisfies never;
  }
}
