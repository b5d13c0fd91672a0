/** The run-store port: where run folders are, and what is in one in addition to journal and artifacts. */
import type { SessionBody } from '../run/session-event.ts';
import type { Journal } from './journal.ts';
import type { Artifacts } from './artifacts.ts';
import type { Images } from './images.ts';
import type { CallRecord } from '../transcript/call-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ModelFacts } from './model.ts';
import type { Usage } from '../transcript/message.ts';
import type { SharedFiles } from './shared-files.ts';

/** One paid call with all its tries. US dollars. */
export type SpendRecord = {
  call: string;
  agent: string;
  model: string;
  /** For a try under way, or one whose process died: the most that it may cost. */
  reservedUsd: number;
  /** Surely paid, failed tries included. */
  usd: number;
  /** The most that failed tries may have cost beyond `usd`. */
  uncertainUsd: number;
  /** How often it was answered, and how many tries had no answer. */
  answers: number;
  failed: number;
  /** Of its last answer, and how long that took, where it was taken. */
  usage?: Usage;
  ms?: number;
};

/** An entry that no schema has touched: what digests are made of. */
export type StoredEntry = { id: string; step?: string | undefined };

export interface Transcripts {
  /** Contract: a torn last line is dropped, any other unreadable line is `data_corrupt` with its number. */
  read(agent: string): Promise<Entry[]>;
  /** Contract: each entry as its bytes have it, whatever this program makes of them; dropped and refused as in `read`. */
  stored(agent: string): Promise<StoredEntry[]>;
  /** Appends the entries whose ids the file does not hold yet; doing it twice is harmless. */
  publish(agent: string, entries: readonly Entry[]): Promise<void>;
  /** The bytes that image blocks of any agent's entries point to. */
  readonly images: Images;
  /**
   * Every model call of the agent, in the order in which they began: for people; an agent reads only the dates of an archive
   * (S1.9). Contract: a torn last line
   * is dropped; of steps that are older than these records, what the transcript says.
   */
  calls(agent: string): Promise<CallRecord[]>;
  /** Contract: on disk when it resolves; a record of the same call replaces the earlier one. */
  record(agent: string, calls: readonly CallRecord[]): Promise<void>;
}

/** `leastUsd`: reserved where the worst case does not fit under the cap; the caller then sees to it that no more is spent. */
export type Reservation = {
  call: string;
  agent: string;
  model: string;
  worstUsd: number;
  leastUsd?: number | undefined;
  /** Which try of the call it is, where another ledger has numbered it. */
  nth?: number;
  /**
   * Set for a call that is made in batches and never live. True: a batch may still answer its last try, which goes on; what
   * that holds is not reserved again. False: no batch has it, so a try of it that is open was never sent.
   */
  goesOn?: boolean | undefined;
};

export type Reserved = { nth: number; usd: number };

/** `onWait` receives what others have reserved, at every look. */
export type WaitForMoney = { signal: AbortSignal; onWait?: ((heldUsd: number) => void) | undefined };

/** `ms`: how long the answer took; `uncertainUsd`: what it may have cost beyond its usage. */
export type SettlementTerms = {
  price: ModelFacts['price'];
  ms?: number | undefined;
  /** The try that was answered; absent: the one that is open. */
  nth?: number | undefined;
  uncertainUsd?: number | undefined;
};

export type FailedTryCost = { nth: number; usd: number; uncertainUsd: number; usage?: Usage | undefined };

/** Contract: calls count in the order in which they are made, also before the earlier ones have resolved. */
export interface Spending {
  /**
   * For the next try of a call. Contract: throws `budget_exceeded` and writes nothing when settled + uncertain + reserved +
   * this one would pass the cap; with `wait` only when nobody at work has something reserved that may be left over. A try
   * of the same call that is open counts as failed: what it cost is uncertain.
   */
  reserve(reservation: Reservation, capUsd: number, wait?: WaitForMoney): Promise<Reserved>;
  /** Contract: only the first settlement of a try counts; it replaces what was booked when the try seemed to have failed. */
  settle(call: string, usage: Usage, terms: SettlementTerms): Promise<number>;
  /** A try without an answer. */
  fail(call: string, cost: FailedTryCost): Promise<void>;
  /** Drops the reservation of a try that was never sent; of all open ones without `nth`. */
  release(call: string, nth?: number): Promise<void>;
  /**
   * Counts the whole reservation of a call whose caller died: its real cost is uncertain. Resolves with the amount;
   * undefined when nothing was reserved any more. Contract: a late settlement replaces it.
   */
  writeOff(call: string): Promise<number | undefined>;
  list(): Promise<SpendRecord[]>;
  /** When a run has ended: takes little room from then on. Contract: nothing changes for readers, nor for late writers. */
  pack(): Promise<void>;
}

