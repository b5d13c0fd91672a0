/** The workflows of examples/ for agents in CI: every step that runs a command, step by step, as a runner does it. */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { COMPILED, INSTALLED } from '../support/cli.ts';

type Step = { name?: string; run?: string; env?: Record<string, string>; uses?: string };
type Workflow = { jobs: Record<string, { steps: Step[] }> };

/** What a runner fetches from a registry: here the packages of this checkout are in its place. */
const INSTALLS = /^npm (?:ci|install)\b/;

/** A process group of its own: what a step leaves in the background goes on for the next steps, and ends with the job. */
async function runStep(
  script: string,
  cwd: string,
  env: Record<string, string>,
): Promise<[code: number, output: string]> {
  const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
    ...{ cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] as const },
    env: {
      PATH: `${INSTALLED}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      ...COMPILED,
      USER: 'runner',
      CI: 'true',
      ...env,
    },
  });
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise<number>((settle) => child.once('exit', (ended) => settle(ended ?? -1)));
  return [code, output];
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((settle) => server.once('listening', settle));
  const { port } = server.address() as AddressInfo;
  await new Promise((settle) => server.close(settle));
  return port;
}

async function playWorkflow(example: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await cp(join('examples', example), folder, { recursive: true, filter: (path) => !path.endsWith('evaluations') });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  // The port of the page may be taken on this machine.
  const text = (await readFile(join(folder, 'workflow.yml'), 'utf8')).replaceAll('7500', String(await findFreePort()));
  const { jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps.filter(({ run }) => run !== undefined));
  expect(steps.filter(({ run = '' }) => INSTALLS.test(run))).toHaveLength(1);
  let last = '';
  for (const { run = '', env = {} } of steps.filter(({ run: script = '' }) => !INSTALLS.test(script))) {
    const [code, output] = await runStep(run.replaceAll('npx tandem', 'tandem'), folder, env);
    expect(code, `${run}\n${output}`).toBe(0);
    last = output;
  }
  return last;
}

test('an agent in Python is proven and evaluated, and the job is green', async () => {
  expect(await playWorkflow('python-agent')).toMatch(/2 of 2 samples pass/);
});

test('agents on the AI SDK and the OpenAI Agents SDK are evaluated against the strict server, and the job is green', async () => {
  const output = await playWorkflow('sdk-agents');
  expect(output.match(/2 of 2 samples pass \(100 %/g)).toHaveLength(2);
  expect(output).toMatch(/^No difference: 100 % of trials pass/m);
});

test('a worse agent makes the job red', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp('examples/python-agent', folder, { recursive: true });
  const agent = await readFile(join(folder, 'agent.py'), 'utf8');
  const worse = agent.replace('I found this: {json.dumps(output)}', 'I found something.');
  expect(worse).not.toBe(agent);
  await writeFile(join(folder, 'agent.py'), worse);
  const [code, output] = await runStep('tandem evaluate card-desk', folder, {});
  expect(code, output).toBe(1);
  expect(output).toContain('0 of 2 samples pass');
});
