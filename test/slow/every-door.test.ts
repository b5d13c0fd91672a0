/** Limits, pace, money and traces on the wire at every door that pays for model calls; the relay sees what really was sent. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { lastJson, spendLines, type Finished } from '../support/cli.ts';
import { GRADER, JUDGE } from '../support/kind-grader.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { relayedDesk, type RelayedDesk } from '../support/relay.ts';
import { startRedis, type RedisServer } from '../support/servers.ts';

const PROFILE = `version: 1
retry: { call_tries: 2, step_tries: 2, min_delay_ms: 5, max_delay_ms: 20 }
agents: { init: { keep_steps: 1 } }
`;
const LIMITS = `limits: [{ provider: '*', model: '*', concurrency: 1 }]\n`;
/** One call each 0.8 s: a second's worth is a single one, so that no door may send two at once. */
const PACE = `limits: [{ provider: '*', model: '*', requests_per_minute: 75 }]\n`;
const GAP_MS = 800;
/** A first request may come this late, because its connection is opened; the later ones do not. */
const LATENESS_MS = 400;
/** The chat asks a model whose next call may cost more than the rest of a small budget. */
const DEAR_CHAT = 'version: 1\nagents: { chat: { model: claude-fable-5-1 } }\n';
const USER = {
  version: 1,
  who: 'user',
  match: { system_includes: 'You play the user in a conversation' },
  turns: [
    { name: 'the end', marker: '', steps: [{ say: '[end]' }] },
    { name: 'the number', marker: 'What is the loan number?', steps: [{ say: 'It is L-102.' }] },
  ],
};

let desk: RelayedDesk;
let receiver: OtlpReceiver;
let redis: RedisServer;
let components: string;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  redis = await startRedis();
  desk = await relayedDesk(() => undefined, prepareDesk, 40);
  const done = await open('run', 'desk', '--id', 'first', '--profile', 'fast', '--on-gate', 'auto:demo');
  expect(done.code, done.stderr).toBe(0);
  components = 'scenarios/desk/runs/first/execution_outputs/iteration_2';
}, 120_000);
afterAll(async () => {
  await desk.close();
  await receiver.close();
  await redis.stop();
});
beforeEach(() => {
  desk.seen.length = 0;
  desk.underWay.most = 0;
  receiver.spans.length = 0;
});

/** The starter scenario with a grader and a user that models play, and a profile with a limit of one call. */
async function prepareDesk(project: string): Promise<void> {
  const folder = join(project, 'scenarios/desk');
  await writeFile(join(project, 'config/profiles/one.yaml'), PROFILE + LIMITS);
  await writeFile(join(project, 'config/profiles/paced.yaml'), PROFILE + PACE);
  await writeFile(join(project, 'config/profiles/dear-chat.yaml'), DEAR_CHAT);
  await writeFile(join(folder, 'simulation/judge.yaml'), stringify(JUDGE));
  await writeFile(join(folder, 'simulation/user.yaml'), stringify(USER));
  await writeFile(join(folder, 'simulation/files/kind-refusal.yaml'), stringify(GRADER));
  await cp(resolve('agents/session/simulation/session.yaml'), join(folder, 'simulation/session.yaml'));
  const edit = async (file: string, from: string, to: string) => {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(folder, file), text.replaceAll(from, to));
  };
  await edit('scenario.yaml', 'budget_usd: 5', 'budget_usd: 5\nuser: { simulator: model, model: claude-haiku-5-5 }');
  const write = (path: string, file: string) =>
    `- { tool: write, input: { file_path: execution_outputs/iteration_1/${path} }, content_file: files/${file} }`;
  const known = write('checkers/renewed-as-allowed.mjs', 'checkers/renewed-as-allowed.mjs');
  await edit(
    'simulation/execute.yaml',
    known,
    `${known}\n          ${write('graders/kind-refusal.yaml', 'kind-refusal.yaml')}`,
  );
  const list = '"checkers": ["loan-read-first", "renewed-as-allowed"]';
  await edit('simulation/files/samples/renew-reserved.json', list, `${list}, "graders": ["kind-refusal"]`);
}

