/** Runs that wait at HITL-1, made on disk without an agent, and the page before them without a socket. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileBatches, openFileSessionStore } from '../../src/adapters/files/run-folder.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { ProjectDeps } from '../../src/app/open-store.ts';
import { openReview, type ReviewOptions } from '../../src/app/web/open-review.ts';
import { Reviewers } from '../../src/config/reviewers.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { prepareGate } from '../../src/gate/open-gate.ts';
import type { Clock, RunFolder, RunStore } from '../../src/ports/run-store.ts';
import type { Review } from '../../src/web/create-review.ts';
import type { EventBody } from '../../src/run/event.ts';
import { fold } from '../../src/run/fold.ts';
import type { RunState } from '../../src/run/state.ts';
import { briefOf } from '../support/designs.ts';
import { created, decided, score, started } from '../support/run-events.ts';
import { results, sample } from '../report/makers.ts';

export const TOKEN = 'a-token-of-thirty-two-characters';
export const HOST = 'desk.test:7420';
const BRIEF = briefOf({ min: 1, categories: ['refunds'] });

export type RuleText = { id: string; title: string; text: string };
export const RULES: readonly RuleText[] = [
  { id: 'R1', title: 'Identity first', text: 'Ask for the order number and the postcode before anything else.' },
  { id: 'R2', title: 'Thirty days', text: 'Goods may be returned up to day 30 after delivery.' },
];

export type Desk = {
  root: string;
  store: RunStore;
  clock: Clock & { pass: (ms: number) => void };
  read: ProjectDeps;
  /** A run whose newest design waits; each further set of rules is another round, after the one before was approved and came back. */
  waiting: (id: string, rounds?: readonly DesignText[], need?: number) => Promise<RunFolder>;
  /** Another round of a run whose reviewer asked for changes. */
  again: (run: RunFolder, design: DesignText) => Promise<void>;
  /** `batches/<id>.json` over these runs, which need not exist. */
  batch: (id: string, runs: readonly string[]) => Promise<void>;
  review: (
    options?: Partial<Pick<ReviewOptions, 'limits' | 'local' | 'hosts' | 'chat' | 'secret' | 'startWork'>> & {
      reviewers?: object;
    },
  ) => Review;
  state: (run: RunFolder) => Promise<RunState>;
  remove: () => Promise<void>;
};

export type DesignText = {
  rules?: readonly RuleText[];
  narrative?: string;
  questions?: readonly string[];
  prompt?: string;
  /** A category that the brief does not ask for: a check fails. */
  doubt?: true;
  /** What Init says about the comments on the design before. */
  answers?: readonly object[];
  /** Samples that the iteration after this design has, spread over its rules; without it there is one. */
  samples?: number;
};

