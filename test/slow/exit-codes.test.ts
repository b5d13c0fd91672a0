/** The table of exit codes in docs/ci.md, row by row by a command: what it says of each code is true. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN, type Finished, initScenario, lastJson, makeProject, tandem } from '../support/cli.ts';
import { relayedDesk, type Meddle, type RelayedDesk } from '../support/relay.ts';
import { refuses, says, type Reply } from '../support/scripted-server.ts';

let desk: RelayedDesk;
let number = 0;
beforeAll(async () => {
  desk = await relayedDesk();
});
afterAll(async () => desk.close());

/** A scenario of its own for each row, over one offline model. */
async function copyOf(change: (text: string) => string = (text) => text, file = 'scenario.yaml'): Promise<string> {
  const name = `desk-${(number += 1)}`;
  await initScenario(desk.project, name);
  const path = join(desk.project, 'scenarios', name, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
  return name;
}

const FAST = ['--profile', 'fast', '--json'];
const run = (name: string, ...more: string[]) => ['run', name, '--id', name, ...FAST, ...more];
const AUTO = ['--on-gate', 'auto:demo'];

async function through(meddle: Meddle, args: readonly string[]): Promise<Finished> {
  desk.meddle(meddle);
  return desk.tandem(args).finally(() => desk.meddle(() => undefined));
}

const everywhere =
  (reply: Reply): Meddle =>
  () =>
    reply;
const calls =
  (reply: Reply): Meddle =>
  ({ path }) =>
    path === '/v1/messages' ? reply : undefined;
/** Of one agent, from its so-manieth call on. */
const callsOf =
  (who: string, reply: Reply): Meddle =>
  ({ path, who: asked }) =>
    path === '/v1/messages' && asked === who ? reply : undefined;

async function profile(text: string): Promise<string> {
  const name = `p${(number += 1)}`;
  await writeFile(join(desk.project, `config/profiles/${name}.yaml`), `version: 1\n${text}\n`);
  return name;
}

const hasRuns = (name: string) => existsSync(join(desk.project, 'scenarios', name, 'runs'));

test('every code of the table is tried here, and no other', async () => {
  const page = await readFile('docs/ci.md', 'utf8');
  const table = page.split('## What an exit code means')[1]?.split('\n## ')[0] ?? '';
  const codes = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', ').map(Number));
  // 70 is a fault of our own, which a worker is made to have in worker-process.test.ts.
  expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 70, 130, 143]);
});

test('0: the target is met; 1: it is not', async () => {
  expect((await desk.tandem(run(await copyOf(), ...AUTO))).code).toBe(0);
  const strict = await copyOf((text) => text.replace('max_iterations: 5', 'max_iterations: 1'));
  expect((await desk.tandem(run(strict, ...AUTO))).code).toBe(1);
});

describe('2: before the first paid call, and nothing is written', () => {
  const REFUSED = refuses(401, 'authentication_error', 'invalid x-api-key');

  test('a wrong key, also behind a gateway that has no Models endpoint', async () => {
    const name = await copyOf();
    const wrong = await through(everywhere(REFUSED), run(name, ...AUTO));
    expect(wrong.stderr).toContain('Set ANTHROPIC_API_KEY to a valid key.');
    expect([wrong.code, hasRuns(name)]).toEqual([2, false]);
    const gateway: Meddle = ({ path }) => (path.startsWith('/v1/models') ? says('no such page', 404) : REFUSED);
    const behind = await through(gateway, run(name, ...AUTO));
    expect([behind.code, hasRuns(name)]).toEqual([2, false]);
    expect(desk.seen.some(({ path }) => path === '/v1/messages/count_tokens')).toBe(true);
  });

  test('a wrong key leaves no copy of a shipped scenario behind', async () => {
    const wrong = await through(everywhere(REFUSED), ['run', 'refund-desk', ...FAST, ...AUTO]);
    expect(wrong.code).toBe(2);
    expect(await readdir(join(desk.project, 'scenarios'))).not.toContain('refund-desk');
  });

  test('a wrong key of a batch', async () => {
    const name = await copyOf();
    const wrong = await through(everywhere(REFUSED), ['batch', name, '--runs', '2', '--id', 'bat', ...FAST, ...AUTO]);
    expect(wrong.stderr).toContain('Set ANTHROPIC_API_KEY to a valid key.');
    expect([wrong.code, hasRuns(name)]).toEqual([2, false]);
    expect(existsSync(join(desk.project, 'batches/bat.json'))).toBe(false);
  });

  test('an unknown model: of an agent, and of the subject', async () => {
    const name = await copyOf();
    const nope = await profile('agents: { execute: { model: claude-opus-4.5 } }');
    const agent = await desk.tandem(['run', name, '--profile', nope, '--json', ...AUTO]);
    expect(agent.stderr).toContain('does not serve a model "claude-opus-4.5"');
    expect([agent.code, hasRuns(name)]).toEqual([2, false]);
    const other = await copyOf((text) => text.replace('claude-haiku-5-5', 'claude-haiku-9'));
    expect([(await desk.tandem(run(other, ...AUTO))).code, hasRuns(other)]).toEqual([2, false]);
  });

  test('a context policy that cannot work, and a gate that nobody could answer', async () => {
    const name = await copyOf();
    const unknown = await profile('agents: { init: { policy: nowhere } }');
    const policy = await desk.tandem(['run', name, '--profile', unknown, '--json', ...AUTO]);
    expect(policy.stderr).toContain('No context policy is named "nowhere"');
    expect([policy.code, hasRuns(name)]).toEqual([2, false]);
    const prompt = await desk.tandem(run(name, '--on-gate', 'prompt'));
    expect([prompt.code, hasRuns(name)]).toEqual([2, false]);
  });
});

