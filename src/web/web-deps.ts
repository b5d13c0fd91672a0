/** The dependencies of the review page: runs, decisions, access. The one model it reaches answers questions and changes nothing. */
import type { Hono } from 'hono';
import type { Clock } from '../ports/clock.ts';
import type { Chat } from '../ports/chat.ts';
import type { Decide, Designs, OrderRun, Undo } from '../ports/decisions.ts';
import type { Drafts } from '../ports/drafts.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';
import type { BatchSummary } from '../report/batch/summary.ts';
import type { RunSummary } from '../report/run/run-summary.ts';
import type { ListedNotices } from '../gate/notices/notice-book.ts';
import type { Compared } from '../scenario/statistics/compare-subjects.ts';
import type { Access } from './guard/visitor.ts';
import type { Signer } from './guard/signer.ts';

/** `runs` are the absolute folders of its runs, and `scenarios` has the scenario of each. */
export type ListedBatch = {
  id: string;
  createdAt: string;
  actor: string;
  runs: readonly string[];
  scenarios: readonly string[];
};

export type Batches = {
  /** Newest first. */
  list: () => Promise<ListedBatch[]>;
  /** `dirs` has the folder of each row. Contract: `not_found` names the batches that there are. */
  read: (id: string) => Promise<{ summary: BatchSummary; dirs: readonly string[] }>;
};

/** What `tandem evaluate` has made: of one subject, or of several that were compared. */
export type ListedEvaluation = {
  scenario: string;
  /** `3` or `comparison-1`, in `evaluations/` of the scenario. */
  name: string;
  /** Absolute. */
  dir: string;
  /** When it last changed. */
  at: string;
  /** In the order in which they were named; empty for an evaluation of one subject. */
  subjects: readonly string[];
  /** At its end. */
  compared: Compared | undefined;
};

/** As in an address; no run has such a name. */
export function evaluationKey({ scenario, name }: Pick<ListedEvaluation, 'scenario' | 'name'>): string {
  return `${scenario}~${name}`;
}

export type Evaluations = {
  /** Newest first. */
  list: () => Promise<ListedEvaluation[]>;
};

/** A request that was answered; `path` without its query. */
export type AnsweredRequest = {
  id: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  who: string | undefined;
  address: string;
  /** That its path names. */
  run: string | undefined;
  /** Of a proxy or client that traces: the trace id of its `traceparent`. */
  traceId: string | undefined;
};

/** For those who look after the process that serves. */
export type Observe = {
  request: (request: AnsweredRequest) => void;
  /** Why it does not do its work; empty when it does. */
  faults: () => readonly string[];
  metrics: () => Promise<{ text: string; type: string }>;
};

export type ReviewDeps = {
  store: RunStore;
  clock: Clock;
  decide: Decide;
  undo: Undo;
  order: OrderRun;
  /** Answers questions about a design; absent where no model was opened. */
  chat?: Chat;
  /** How long workers leave a person's decision alone. */
  undoSeconds: number;
  designs: Designs;
  summarise: (run: RunFolder) => Promise<RunSummary>;
  batches: Batches;
  evaluations: Evaluations;
  drafts: Drafts;
  access: Access;
  signer: Signer;
  /** `127.0.0.1:7420`, `localhost:7420`, …: any other Host may be DNS rebinding. */
  hosts: readonly string[];
  /** Path of its host below which the browser reaches the page: `/tandem`; empty at the root. */
  base?: string | undefined;
  /** True when the browser reaches the page over https. */
  secure: boolean;
  /** Requests a minute: of one address, of one person's decisions, of one address's tries to sign in. */
  limits: { requests: number; decisions: number; signIns: number };
  /** Hours from the opening of a gate to its expiry, if gates expire. */
  expireAfterHours?: number;
  /** The read-only dashboard of the queue, where workers share one; at `/queue`. */
  board?: Hono;
  /** What could not be delivered; absent for those who may not read every scenario. */
  notices?: (() => Promise<ListedNotices>) | undefined;
  /** Absent where nobody looks. */
  observe?: Observe | undefined;
};