export async function openDesk(): Promise<Desk> {
  const root = await mkdtemp(join(tmpdir(), 'tandem-review-'));
  let nowMs = Date.parse('2026-11-20T10:00:00.000Z');
  const clock = { now: () => new Date(nowMs), pass: (ms: number) => void (nowMs += ms) };
  const store = openFileRunStore({ roots: [join(root, 'scenarios')], clock, worker: 'test' });
  const shared = openSharedFiles(root);
  const sessions = openFileSessionStore(root, { clock, worker: 'test' });
  const read = { store, sessions, clock, batches: openFileBatches(root), shared, progress: () => undefined };
  const reviews: Review[] = [];
  return {
    root,
    store,
    clock,
    read,
    waiting: (id, rounds = [{}], need = 1) => makeRun(root, store, clock, id, rounds, need),
    again: async (run, design) => {
      const { round } = fold(await run.journal.read());
      await handIn(run, round, design, 1, appending(run, clock));
    },
    batch: async (id, runs) => {
      const entry = (run: string) => ({ run, scenario: 'refund-desk', dir: `scenarios/refund-desk/runs/${run}` });
      const batch = { version: 1, id, createdAt: clock.now().toISOString(), actor: 'user:ada', runs: runs.map(entry) };
      await mkdir(join(root, 'batches'), { recursive: true });
      await writeFile(join(root, `batches/${id}.json`), JSON.stringify(batch));
    },
    review: ({ reviewers = {}, ...more } = {}) => {
      const limits = { requests: 1e6, decisions: 1e6, signIns: 1e6 };
      const review = openReview({
        project: root,
        read,
        reviewers: Reviewers.parse({ version: 1, ...reviewers }),
        ...{ secret: 'a secret of the test', hosts: [HOST], limits },
        local: { name: 'ada', token: TOKEN },
        log: (line) => {
          throw new Error(line);
        },
        ...more,
      });
      reviews.push(review);
      return review;
    },
    state: async (run) => fold(await run.journal.read()),
    remove: async () => {
      for (const review of reviews) review.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function makeRun(
  root: string,
  store: RunStore,
  clock: Desk['clock'],
  id: string,
  rounds: readonly DesignText[],
  need: number,
): Promise<RunFolder> {
  const scenario = join(root, 'scenarios', 'refund-desk');
  await mkdir(scenario, { recursive: true });
  const run = await store.create(scenario, id);
  await run.write('scenario/scenario.yaml', scenarioText());
  const append = appending(run, clock);
  // Many iterations are more than a run is usually given.
  const room = rounds.length > 4 ? { maxRounds: 99, maxIterations: 99, patience: 99 } : {};
  await append(created(room));
  await append(started());
  for (const [index, design] of rounds.entries()) {
    const round = index + 1;
    await handIn(run, round, design, round === rounds.length ? need : 1, append);
    if (round === rounds.length) break;
    const state = fold(await run.journal.read());
    const digest = state.status === 'awaiting_approval' ? state.gate.digest : '';
    await append(decided(round, 'approve', { digest, nonce: `${id}-${round}` }));
    await iterate(run, round, digest, design);
    const problem = {
      title: 'R1 against R2',
      rules: ['R1', 'R2'],
      samples: ['return-in-time'],
      claim: 'both cannot hold',
    };
    const told = {
      ...score(0.5, 2),
      round,
      iteration: round,
      designDigest: digest,
      outputDir: `execution_outputs/iteration_${round}`,
    };
    await append({ body: { type: 'design.returned', ...told, problems: [problem] }, actor: 'agent:execute' });
  }
  return run;
}

type Happening = (event: { body: EventBody; actor: string }) => Promise<void>;

function appending(run: RunFolder, clock: Desk['clock']): Happening {
  return async ({ body, actor }) => {
    const events = await run.journal.read();
    clock.pass(60_000);
    await run.journal.append(body, actor, events.length);
  };
}

const FORECAST = {
  ...{ p50: 0.6, p90: 1.4, floor: 0.2, trials: 15 },
  parts: { build: 0.5, subject: 0.1 },
  runs: { same: 2, other: 1 },
};

async function handIn(
  run: RunFolder,
  round: number,
  design: DesignText,
  need: number,
  append: Happening,
): Promise<void> {
  const attempt = await run.artifacts.begin(`design.r${round}`, `design/r${round}`, []);
  const files = designFiles(design);
  for (const [name, text] of Object.entries(files)) await writeFile(join(attempt.out, name), text);
  const submission = {
    version: 1,
    summary: 'The agent says: all is well.',
    changes: [
      {
        rule: 'R2',
        reason: 'day 30 was unclear',
        evidence: ['execution_outputs/iteration_1/traces/return-in-time.1.jsonl'],
      },
    ],
    open_questions: [],
    ...(design.answers !== undefined && { comments: design.answers }),
  };
  await writeFile(join(attempt.out, 'submission.json'), JSON.stringify(submission));
  const committed = await run.artifacts.commit(attempt);
  await run.artifacts.discard(`design.r${round}`);
  const state = fold(await run.journal.read());
  const pack = await prepareGate(run, { state, design: committed, brief: BRIEF, forecast: FORECAST });
  await append({
    body: { type: 'design.done', round, digest: committed.digest, packDigest: pack.digest, rules: pack.rules, need },
    actor: 'agent:init',
  });
}

export function designFiles({
  rules = RULES,
  narrative,
  questions = [],
  prompt,
  doubt,
}: DesignText): Record<string, string> {
  const long =
    'A customer writes to the desk and wants money back. The agent asks who it is, looks at the order, and pays or refuses. '.repeat(
      3,
    );
  return {
    'unified_scenario_design.md': `# Refund desk\n\n${narrative ?? long}\n`.padEnd(260, '.'),
    'business_rules.yaml': JSON.stringify({
      version: 1,
      rules: rules.map((rule) => ({ ...rule, severity: 'should', applies_to: ['issue_refund'] })),
      open_questions: questions,
    }),
    'format_spec.yaml': JSON.stringify({
      version: 1,
      world: { type: 'object' },
      tools: [{ name: 'issue_refund', purpose: 'pays money back', changes_world: true }],
      categories: ['refunds', ...(doubt === true ? ['gifts'] : [])].map((id) => ({ id, title: id, samples: 10 })),
      subject_prompt: prompt ?? 'You are a desk clerk.',
    }),
  };
}

async function iterate(run: RunFolder, iteration: number, designDigest: string, design: DesignText): Promise<void> {
  const target = `execution_outputs/iteration_${iteration}`;
  const attempt = await run.artifacts.begin(`execute.i${iteration}`, target, []);
  for (const folder of ['samples', 'traces']) await mkdir(join(attempt.out, folder));
  const { ids, coverage } = testsOf(design);
  const all = ids.map((id) => sample(id, { covers: ['R1'] }));
  const told = results(all, { iteration, round: iteration, designDigest });
  const whole = { ...told, verification: { ...told.verification, coverage } };
  await writeFile(join(attempt.out, 'results.json'), JSON.stringify(whole));
  for (const id of ids) {
    await writeFile(join(attempt.out, `samples/${id}.json`), JSON.stringify({ ...SAMPLE, id }));
    const trace = `${TRACE.map((line) => JSON.stringify(line)).join('\n')}\n`;
    await writeFile(join(attempt.out, `traces/${id}.1.jsonl`), trace);
  }
  await run.artifacts.commit(attempt);
  await run.artifacts.discard(`execute.i${iteration}`);
}

type Tests = { ids: string[]; coverage: Record<string, { samples: string[]; checkers: string[] }> };

function testsOf({ rules = RULES, samples }: DesignText): Tests {
  if (samples === undefined) {
    return { ids: ['return-in-time'], coverage: { R1: { samples: ['return-in-time'], checkers: ['identity'] } } };
  }
  const ids = Array.from({ length: samples }, (_, index) => `customer-asks-for-money-back-case-${index + 1}`);
  const tests = rules.map(({ id }, at) => {
    const mine = ids.filter((_, index) => index % rules.length === at);
    return [id, { samples: mine, checkers: [`${id.toLowerCase()}-is-kept`] }] satisfies [string, object];
  });
  return { ids, coverage: Object.fromEntries(tests) };
}

export const SAMPLE = {
  ...{ id: 'return-in-time', title: 'A return in time', category: 'refunds', covers: ['R1'] },
  start: { world: { paid: 0 } },
  user: { says_first: 'I want my money back.' },
  expect: { end_state: 'unchanged' },
  ...{ gold: [], gold_says: 'No.', wrong: [], checkers: ['identity'] },
};

export const TRACE: readonly object[] = [
  { type: 'start', version: 1, sample: 'return-in-time', trial: 1, model: 'm', inputs: 'x', world: { paid: 0 } },
  { type: 'user', step: 0, text: 'I want my money back.' },
  {
    type: 'call',
    step: 1,
    tool: 'issue_refund',
    input: { amount: 5 },
    output: { ok: true },
    is_error: false,
    change: [{ op: 'replace', path: '/paid', value: 5 }],
  },
  { type: 'says', step: 2, text: 'It is paid.' },
  {
    type: 'end',
    stop: 'done',
    world: { paid: 5 },
    final: 'It is paid.',
    calls: 1,
    usage: { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    costUsd: 0.01,
    durationMs: 10,
  },
];

function scenarioText(): string {
  return JSON.stringify({
    version: 1,
    name: 'refund-desk',
    title: 'Refund desk',
    reads: ['brief.md'],
    samples: { min: 1, categories: ['refunds'] },
    subject: { model: 'm' },
  });
}
