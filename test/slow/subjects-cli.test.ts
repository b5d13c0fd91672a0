/** Whole runs from the command line with subjects that are no models, and with a user that is one: the components are those of an imported domain. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Results } from '../../src/scenario/result.ts';
import { TraceLine } from '../../src/scenario/trace.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';

let project: string;
beforeAll(async () => {
  project = await makeProject();
  await cp(resolve('test/fixtures/imported-domain/library'), join(project, 'scenarios/library'), { recursive: true });
});
afterAll(() => rm(project, { recursive: true, force: true }));

type Turn = { say?: string; calls?: { id: string; tool: string; args: Record<string, unknown> }[]; done?: boolean };

/** What an agent answers as its turn number `turn`, to a user who began with `first`; the same for both kinds of subject. */
const AGENT = `
export function answer(first, turn) {
  const find = { calls: [{ id: '1', tool: 'find_loans', args: { card: 'C-1001' } }] };
  const renew = (args) => ({ calls: [{ id: '2', tool: 'renew_loan', args }] });
  if (first.includes('The Tide Tables')) return [find, renew({ loan_id: 'L-1' }), { say: 'It is due on 2026-12-18.', done: true }][turn];
  if (first.includes('app')) return [find, { say: 'Please sign in.' }, renew({ loan_id: 'L-1', weeks: 1 }), { say: 'It is due on 2026-11-22.', done: true }][turn];
  return [find, renew({ loan_id: 'L-2' }), { say: 'I have renewed it all the same.', done: true }][turn];
}
`;
const PROGRAM = `
import { createInterface } from 'node:readline';
import { answer } from './agent.mjs';
let first, turn = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const heard = JSON.parse(line);
  if (heard.type === 'open') continue;
  first ??= heard.text;
  console.log(JSON.stringify({ ...answer(first, turn), cost_usd: 0.01 }));
  turn += 1;
}
`;

/** Runs the scenario with parts of its description replaced; answers with its results and the lines of a trace. */
async function run(changes: Record<string, unknown>, env: Record<string, string> = {}) {
  const path = join(project, 'scenarios/library/scenario.yaml');
  const scenario = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, stringify({ ...scenario, target: 0.6, ...changes }));
  const finished = await tandem(project, ['run', 'library', '--profile', 'demo', '--json'], env);
  const { folder, status } = lastJson(finished) as { folder: string; status: string };
  const at = join(folder, 'execution_outputs/iteration_1');
  const results = Results.parse(JSON.parse(await readFile(join(at, 'results.json'), 'utf8')));
  const linesOf = async (name: string): Promise<TraceLine[]> =>
    (await readFile(join(at, `traces/${name}.jsonl`), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => TraceLine.parse(JSON.parse(line)));
  return {
    code: finished.code,
    status,
    results,
    linesOf,
    outcomes: results.samples.map(({ id, outcome }) => [id, outcome]),
  };
}

const EXPECTED = [
  ['library-0', 'pass'],
  ['library-1', 'fail'],
  ['library-app', 'pass'],
];

test('a command: a program in the folder of the scenario is evaluated, its costs are booked, its failure is its own', async () => {
  await writeFile(join(project, 'scenarios/library/agent.mjs'), AGENT);
  await writeFile(join(project, 'scenarios/library/subject.mjs'), PROGRAM);
  const subject = { kind: 'command', command: ['node', 'subject.mjs'], max_steps: 8 };
  const { code, status, outcomes, results, linesOf } = await run({ subject });
  expect([code, status, outcomes]).toEqual([0, 'succeeded', EXPECTED]);
  expect(results.samples[1]).toMatchObject({ layer: 4, trials: [{ stop: 'done', costUsd: expect.closeTo(0.03) }] });
  const lines = await linesOf('library-app.1');
  expect(lines[0]).toMatchObject({ type: 'start', model: 'command: node subject.mjs' });
  expect(lines.find((line) => line.type === 'call' && line.by === 'user')).toMatchObject({
    tool: 'sign_in',
    output: 'Signed in.',
  });
});

