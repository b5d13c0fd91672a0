/** The dependencies of the review page: runs, decisions, access, and a model that only answers questions. */
import type { Clock, RunFolder, RunStore, SessionStore } from '../ports/run-store.ts';
import type { Chat } from '../ports/chat.ts';
import type { Decide, Designs, OrderRun, Undo } from '../ports/decisions.ts';
import type { Drafts } from '../ports/drafts.ts';
import type { BatchSummary } from '../report/batch/summary.ts';
import type { RunSummary } from '../report/run/run-summary.ts';
import type { GateDecision } from '../gate/rules/gate.ts';
import type { Access } from './guard/visitor.ts';
import type { Signer } from './guard/signer.ts';

/** `runs` are the absolute folders of its runs; `scenarios` has the scenario of each. */
export type ListedBatch = {
  id: string;
  createdAt: string;
  actor: string;
  runs: readonly string[];
  scenarios: readonly string[];
};

export type Batches = {
  /** Lists the newest batch first. */
  list: () => Promise<ListedBatch[]>;
  /** `dirs` has the folder of each row. Contract: `not_found` names the existing batches. */
  read: (id: string) => Promise<{ summary: BatchSummary; dirs: readonly string[] }>;
};

/** An evaluation by `tandem evaluate`; an earlier version compared several subjects in one. */
export type ListedEvaluation = {
  scenario: string;
  /** `3` or `comparison-1`, in `evaluations/` of the scenario. */
  name: string;
  /** The absolute path. */
  dir: string;
  /** Time of the last change. */
  at: string;
  /** In the order in which they were named; empty for an evaluation of one subject. */
  subjects: readonly string[];
};

/** The evaluation's name in addresses, which no run can have. */
export function evaluationKey({ scenario, name }: Pick<ListedEvaluation, 'scenario' | 'name'>): string {
  return `${scenario}~${name}`;
}

export type Evaluations = {
  /** Lists the newest evaluation first. */
  list: () => Promise<ListedEvaluation[]>;
};

/** An answered request; `path` has no query. */
export type AnsweredRequest = {
  id: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  who: string | undefined;
  address: string;
  /** The run named by the path. */
  run: string | undefined;
  /** The trace id of the `traceparent` header, sent by a proxy or client that traces. */
  traceId: string | undefined;
};

/** Logging and metrics for the supervisor of the serving process. */
export type Observe = {
  request: (request: AnsweredRequest) => void;
  /** Reasons why the process does not work; empty when it does. */
  faults: () => readonly string[];
  metrics: () => Promise<{ text: string; type: string }>;
};

/** Marks every page as practice, and tells after a decision what had been planted. */
export type Practice = { before: string; after: (decision: GateDecision) => { text: string; planted: string } };

export type ReviewDeps = {
  store: RunStore;
  /** The folders of the runs that lists leave out; none when absent. */
  listArchived?: () => Promise<ReadonlySet<string>>;
  /** People's own conversations with an agent, without a run. */
  sessions: SessionStore;
  clock: Clock;
  decide: Decide;
  undo: Undo;
  /** Records that a person hands a gate to another reviewer, who is named in `to`. */
  handOver: (request: { run: string; digest: string; to: string; comment: string; actor: string }) => Promise<unknown>;
  order: OrderRun;
  /** True where an order to go on starts the work in this process when no workers carry the run. */
  startsWork: boolean;
  /** Whether a worker of the project shows signs of life. */
  areWorkersThere: () => Promise<boolean>;
  /** Answers questions about a design; absent where no model was opened. */
  chat?: Chat;
  /** Number of seconds for which workers leave a person's decision alone. */
  undoSeconds: number;
  designs: Designs;
  summarise: (run: RunFolder) => Promise<RunSummary>;
  batches: Batches;
  evaluations: Evaluations;
  /** Returns the message in the bytes of a model's answer, whole or streamed; undefined where there is none. */
  assembleAnswer: (answer: Buffer) => unknown;
  drafts: Drafts;
  access: Access;
  signer: Signer;
  /** For example `127.0.0.1:7420`, `localhost:7420`; any other Host header may be DNS rebinding. */
  hosts: readonly string[];
  /** The path on the host under which the browser reaches the page, such as `/tandem`; empty at the root. */
  base?: string | undefined;
  /** True when the browser reaches the page over https. */
  secure: boolean;
  /** Maximum requests per minute: of one address, decisions of one person, sign-in tries of one address. */
  limits: { requests: number; decisions: number; signIns: number };
  /** Hours from the opening of a gate to its expiry, if gates expire. */
  expireAfterHours?: number;
  /** Set while a reviewer practises on a copy. */
  practice?: Practice | undefined;
  /** Absent where nobody monitors the process. */
  observe?: Observe | undefined;
};