/** `dir`: absolute; absent where this machine does not have the scenario. `labels`: those of all its runs. */
export type ScenarioAround = { dir?: string | undefined; labels: SharedFiles };

export interface RunFolder {
  readonly id: string;
  readonly scenario: string;
  /** Absolute path. */
  readonly dir: string;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly transcripts: Transcripts;
  readonly spending: Spending;
  /** Who is at work in it, what was sent about it: no part of the run itself. */
  readonly shared: SharedFiles;
  /** Set where the run does not lie in the folder of its scenario. */
  readonly around?: ScenarioAround;
  /** Whole file, run-relative, written atomically (`gates/HITL-1.r1/pack.json`, `handoffs/…`, `out/…`). */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * For a file that an event names by its digest. Contract: of several writers, whenever and wherever they write, the first
   * one counts; resolves with what is there.
   */
  writeOnce(path: string, content: string): Promise<string>;
  /** Undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Every file below a folder of the run, as run-relative paths in no order; empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

/** What a list says of a run without opening it. */
export type AboutRun = {
  createdAt: string;
  endedAt: string;
  status: string;
  round: number;
  iteration: number;
  successRate?: number | undefined;
};

/** `dir`: where its folder was, and comes back to; `file`: what holds it now. */
export type ArchivedRun = { id: string; scenario: string; dir: string; file: string; about: AboutRun };

export type DraftRun = {
  run: RunFolder;
  /** Contract: it is there as a whole, or not at all. */
  publish(): Promise<RunFolder>;
  /** Nothing of it is left. */
  drop(): Promise<void>;
};

export interface RunStore {
  /** Contract: the id is new; `scenarioDir` is absolute; the folder is `<scenarioDir>/runs/<id>`. */
  create(scenarioDir: string, id: string): Promise<RunFolder>;
  /** Contract: as for `create`; a run that nobody sees before it is published. */
  draft(scenarioDir: string, id: string): Promise<DraftRun>;
  /** By run id, unique prefix of it, or path of a run folder; `not_found` names what is there. */
  open(run: string): Promise<RunFolder>;
  /**
   * Every folder that may be a run, in no order: cheap, nothing in it is read. `length`: how many events the run has, from a
   * store that knows it; then its folder here may hold less.
   */
  folders(): Promise<{ id: string; scenario: string; dir: string; length?: number }[]>;
  /** The runs that have attempts at steps, whoever works on them; absent: `wip/` of each folder shows it. */
  readonly atWork?: () => Promise<{ id: string; scenario: string; dir: string }[]>;
  /** What lists cache of runs, by id, for the next process. Absent: files next to the runs cache it. */
  readonly listed?: {
    read(): Promise<ReadonlyMap<string, unknown>>;
    write(changed: ReadonlyMap<string, unknown>): Promise<void>;
  };
  /** Set where runs live on a server, and a folder is a working copy: another one after each failover. */
  readonly server?: {
    /** Why it cannot be used now; undefined when it answers. */
    awaited(): Promise<string | undefined>;
  };
  /** A run folder that `folders` or `list` returned: nothing is looked up, so it costs nothing. */
  at(found: { id: string; scenario: string; dir: string }): RunFolder;
  /** Newest first. */
  list(): Promise<{ id: string; scenario: string; dir: string }[]>;
  /** Runs that are one file each, newest first. `open` finds them too, unpacked elsewhere: nothing can be appended there. */
  archived(): Promise<ArchivedRun[]>;
  /** Contract: the caller knows that the run has ended. Its folder is replaced by one file with the same bytes, or stays. */
  archive(run: { id: string; scenario: string; dir: string }, about: AboutRun): Promise<void>;
  /** Makes an archived run a folder again; nothing where it is one. Takes what `open` takes. */
  restore(run: string): Promise<void>;
  /**
   * Contract: takes what killed processes left half made, and nothing that anybody works on; resolves with what it did, or would do.
   * `empty`: also empty folders, and in a store what earlier versions of files hold, which costs a look into each run; `only`:
   * that of one run.
   */
  sweep(how?: { dryRun?: boolean; empty?: boolean; only?: string }): Promise<string[]>;
  /** Folder or archive, for good. */
  remove(run: { dir: string }): Promise<void>;
}

/** A person's session with an agent: a folder like a run's, with events of its own. */
export type SessionFolder = Omit<RunFolder, 'journal' | 'scenario'> & { readonly journal: Journal<SessionBody> };

export interface SessionStore {
  /** Contract: the id is new; the folder has an empty `workspace/` and `uploads/`. */
  create(id: string): Promise<SessionFolder>;
  /** By id or the beginning of one; undefined when no session is named so, `not_found` when several are. */
  find(name: string): Promise<SessionFolder | undefined>;
  /** Newest first. */
  list(): Promise<SessionFolder[]>;
}
