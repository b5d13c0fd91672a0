/** The run-store port: where run folders are, and what is in one besides journal and artifacts. */
import type { Journal } from './journal.ts';
import type { Artifacts } from './artifacts.ts';
import type { Images } from './images.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ModelFacts } from './model.ts';
import type { Usage } from '../transcript/message.ts';

/** One paid call: reserved before it is made, settled after. */
export type SpendRecord = {
  call: string;
  agent: string;
  model: string;
  reservedUsd: number;
  usd?: number;
  usage?: Usage;
  /** True when no answer was received: `usd` is the most that it may have cost. */
  writtenOff?: true;
  /** How long its answer took, where it was taken. */
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
  /** Milliseconds that answers and compactions of the agent took, by their entries: for people; no agent reads a time. */
  times(agent: string): Promise<Readonly<Record<string, number>>>;
  /** Contract: of two times of one entry the longer counts. */
  keepTimes(agent: string, ms: Readonly<Record<string, number>>): Promise<void>;
}

/** `ms`: how long the answer took. */
export type SettlementTerms = { price: ModelFacts['price']; ms?: number | undefined };

/** Contract: calls count in the order in which they are made, also before the earlier ones have resolved. */
export interface Spending {
  /** Contract: throws `budget_exceeded` and writes nothing when settled + reserved + this one would pass the cap. */
  reserve(record: { call: string; agent: string; model: string; worstUsd: number }, capUsd: number): Promise<void>;
  /** Contract: only the first settlement of a call counts; later ones change nothing. */
  settle(call: string, usage: Usage, terms: SettlementTerms): Promise<number>;
  /** Drops a reservation whose call was never answered. */
  release(call: string): Promise<void>;
  /**
   * Counts the whole reservation of a call whose caller died: its real cost is unknown. Resolves with the amount
   * counted; undefined when nothing was reserved any more. Contract: a late settlement replaces the reservation.
   */
  writeOff(call: string): Promise<number | undefined>;
  list(): Promise<SpendRecord[]>;
}

export interface RunFolder {
  readonly id: string;
  readonly scenario: string;
  /** Absolute path. */
  readonly dir: string;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly transcripts: Transcripts;
  readonly spending: Spending;
  /** Whole file, run-relative, written atomically (`gates/HITL-1.r1/pack.json`, `handoffs/…`, `out/…`). */
  write(path: string, content: string): Promise<void>;
  /** Undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Every file below a folder of the run, as run-relative paths in no order; empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

export interface RunStore {
  /** Contract: the id is new; `scenarioDir` is absolute; the folder is `<scenarioDir>/runs/<id>`. */
  create(scenarioDir: string, id: string): Promise<RunFolder>;
  /** By run id, unique prefix of it, or path of a run folder; `not_found` names what is there. */
  open(run: string): Promise<RunFolder>;
  /** Every folder that may be a run, in no order: cheap, nothing in it is read. */
  folders(): Promise<{ id: string; scenario: string; dir: string }[]>;
  /** A run folder that `folders` or `list` returned: nothing is looked up, so it costs nothing. */
  at(found: { id: string; scenario: string; dir: string }): RunFolder;
  /** Newest first. */
  list(): Promise<{ id: string; scenario: string; dir: string }[]>;
}