test('3: a person ended it; 4: a gate waits; 5: the cap on money', async () => {
  const name = await copyOf();
  expect((await desk.tandem(run(name, '--on-gate', 'exit'))).code).toBe(4);
  expect((await desk.tandem(['cancel', name])).code).toBe(0);
  expect((await desk.tandem(['resume', name, '--json'])).code).toBe(3);
  const poor = await copyOf((text) => text.replace('budget_usd: 5', 'budget_usd: 0.01'));
  expect((await desk.tandem(run(poor, ...AUTO))).code).toBe(5);
});

describe('6: the provider or the machine gave up, and the same command goes on later', () => {
  /** Whole runs take long: one that waited for an account, and one for the provider. */
  const GOES_ON = ['402', '529'];
  const eventsOf = async (name: string) => {
    const dir = join(desk.project, 'scenarios', name, 'runs', name, 'events');
    const names = (await readdir(dir)).toSorted();
    const texts = await Promise.all(names.map((file) => readFile(join(dir, file), 'utf8')));
    return texts.map((text) => (JSON.parse(text) as { body: { type: string; detail?: string } }).body);
  };

  test.each([
    ['402', refuses(402, 'billing_error', 'Your payment failed'), /Settle the billing.*go on when that is mended/s],
    ['403', refuses(403, 'permission_error', 'not for you'), /go on when that is mended/],
    ['404', refuses(404, 'not_found_error', 'model: claude-haiku-5-5'), /go on when that is mended/],
    [
      'a spend limit',
      refuses(429, 'rate_limit_error', 'no', {}, 'enforced_spend_limit_reached'),
      /Raise the spend limit/,
    ],
    ['529', refuses(529, 'overloaded_error', 'Overloaded'), /3 of 3 trials could not be scored.*go on later/s],
  ])('%s on the subject pauses the run: no iteration counts, no agent is woken', async (what, reply, words) => {
    const name = await copyOf();
    const stopped = await through(callsOf('subject', reply), run(name, ...AUTO));
    expect(stopped.code).toBe(6);
    expect(lastJson(stopped)).toMatchObject({ status: 'paused', iterations: 0 });
    const events = await eventsOf(name);
    expect(events.at(-1)).toMatchObject({ type: 'run.paused', detail: expect.stringMatching(words) });
    expect(events.some(({ type }) => type === 'iteration.done')).toBe(false);
    expect(stopped.stderr).toContain(`go on    tandem resume ${name}`);
    if (!GOES_ON.includes(what)) return;
    const resumed = await desk.tandem(['resume', name, '--json', ...AUTO]);
    expect(resumed.code).toBe(0);
    expect(lastJson(resumed)).toMatchObject({ status: 'succeeded', iterations: 2, successRate: 1 });
  });

  test('401 and 529 on an agent in the middle of a run', async () => {
    const name = await copyOf();
    const stopped = await through(callsOf('execute', refuses(401, 'authentication_error')), run(name, ...AUTO));
    expect([stopped.code, lastJson(stopped)['status']]).toEqual([6, 'paused']);
    const again = await through(callsOf('execute', refuses(529, 'overloaded_error')), [
      'resume',
      name,
      '--json',
      ...AUTO,
    ]);
    expect([again.code, lastJson(again)['status']]).toEqual([6, 'paused']);
    expect((await desk.tandem(['resume', name, '--json', ...AUTO])).code).toBe(0);
  });

  test('nobody answers at the address: no run is begun', async () => {
    const name = await copyOf();
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'offline-key' };
    const away = await tandem(desk.project, run(name, ...AUTO), env);
    expect([away.code, hasRuns(name)]).toEqual([6, false]);
  });
});

