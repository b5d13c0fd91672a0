/** The run-store port: where run folders are, and their content in addition to journal and artifacts. */
import type { SessionBody } from '../run/session-event.ts';
import type { Journal } from './journal.ts';
import type { Artifacts } from './artifacts.ts';
import type { Images } from './images.ts';
import type { CallRecord } from '../transcript/call-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ModelFacts } from './model.ts';
import type { Usage } from '../transcript/message.ts';
import type { SharedFiles } from './shared-files.ts';
import type { Progress } from './progress.ts';

/** One paid call with all its tries, in US dollars. */
export type SpendRecord = {
  call: string;
  agent: string;
  model: string;
  /** The most that a try may cost that is under way or whose process died. */
  reservedUsd: number;
  /** Certain cost, failed tries included. */
  usd: number;
  /** What failed tries may have cost beyond `usd`, by what arrived of them and by like answers. */
  uncertainUsd: number;
  /** What failed tries may cost beyond that estimate if the provider bills all that it could; absent means nothing. */
  unlikelyUsd?: number | undefined;
  /** Number of answers, and number of tries without one. */
  answers: number;
  failed: number;
  /** Usage and milliseconds of its last answer, where they were recorded. */
  usage?: Usage;
  ms?: number;
};

/** An entry as stored, not parsed by any schema; digests are made of these. */
export type StoredEntry = { id: string; step?: string | undefined };

export interface Transcripts {
  /** Contract: a torn last line is dropped, any other unreadable line is `data_corrupt` with its number. */
  read(agent: string): Promise<Entry[]>;
  /** Contract: returns each entry exactly as stored; drops and refuses lines as `read` does. */
  stored(agent: string): Promise<StoredEntry[]>;
  /** Appends the entries whose ids the file does not hold yet; doing it twice is harmless. */
  publish(agent: string, entries: readonly Entry[]): Promise<void>;
  /** The bytes that image blocks of any agent's entries point to. */
  readonly images: Images;
  /**
   * Returns every model call of the agent, in the order in which they began: for people; an agent reads only the dates
   * of an archive (S1.9). Contract: a torn last line is dropped; for steps older than these records, the transcript
   * supplies the calls.
   */
  calls(agent: string): Promise<CallRecord[]>;
  /** Contract: on disk when it resolves; a record of the same call replaces the earlier one. */
  record(agent: string, calls: readonly CallRecord[]): Promise<void>;
}

/** `leastUsd` is reserved where the worst case does not fit under the cap; the caller must then not spend more. */
export type Reservation = {
  call: string;
  agent: string;
  model: string;
  worstUsd: number;
  leastUsd?: number | undefined;
  /** Number of the try, where another ledger has numbered it. */
  nth?: number;
};

export type ReservedTry = { nth: number; usd: number };

/** `onWait` receives the amount that others have reserved, at every look. */
export type WaitForMoney = { signal: AbortSignal; onWait?: ((heldUsd: number) => void) | undefined };

/** `ms` is the duration of the answer; `uncertainUsd` is the possible cost beyond its usage. */
export type SettlementTerms = {
  price: ModelFacts['price'];
  ms?: number | undefined;
  /** Number of the answered try; the open one when absent. */
  nth?: number | undefined;
  uncertainUsd?: number | undefined;
  /** What the earlier tries cost whose answers were lost, in their order: they are booked by it. */
  lostUsd?: ((tries: readonly LostTry[]) => readonly number[]) | undefined;
  /** Lost tries are booked dearer than before as far as this cap allows; not at all when absent. */
  capUsd?: number | undefined;
};

/**
 * `counted` is what the provider said of the try before it was lost. The next try of which some usage is known, `next` if
 * that is not the answer, began `ms` later; infinity where that is not known.
 */
export type LostTry = { counted: Usage | undefined; ms: number; next?: Usage | undefined };

export type FailedTryCost = { nth: number; usd: number; uncertainUsd: number; usage?: Usage | undefined };

/** Contract: calls count in the order in which they are made, even before the earlier ones have resolved. */
export interface Spending {
  /**
   * Reserves money for the next try of a call. Contract: throws `budget_exceeded` and writes nothing when settled +
   * uncertain + reserved + this one would pass the cap; with `wait` only when no live holder may have some left over.
   * An open try of the same call counts as failed, with an uncertain cost.
   */
  reserve(reservation: Reservation, capUsd: number, wait?: WaitForMoney): Promise<ReservedTry>;
  /**
   * Contract: only the first settlement of a try counts; it replaces what was booked when the try seemed to have failed. A
   * later one can only narrow what was booked for the lost tries before it; what was reserved for them stays the limit.
   */
  settle(call: string, usage: Usage, terms: SettlementTerms): Promise<number>;
  /** Books a try without an answer. */
  fail(call: string, cost: FailedTryCost): Promise<void>;
  /** Drops the reservation of a try that was never sent; without `nth`, of all open ones. */
  release(call: string, nth?: number): Promise<void>;
  /**
   * Counts the whole reservation of a call whose caller died, since its real cost is uncertain. Resolves with the
   * amount; undefined when nothing was reserved any more. Contract: a late settlement replaces it.
   */
  writeOff(call: string): Promise<number | undefined>;
  list(): Promise<SpendRecord[]>;
  /** Saves space when a run has ended. Contract: nothing changes for readers, nor for late writers. */
  pack(): Promise<void>;
}