/** Stands in a table of tests for the components of the first run. */
const COMPONENTS = 'those of the first run';
const nameComponents = (args: readonly string[]): string[] =>
  args.map((one) => (one === COMPONENTS ? components : one));

function open(...args: string[]): Promise<Finished> {
  return desk.tandem([...args, '--json'], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
}

/** A run that a worker takes from a queue. */
async function queueRun(profile: string, ...args: string[]): Promise<Finished> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TANDEM_QUEUE: redis.url };
  const worker = desk.start(['worker', '--profile', profile, '--json'], env);
  const done = await desk.tandem(['run', 'desk', '--profile', profile, ...args, '--json'], env);
  worker.kill('SIGTERM');
  await worker.done;
  return done;
}

/** The requests for an answer since the test began. */
const countRequests = () => desk.seen.filter(({ path }) => path === '/v1/messages').length;

/** The calls that the ledger in a folder of the project has settled. */
async function countPaid(folder: string): Promise<number> {
  const lines = await spendLines(join(desk.project, folder));
  return new Set(lines.filter(({ type }) => type === 'settled').map(({ call }) => call)).size;
}

async function newestIn(folder: string): Promise<string> {
  // Beside the evaluations lie the proofs that they share.
  const names = (await readdir(join(desk.project, folder))).filter((name) => name !== 'proofs').toSorted();
  return join(folder, names.at(-1) ?? '');
}

/** Each request was limited to one at a time, and has one span of its own in a trace. */
function expectLimitedAndTraced(): void {
  expect(countRequests()).toBeGreaterThan(0);
  expect(desk.underWay.most).toBe(1);
  const calls = receiver.spans.filter(({ name }) => name.startsWith('chat '));
  expect(calls).toHaveLength(countRequests());
}

describe('with a limit of one call at a time', () => {
  test('the samples overlap without it, so that what follows proves something', async () => {
    const done = await open('evaluate', 'desk', '--components', components, '--profile', 'fast');
    expect(done.code, done.stderr).toBe(0);
    expect(desk.underWay.most).toBeGreaterThan(1);
  });

  test('run, with graders and a user that models play', async () => {
    const done = await open('run', 'desk', '--id', 'limited', '--profile', 'one', '--on-gate', 'auto:demo');
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    expect(await countPaid('scenarios/desk/runs/limited')).toBe(countRequests());
    const systems = desk.seen.map(({ body }) => JSON.stringify((body as { system?: unknown }).system ?? ''));
    for (const words of [
      'You are a grader.',
      'You play the user',
      'You are Init',
      'You are Execute',
      'desk of a small library',
    ])
      expect(systems.filter((system) => system.includes(words)).length, words).toBeGreaterThan(0);
  });

  test('batch, over runs that work side by side', async () => {
    const done = await open(
      'batch',
      'desk',
      '--runs',
      '2',
      '--id',
      'two',
      '--profile',
      'one',
      '--on-gate',
      'auto:demo',
    );
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    const paid = await Promise.all(['two-001', 'two-002'].map((id) => countPaid(`scenarios/desk/runs/${id}`)));
    expect(paid.reduce((sum, one) => sum + one, 0)).toBe(countRequests());
  });

  test('worker, which takes a run from a queue', async () => {
    const done = await queueRun('one', '--id', 'queued', '--on-gate', 'auto:demo');
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    expect(await countPaid('scenarios/desk/runs/queued')).toBe(countRequests());
  });

  test('evaluate', async () => {
    const done = await open('evaluate', 'desk', '--components', components, '--profile', 'one');
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    expect(await countPaid(await newestIn('scenarios/desk/evaluations'))).toBe(countRequests());
  });

  test('session', async () => {
    const done = await open('session', '-p', 'look around', '--profile', 'one');
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    expect(await countPaid(await newestIn('sessions'))).toBe(countRequests());
  });

  test('chat, which pays from the budget of its run', async () => {
    const before = await countPaid('scenarios/desk/runs/limited');
    const done = await open('chat', 'limited', '--message', 'Which rules?', '--profile', 'one');
    expect(done.code, done.stderr).toBe(0);
    expectLimitedAndTraced();
    expect(await countPaid('scenarios/desk/runs/limited')).toBe(before + countRequests());
  });

  test('rerun and rejudge call no model', async () => {
    expect(lastJson(await open('rerun', 'limited', 'renew-once'))).toMatchObject({ now: { outcome: 'pass' } });
    expect((await open('rejudge', 'scenarios/desk/evaluations/1')).code).toBe(0);
    expect(countRequests()).toBe(0);
  });
});

