/** Composes the review page: the store that it reads, `decideGate`, and who may sign in. */
import { commentAtGate } from '../../gate/comment.ts';
import { decideGate } from '../../gate/decide.ts';
import { summarise } from '../../pipeline/summarise.ts';
import { undoDecision } from '../../gate/undo.ts';
import { openFileDrafts } from '../../adapters/files/file-drafts.ts';
import { listArchived } from '../../run-folder/archive-marks.ts';
import { openDrafts, type ProjectDeps } from '../open-store.ts';
import { assembleAnswer } from './assemble-answer.ts';
import type { RunOrder } from '../../ports/decisions.ts';
import { openBatches } from './open-batches.ts';
import { toGatePermissions, type Reviewers } from '../../config/reviewers.ts';
import { seenWorkers } from '../../worker/presence.ts';
import { createReview, type Review } from '../../web/create-review.ts';
import { createSigner } from '../../web/guard/signer.ts';
import type { Access } from '../../web/guard/visitor.ts';
import type { ReviewDeps, Evaluations, ListedEvaluation } from '../../web/web-deps.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import type { ReadDeps } from '../../ports/run-store.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import { transact } from '../../run-folder/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { Slug } from '../../scenario/brief.ts';
import { designs } from './designs.ts';

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
  const { read, reviewers, secret, local, hosts, log, limits = LIMITS, chat, observe } = options;
  const { store, sessions, clock } = read;
  const deps: ReviewDeps = {
    store,
    listArchived: () => listArchived(read),
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
    handOver: (request) => commentAtGate(request, read, (scenario) => toGatePermissions(reviewers, scenario)),
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
    limits,
    ...omitUndefined({ chat, observe, expireAfterHours: reviewers.expire_after_hours }),
  };
  return createReview(deps, log);
}

function toAccess({ reviewers, proxy, starter_may_decide }: Reviewers, local: Access['local']): Access {
  return {
    reviewers: reviewers.map(({ name, role, scenarios, reads, token_sha256 }) => ({
      ...{ name, role, scenarios, reads },
      tokenSha256: token_sha256,
    })),
    starterMayDecide: starter_may_decide,
    ...omitUndefined({ local, proxy }),
  };
}

/** Pauses, cancels and retries a run from the page, with the same events that the commands append. */
async function orderRun(
  { run: dir, what, comment, actor }: RunOrder,
  deps: ReadDeps,
  startWork: ReviewOptions['startWork'],
): Promise<void> {
  if (what === 'retry') return goOnWithRun(dir, actor, { deps, startWork });
  const order: Parameters<typeof giveOrder>[1]['order'] =
    what === 'pause'
      ? { type: 'run.paused', reason: 'user', detail: comment || 'paused on the page' }
      : { type: 'run.cancelled', detail: comment };
  await giveOrder(dir, { order, actor }, deps);
}

/** Workers go on with a run that they carry, else this process where it may. */
async function goOnWithRun(
  dir: string,
  actor: string,
  { deps, startWork }: { deps: ReadDeps; startWork: ReviewOptions['startWork'] },
): Promise<void> {
  const run = await deps.store.open(dir);
  const carrier = await findCarrier(run);
  if (carrier === 'process') throw usageError(`Run ${run.id} is being worked on already.`);
  if (carrier === 'nothing' && startWork === undefined)
    throw usageError(`No workers carry run ${run.id}: go on with tandem resume ${run.id}.`);
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'paused') return { type: 'run.resumed' };
    if (state.status === 'errored') return { type: 'run.retried' };
    if (!('verdict' in state)) return undefined;
    throw usageError(`Run ${run.id} has ended: it is ${state.status}. tandem fork makes a new run of it.`);
  };
  await transact(run, choose, actor);
  if (carrier === 'nothing') await startWork?.(run.dir);
}

/** An earlier version compared several subjects in one folder, in which each has a folder of its own. */
const Comparison = z.object({ subjects: z.array(z.object({ name: Slug })) });

const NAME = /^(?:comparison-)?[1-9]\d{0,5}$/;

/** Lists the results that `tandem evaluate` wrote into the scenario folders, for the results pages. */
function openEvaluations(project: string): Evaluations {
  const scenarios = join(project, 'scenarios');
  return {
    list: async () => {
      const listIn = async (scenario: string): Promise<(ListedEvaluation | undefined)[]> => {
        const place = join(scenarios, scenario, 'evaluations');
        const names = (await namesIn(place)).filter((name) => NAME.test(name));
        return Promise.all(names.map((name) => evaluationIn(join(place, name))));
      };
      const found = await Promise.all((await namesIn(scenarios)).map(listIn));
      const all = found.flat().filter((one) => one !== undefined);
      return all.toSorted((one, other) => other.at.localeCompare(one.at));
    },
  };
}

/** Undefined for a folder without results. The scenario's folder is two levels up. */
async function evaluationIn(dir: string): Promise<ListedEvaluation | undefined> {
  const place = { scenario: basename(dirname(dirname(dir))), name: basename(dir), dir };
  const record = await stat(join(dir, 'comparison.json')).catch(() => undefined);
  if (record !== undefined) {
    const text = await readFile(join(dir, 'comparison.json'), 'utf8').catch(() => '');
    const found = Comparison.safeParse(parseJson(text)).data;
    const subjects = found?.subjects.map(({ name }) => name);
    return subjects && { ...place, at: record.mtime.toISOString(), subjects };
  }
  const results = await stat(join(dir, 'results.json')).catch(() => undefined);
  return results && { ...place, at: results.mtime.toISOString(), subjects: [] };
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
