/** What the review page is given: runs to read, the one door to ask, and who may come in. It can call no model. */
import type { Hono } from 'hono';
import type { Clock } from '../ports/clock.ts';
import type { Decide, Designs } from '../ports/decisions.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';
import type { RunSummary } from '../report/run-summary.ts';
import type { Access } from './guard/visitor.ts';
import type { Signer } from './guard/signer.ts';

export type ReviewDeps = {
  store: RunStore;
  clock: Clock;
  decide: Decide;
  designs: Designs;
  summarise: (run: RunFolder) => Promise<RunSummary>;
  access: Access;
  signer: Signer;
  /** `127.0.0.1:7420`, `localhost:7420`, …: any other Host is somebody's trick. */
  hosts: readonly string[];
  /** True when the browser reaches the page over https. */
  secure: boolean;
  /** Requests a minute: of one address, of one person's decisions, of one address's tries to sign in. */
  limits: { requests: number; decisions: number; signIns: number };
  /** Hours from the opening of a gate to its expiry, if gates expire. */
  expireAfterHours?: number;
  /** The read-only dashboard of the queue, where workers share one; it stands at `/queue`. */
  board?: Hono;
};