/** By how many milliseconds the requests for an answer were together faster than the pace. */
function countMsTooFast(): number {
  const times = desk.seen.filter(({ path }) => path === '/v1/messages').map(({ at }) => at);
  expect(times.length).toBeGreaterThan(1);
  return (times.length - 1) * GAP_MS - (Math.max(...times) - Math.min(...times));
}

describe('with a pace', () => {
  test('calls follow each other faster without it, so that what follows proves something', async () => {
    await open('evaluate', 'desk', '--components', components, '--profile', 'fast');
    expect(countMsTooFast()).toBeGreaterThan(LATENESS_MS);
    desk.seen.length = 0;
    await open('chat', 'limited', '--message', 'Which rules?', '--profile', 'fast');
    expect(countMsTooFast()).toBeGreaterThan(LATENESS_MS);
  });

  test.each([
    ['run', 4, ['run', 'desk', '--id', 'paced', '--on-gate', 'exit']],
    ['batch', 4, ['batch', 'desk', '--runs', '2', '--id', 'paced-runs', '--on-gate', 'exit']],
    ['batch --evaluate', 0, ['batch', 'desk', '--evaluate', '--id', 'paced-evaluations']],
    ['evaluate', 0, ['evaluate', 'desk', '--components', COMPONENTS]],
    ['session', 0, ['session', '-p', 'look around']],
    ['chat', 0, ['chat', 'limited', '--message', 'Which rules?']],
  ] as const)('%s sends one call after the other', async (_door, code, args) => {
    const done = await open(...nameComponents(args), '--profile', 'paced');
    expect(done.code, done.stderr).toBe(code);
    expect(countMsTooFast()).toBeLessThan(LATENESS_MS);
  });

  test('worker sends one call after the other', async () => {
    const done = await queueRun('paced', '--id', 'paced-worker', '--on-gate', 'exit');
    expect(done.code, done.stderr).toBe(4);
    expect(countMsTooFast()).toBeLessThan(LATENESS_MS);
  });
});

describe('a budget that is too small ends the work before the wire does', () => {
  test.each([
    ['run', ['run', 'desk', '--id', 'poor', '--budget', '0.02', '--on-gate', 'auto:demo', '--profile', 'one']],
    ['batch', ['batch', 'desk', '--id', 'poor', '--budget', '0.02', '--on-gate', 'auto:demo', '--profile', 'one']],
    ['batch --evaluate', ['batch', 'desk', '--evaluate', '--id', 'poor-evaluations', '--budget', '0.0001']],
    ['evaluate', ['evaluate', 'desk', '--components', COMPONENTS, '--max-usd', '0.0001']],
    ['session', ['session', '-p', 'look around', '--budget', '0.0001']],
  ] as const)('%s ends with 5, and with a value that says so', async (_door, args) => {
    const done = await open(...nameComponents(args));
    expect(done.code, done.stderr).toBe(5);
    expect(countRequests()).toBe(0);
    expect(JSON.parse(done.stdout)).toBeTypeOf('object');
  });

  test('worker leaves a run whose next call may cost too much', async () => {
    const done = await queueRun('one', '--id', 'poor-worker', '--budget', '0.02', '--on-gate', 'exit');
    expect(done.code, done.stderr).toBe(5);
    expect(countRequests()).toBe(0);
  });

  test('chat asks nothing that the budget of its run does not hold', async () => {
    expect((await open('run', 'desk', '--id', 'thrifty', '--budget', '0.5', '--on-gate', 'exit')).code).toBe(4);
    desk.seen.length = 0;
    const done = await open('chat', 'thrifty', '--message', 'Which rules?', '--profile', 'dear-chat');
    expect(done.code, done.stderr).toBe(5);
    expect(countRequests()).toBe(0);
  });
});
