/** Composes the review page: the store that it reads, `decideGate`, and who may sign in. */
import { commentAtGate } from '../../gate/comment.ts';
import { decideGate } from '../../gate/decide.ts';
import { summarise } from '../../pipeline/summarise.ts';
import { undoDecision } from '../../gate/undo.ts';
import { openFileDrafts } from '../../adapters/files/file-drafts.ts';
import { openDrafts, type ProjectDeps } from '../open-store.ts';
import { assembleAnswer } from './assemble-answer.ts';
import { designs } from './designs.ts';
import { orderRun } from './order-run.ts';
import type { RunOrder } from '../../ports/decisions.ts';
import { openEvaluations } from './open-evaluations.ts';
import { openBatches } from './open-batches.ts';
import { toGatePermissions, type Reviewers } from '../../config/reviewers.ts';
import { seenWorkers } from '../../worker/presence.ts';
import { createReview, type Review } from '../../web/create-review.ts';
import { createSigner } from '../../web/guard/signer.ts';
import type { Access } from '../../web/guard/visitor.ts';
import type { ReviewDeps } from '../../web/web-deps.ts';

export type ReviewOptions = {
  /** The folder that holds `scenarios/` and `batches/`. */
  project: string;
  read: ProjectDeps;
  reviewers: Reviewers;
  /** Signs cookies, forms and links; knowing this secret is enough to sign in. */
  secret: string;
  /** The person who holds the printed token; undefined where the token alone must not be enough. */
  local: Access['local'];
  hosts: readonly string[];
  log: (line: string) => void;
  chat?: ReviewDeps['chat'];
  observe?: ReviewDeps['observe'];
  /** Called with the run's folder after each decision, so that workers elsewhere need not wait for their next look. */
  decided?: (run: string) => Promise<void>;
  /** Starts the work of a run in this process; absent where the page may not. */
  startWork?: ((run: string) => Promise<void>) | undefined;
  /** Called after a run was paused, cancelled or retried. */
  ordered?: (order: RunOrder) => Promise<void>;
  limits?: ReviewDeps['limits'];
  practice?: ReviewDeps['practice'];
  /** Default: the evaluations of the project. */
  evaluations?: ReviewDeps['evaluations'];
};

/** Limits per minute: a person clicks a few times, and a script that reads everything is still served. */
const LIMITS = { requests: 1200, decisions: 120, signIns: 10 };

export function openReview(options: ReviewOptions): Review {
  const { read, reviewers, secret, local, hosts, log, limits } = options;
  const { store, sessions, clock } = read;
  const deps: ReviewDeps = {
    store,
    sessions,
    clock,
    decide: async (request) => {
      const { scenario, dir } = await store.open(request.run);
      const recorded = await decideGate({ ...request, run: dir }, toGatePermissions(reviewers, scenario), read);
      await options.decided?.(dir);
      return recorded;
    },
    undo: async (request) => {
      const { scenario, dir } = await store.open(request.run);
      return undoDecision({ ...request, run: dir }, toGatePermissions(reviewers, scenario), read);
    },
    handOver: (request) => commentAtGate(request, read),
    order: async (order) => {
      await orderRun(order, read, options.startWork);
      await options.ordered?.(order);
    },
    startsWork: options.startWork !== undefined,
    areWorkersThere: async () => (await seenWorkers(read.shared, clock)).some(({ isLost }) => !isLost),
    undoSeconds: reviewers.undo_seconds,
    designs,
    summarise,
    // What is written in practice lies in its own folder, never in a store.
    drafts: options.practice === undefined ? openDrafts() : openFileDrafts(),
    practice: options.practice,
    batches: openBatches(read),
    assembleAnswer,
    evaluations: options.evaluations ?? openEvaluations(options.project),
    access: toAccess(reviewers, local),
    signer: createSigner(secret),
    hosts,
    base: reviewers.base_url === undefined ? '' : new URL(reviewers.base_url).pathname.replace(/\/+$/, ''),
    secure: reviewers.base_url?.startsWith('https:') ?? false,
    limits: limits ?? LIMITS,
    ...(options.chat === undefined ? {} : { chat: options.chat }),
    ...(options.observe === undefined ? {} : { observe: options.observe }),
    ...(reviewers.expire_after_hours === undefined ? {} : { expireAfterHours: reviewers.expire_after_hours }),
  };
  return createReview(deps, log);
}

export function toAccess({ reviewers, proxy, starter_may_decide }: Reviewers, local: Access['local']): Access {
  return {
    reviewers: reviewers.map(({ name, role, scenarios, reads, token_sha256, agent_token_sha256 }) => ({
      ...{ name, role, scenarios, reads },
      tokenSha256: token_sha256,
      agentTokenSha256: agent_token_sha256,
    })),
    starterMayDecide: starter_may_decide,
    ...(local === undefined ? {} : { local }),
    ...(proxy === undefined ? {} : { proxy }),
  };
}