test('a command that is not there is refused before anything is paid', async () => {
  const path = join(project, 'scenarios/library/scenario.yaml');
  const scenario = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, stringify({ ...scenario, subject: { kind: 'command', command: ['no-such-program'] } }));
  const finished = await tandem(project, ['run', 'library', '--profile', 'demo', '--json']);
  await writeFile(path, stringify(scenario));
  expect(finished.code).toBe(2);
  expect(finished.stderr).toContain('no-such-program');
});

test('a command that is gone when its samples are due: nothing can be said about it, so no iteration is judged and the run pauses', async () => {
  const path = join(project, 'scenarios/library/scenario.yaml');
  const scenario = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  const command = join(project, 'agent-of-today');
  await writeFile(command, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  await writeFile(path, stringify({ ...scenario, subject: { kind: 'command', command: [command] } }));
  const waiting = lastJson(await tandem(project, ['run', 'library', '--on-gate', 'exit', '--json']));
  await writeFile(path, stringify(scenario));
  await rm(command);
  const [id, digest] = [String(waiting['run']), String(waiting['digest'])];
  expect((await tandem(project, ['gates', 'approve', id, '--digest', digest, '--accept'])).code).toBe(0);
  const finished = await tandem(project, ['resume', id, '--json']);
  expect(finished.code, finished.stderr).toBe(6);
  expect(lastJson(finished)).toMatchObject({ status: 'paused', iterations: 0 });
  expect(finished.stderr).toContain('agent-of-today');
  expect(finished.stderr).toContain('tandem resume');
});

test('an endpoint: one POST a turn with the whole conversation and the header that the environment holds', async () => {
  await writeFile(join(project, 'scenarios/library/agent.mjs'), AGENT);
  const { answer } = (await import(join(project, 'scenarios/library/agent.mjs'))) as {
    answer: (first: string, turn: number) => Turn;
  };
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { conversation } = JSON.parse(body) as { conversation: { type: string; text?: string }[] };
      seen.push(request.headers.authorization);
      const turn = conversation.filter(({ type }) => type === 'subject').length;
      response.end(JSON.stringify(answer(conversation[0]?.text ?? '', turn)));
    });
  });
  const port = await listen(server);
  const subject = { kind: 'http', url: `http://127.0.0.1:${port}/turn`, headers: { authorization: 'AGENT_TOKEN' } };
  const { code, status, outcomes } = await run({ subject }, { AGENT_TOKEN: 'Bearer abc' });
  await new Promise((done) => server.close(done));
  expect([code, status, outcomes]).toEqual([0, 'succeeded', EXPECTED]);
  expect(new Set(seen)).toEqual(new Set(['Bearer abc']));
});

test('a model plays the user: the offline server answers for it, and it signs in with its own tool', async () => {
  const user = {
    version: 1,
    who: 'user',
    match: { system_includes: 'You play the user in a conversation' },
    turns: [
      {
        name: 'signs in',
        marker: 'Please sign in',
        steps: [{ calls: [{ tool: 'sign_in', input: { card: 'C-1001' } }] }, { say: 'I am signed in now.' }],
      },
      { name: 'is content', marker: '2026-', steps: [{ say: '[end]' }] },
      { name: 'is refused', marker: 'It is done', steps: [{ say: '[end]' }] },
    ],
  };
  await writeFile(join(project, 'scenarios/library/simulation/user.yaml'), stringify(user));
  const { code, status, outcomes, results, linesOf } = await run({
    subject: { model: 'claude-haiku-5-5', max_steps: 12 },
    user: { simulator: 'model', model: 'claude-haiku-5-5' },
  });
  expect([code, status, outcomes.map(([, outcome]) => outcome)]).toEqual([0, 'succeeded', ['pass', 'pass', 'pass']]);
  const lines = await linesOf('library-app.1');
  expect(lines.flatMap((line) => (line.type === 'user' ? [line.text] : []))).toEqual([
    'Your app shows no due date any more.',
    'I am signed in now.',
  ]);
  expect(lines.find((line) => line.type === 'call' && line.tool === 'sign_in')).toMatchObject({ by: 'user' });
  expect(results.samples[2]?.trials[0]?.costUsd).toBeGreaterThan(0);
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