test('7: the time slice is used up', async () => {
  const name = await copyOf();
  const slow = await profile('simulator: { latency_ms: 1500 }');
  const done = await tandem(desk.project, ['run', name, '--profile', slow, '--max-minutes', '0.2', '--json', ...AUTO]);
  expect(done.stderr).toContain('exit 7');
  expect(done.code).toBe(7);
});

test('7: also when it is used up before a run is begun, and nothing is written', async () => {
  const name = await copyOf();
  const done = await tandem(desk.project, ['run', name, '--max-minutes', '0.00002', ...AUTO]);
  expect(done).toMatchObject({ code: 7, stderr: expect.stringContaining('give more with --max-minutes') as string });
  expect(existsSync(join(desk.project, 'scenarios', name, 'runs'))).toBe(false);
});

describe('8: a person must change something', () => {
  test('a script that can never succeed, and a request that the API calls wrong', async () => {
    const name = await copyOf((text) => text.replace(/marker: .*/, "marker: '<never>'"), 'simulation/init.yaml');
    const never = await tandem(desk.project, run(name, ...AUTO));
    expect([never.code, lastJson(never)['status']]).toEqual([8, 'errored']);
    const wrong = await through(
      calls(refuses(400, 'invalid_request_error', 'tools.0: no')),
      run(await copyOf(), ...AUTO),
    );
    expect([wrong.code, lastJson(wrong)['status']]).toEqual([8, 'errored']);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %i, and resume goes on', async (signal, code) => {
  const name = await copyOf();
  const hangs = Promise.withResolvers<void>();
  desk.meddle(({ path }) => (path === '/v1/messages' ? () => hangs.resolve() : undefined));
  const child = desk.start(run(name, '--on-gate', 'exit'));
  await hangs.promise;
  child.kill(signal);
  const done = await child.done;
  expect(done.code).toBe(code);
  expect(JSON.parse(done.stdout)).toMatchObject({ error: 'stopped', exitCode: code });
  expect(done.stderr).toMatch(new RegExp(`go on    .*resume ${name}`));
  desk.meddle(() => undefined);
  expect((await desk.tandem(['resume', name, '--on-gate', 'exit', '--json'])).code).toBe(4);
});

test('a second signal ends it at once, and what it prints is JSON still', async () => {
  const hangs = Promise.withResolvers<void>();
  desk.meddle(({ path }) => (path === '/v1/messages' ? () => hangs.resolve() : undefined));
  const child = desk.start(run(await copyOf(), '--on-gate', 'exit'));
  await hangs.promise;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal);
  const done = await child.done;
  desk.meddle(() => undefined);
  // Which of two signals at once comes first is the system's choice.
  expect([130, 143]).toContain(done.code);
  expect(JSON.parse(done.stdout)).toMatchObject({ error: 'stopped', exitCode: done.code });
});

test('a project of nobody: an unknown scenario, command and option are 2 as well', async () => {
  const project = await makeProject();
  for (const args of [['run', 'nope'], ['rnu'], ['run', 'nope', '--profil', 'x']])
    expect((await tandem(project, args)).code).toBe(2);
});

describe('what cannot be printed', () => {
  const shell = async (line: string): Promise<{ code: number | null; stderr: string }> => {
    const child = spawn('sh', ['-c', line], { cwd: desk.project, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr };
  };
  const program = `${process.execPath} ${BIN}`;

  test('a full disk behind standard output ends with 6 and one line, never with 1 or a stack', async () => {
    const { code, stderr } = await shell(`${program} status > /dev/full`);
    expect([code, stderr.trim()]).toEqual([
      6,
      'tandem: standard output cannot be written (ENOSPC); what was printed is not whole.',
    ]);
  });

  test('nobody who listens, or a log that is full, changes nothing', async () => {
    expect(await shell(`${program} status | true`)).toEqual({ code: 0, stderr: '' });
    expect(await shell(`${program} status 2> /dev/full`)).toEqual({ code: 0, stderr: '' });
  });
});