/** `dir` is absolute, and absent where this machine lacks the scenario. `labels` are those of all its runs. */
export type ScenarioLocation = { dir?: string | undefined; labels: SharedFiles };

export interface RunFolder {
  readonly id: string;
  readonly scenario: string;
  /** Absolute path. */
  readonly dir: string;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly transcripts: Transcripts;
  readonly spending: Spending;
  /** Records who works in the folder and which notices were sent; not part of the run itself. */
  readonly shared: SharedFiles;
  /** Set where the run does not lie in the folder of its scenario. */
  readonly around?: ScenarioLocation;
  /** Writes a whole file atomically, by run-relative path (`gates/HITL-1.r1/pack.json`, `handoffs/…`, `out/…`). */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * Writes a file that an event names by its digest. Contract: of several writers at any time or place, the first one
   * counts; resolves with the stored content.
   */
  writeOnce(path: string, content: string): Promise<string>;
  /** Undefined when there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Lists every file below a folder of the run, as run-relative paths in no order; empty without such a folder. */
  list(folder: string): Promise<string[]>;
}

export type DraftRun = {
  run: RunFolder;
  /** Contract: afterwards the run exists as a whole, or not at all. */
  publish(): Promise<RunFolder>;
  /** Removes the draft completely. */
  drop(): Promise<void>;
};

export interface RunStore {
  /** Contract: the id is new; `scenarioDir` is absolute; the folder is `<scenarioDir>/runs/<id>`. */
  create(scenarioDir: string, id: string): Promise<RunFolder>;
  /** Contract: as for `create`, but nobody sees the run before it is published. */
  draft(scenarioDir: string, id: string): Promise<DraftRun>;
  /** Opens by run id, unique prefix of it, or path of a run folder; `not_found` lists the known ones. */
  open(run: string): Promise<RunFolder>;
  /**
   * Lists every folder that may be a run, in no order, without reading any of it. `length` is the number of the run's
   * events, from a store that knows it; its folder here may then hold fewer.
   */
  folders(): Promise<{ id: string; scenario: string; dir: string; length?: number }[]>;
  /** Lists the runs with attempts at steps, of any worker; when absent, `wip/` of each folder shows it. */
  readonly atWork?: () => Promise<{ id: string; scenario: string; dir: string }[]>;
  /** Cache of run lists, by id, for the next process; files next to the runs serve when it is absent. */
  readonly listed?: {
    read(): Promise<ReadonlyMap<string, unknown>>;
    write(changed: ReadonlyMap<string, unknown>): Promise<void>;
  };
  /** Set where runs live on a server and folders are working copies; it is a new object after each failover. */
  readonly server?: {
    /** Returns the reason for which it cannot be used now; undefined when it answers. */
    awaited(): Promise<string | undefined>;
  };
  /** Returns a run folder that `folders` or `list` returned, without any look-up. */
  at(found: { id: string; scenario: string; dir: string }): RunFolder;
  /** Newest first. */
  list(): Promise<{ id: string; scenario: string; dir: string }[]>;
  /**
   * Contract: removes what killed processes left unfinished, but nothing that is in use; resolves with what it did, or
   * would do. `empty` includes empty folders and, in a store, earlier versions of files, which requires a look into
   * each run; `only` restricts it to one run.
   */
  sweep(how?: { dryRun?: boolean; empty?: boolean; only?: string }): Promise<string[]>;
  /** Deletes a folder permanently. */
  remove(run: { dir: string }): Promise<void>;
}

/** A person's session with an agent: a folder like a run's, with events of its own. */
export type SessionFolder = Omit<RunFolder, 'journal' | 'scenario'> & { readonly journal: Journal<SessionBody> };

export interface SessionStore {
  /** Contract: the id is new; the folder has an empty `workspace/` and `uploads/`. */
  create(id: string): Promise<SessionFolder>;
  /** Finds by id or the beginning of one; undefined when none matches, `not_found` when several do. */
  find(name: string): Promise<SessionFolder | undefined>;
  /** Newest first. */
  list(): Promise<SessionFolder[]>;
}

/** Enough to look at runs and to decide at gates; nothing here can call a model. */
export type ReadDeps = {
  store: RunStore;
  clock: Clock;
  progress: Progress;
};

export interface Clock {
  now(): Date;
}
