/** The shipped CI scripts, each run as its job runs it: slice, reviewer, decision, next, and the loop for a plain shell (C.5). */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { inImage, type Ended, type Image } from '../support/clean-root.ts';
import { makeProject, tandem } from '../support/cli.ts';
import { outputsIn, playJob, type Played, type Scope } from '../support/dry-run.ts';
import { scratch } from '../support/scratch.ts';
import { readYaml, Workflow } from '../support/workflow.ts';

const SCRIPTS = resolve('examples/ci/scripts');
const TANDEM = `${process.execPath} ${resolve('bin/tandem.js')}`;

const GitlabHead = z.strictObject({
  spec: z.strictObject({
    inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string().optional() })),
  }),
});
type GitlabInputs = z.infer<typeof GitlabHead>['spec']['inputs'];
const GitlabJobs = z.record(
  z.string(),
  z.strictObject({
    ...{ extends: z.literal('.tandem').optional(), stage: z.string().optional(), image: z.string().optional() },
    variables: z.record(z.string(), z.string()).optional(),
    before_script: z.array(z.string()).optional(),
    script: z.array(z.string()).optional(),
    needs: z.array(z.string()).optional(),
    environment: z.string().optional(),
    rules: z.array(z.strictObject({ when: z.literal('manual'), allow_failure: z.boolean() })).optional(),
    allow_failure: z.strictObject({ exit_codes: z.array(z.int()) }).optional(),
    artifacts: z
      .strictObject({
        ...{ when: z.string(), expire_in: z.string(), paths: z.array(z.string()) },
        reports: z.strictObject({ junit: z.string(), dotenv: z.string() }),
      })
      .optional(),
  }),
);

const review = (state: string, comment: string, environment = 'hitl-1') => ({
  state,
  comment,
  user: { login: 'octocat' },
  environments: [{ name: environment }],
});

let project: string;

beforeEach(async () => {
  project = await makeProject();
  await tandem(project, ['init', 'desk']);
});

function sh(script: string, env: Record<string, string>, command = 'bash'): Promise<Ended> {
  const all = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', USER: 'ci', TANDEM, ...env };
  return new Promise((settle) =>
    execFile(command, [join(SCRIPTS, script)], { cwd: project, env: all }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
}

async function outputs(file: string): Promise<Record<string, string>> {
  return outputsIn(await readFile(join(project, file), 'utf8').catch(() => ''));
}

const RUN = { TANDEM_SCENARIO: 'desk', TANDEM_RUN: 'ci-1' };

describe('on GitHub', () => {
  test('slice to the gate, decision bound to its digest, slice to the end', async () => {
    const slice = () => sh('slice.sh', { ...RUN, GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: join(project, 'out') });
    const first = await slice();
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('A gate waits for a person.')]);
    const { status, digest = '' } = await outputs('out');
    expect(status).toBe('awaiting_approval');

    const answer = { ...RUN, TANDEM_REVIEWER: 'octocat', TANDEM_COMMENT: 'mind R1', TANDEM_NONCE: 'github-7' };
    const other = await sh('decide.sh', { ...answer, TANDEM_DIGEST: 'f'.repeat(64) });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('changed while you were reading')]);
    const wrong = await sh('decide.sh', { ...answer, TANDEM_DIGEST: digest, TANDEM_DECISION: 'merge' });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected approve')]);
    const decided = await sh('decide.sh', { ...answer, TANDEM_DIGEST: digest, TANDEM_DECISION: 'approve' });
    expect(JSON.parse(decided.stdout)).toMatchObject({
      decision: 'approve',
      actor: 'user:octocat',
      comment: 'mind R1',
    });
    // A job that is run again gives the same answer again.
    const again = await sh('decide.sh', { ...answer, TANDEM_DIGEST: digest, TANDEM_DECISION: 'approve' });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(decided.stdout));

    const last = await slice();
    expect([last.code, last.stdout]).toEqual([0, expect.stringContaining('The target is met.')]);
    expect((await outputs('out'))['status']).toBe('succeeded');
    expect(await readFile(join(project, 'tandem-junit.xml'), 'utf8')).toContain('<testsuites');
  });

  test('a slice that failed is red, with the code of the run', async () => {
    expect((await sh('slice.sh', { ...RUN, TANDEM_SCENARIO: 'no-desk' })).code).toBe(2);
    expect((await sh('slice.sh', { TANDEM_SCENARIO: 'desk' })).stderr).toContain('id of the run');
    const options = { TANDEM_OPTIONS: '--profile\nno-such-profile' };
    expect((await sh('slice.sh', { ...RUN, ...options })).stderr).toContain('No profile is named "no-such-profile"');
  });

  test('the next workflow run is started for the same run, with the folder that this one keeps', async () => {
    const bin = await scratch();
    await writeFile(join(bin, 'gh'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    await chmod(join(bin, 'gh'), 0o755);
    const PATH = `${bin}:${process.env['PATH']}`;
    const github = { GITHUB_RUN_ID: '77', GITHUB_REF_NAME: 'main', TANDEM_WORKFLOW: 'tandem.yml' };
    const done = await sh('next.sh', { ...RUN, ...github, PATH });
    expect(done.stdout.trim().split('\n')).toEqual(
      ['workflow', 'run', 'tandem.yml', '--ref', 'main'].concat(
        ['scenario=desk', 'run=ci-1', 'from=77'].flatMap((field) => ['--field', field]),
      ),
    );
    expect((await sh('next.sh', { ...RUN, PATH })).code).not.toBe(0);
  });
});

/** A runner's disk: the project with this package in its `node_modules`, in a root that has nothing else of this machine. */
async function cleanRunner(): Promise<Image> {
  const root = await scratch();
  const workdir = '/home/runner/project';
  await mkdir(join(root, 'usr/local/bin'), { recursive: true });
  await writeFile(join(root, 'usr/local/bin/gh'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  await cp(project, join(root, workdir), { recursive: true });
  const modules = join(root, workdir, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(CHECKOUT, join(modules, 'tandem-harness'));
  await symlink('../tandem-harness/bin/tandem.js', join(modules, '.bin/tandem'));
  return { root, workdir, python: false };
}
/** Where this checkout is in that root; a link leads there, as Node strips no types below `node_modules`. */
const CHECKOUT = '/opt/tandem';
const MOUNTS = { [resolve('.')]: CHECKOUT };

/** The shipped workflow with the shipped action, played from its dispatch to the end of the run, every job on a new disk. */
describe('the GitHub workflow, in a clean root', () => {
  const { jobs } = readYaml('examples/ci/github/tandem.yml', Workflow);
  const artifacts = new Map<string, string>();
  let reviews: unknown = [];
  let api: Server;

  beforeEach(async () => {
    artifacts.clear();
    api = createServer((_, outgoing) => outgoing.end(JSON.stringify(reviews)));
    await new Promise<void>((listening) => api.listen(0, '127.0.0.1', listening));
  });
  afterEach(() => new Promise((closed) => api.close(closed)));

  async function play(name: string, github: { run_id: string }, scope: Scope): Promise<Played> {
    const image = await cleanRunner();
    const at = (path = '') => join(image.root, image.workdir, path);
    const job = jobs[name];
    if (job === undefined) throw new Error(`no job ${name}`);
    const secrets = { ANTHROPIC_API_KEY: '' };
    return playJob(
      job,
      { ...scope, github: { ...github, token: 't' }, secrets },
      {
        image,
        mounts: MOUNTS,
        env: {
          ...{ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'o/r', GITHUB_REF_NAME: 'main', USER: 'runner' },
          ...{ GITHUB_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}` },
          GITHUB_RUN_ID: github.run_id,
        },
        actionAt: (uses) => ({ here: resolve('.'), there: `${image.workdir}/${uses.slice(2)}` }),
        others: {
          'actions/checkout': () => Promise.resolve(),
          'actions/setup-node': () => Promise.resolve(),
          'actions/upload-artifact': async ({ path }) => {
            const folder = await scratch();
            await cp(at(path), folder, { recursive: true });
            artifacts.set(github.run_id, folder);
          },
          'actions/download-artifact': async ({ path, 'run-id': id = '' }) => {
            await cp(artifacts.get(id) ?? `no artifact of ${id}`, at(path), { recursive: true });
          },
        },
        skip: ['npm ci'],
      },
    );
  }
  /** What `next.sh` says to GitHub, as the inputs of the next workflow run. */
  const dispatched = ({ shells }: Played): Record<string, string> =>
    Object.fromEntries(
      [...(shells.at(-1)?.stdout ?? '').matchAll(/^(scenario|run|from)=(.*)$/gm)].map(([, key, value]) => [key, value]),
    );

  test('a gate, a reviewer who declines or approves, and the end', async () => {
    const first = { scenario: 'desk', run: 'ci-9', from: '' };
    const begun = await play('carry-on', { run_id: '1' }, { inputs: first });
    expect([begun.ok, begun.outputs['status']], shellsOf(begun)).toEqual([true, 'awaiting_approval']);

    // The job for refusals takes no approval, nor the other way round; what is kept stays as it was.
    const kept = artifacts.get('1');
    const needs = { 'carry-on': { outputs: begun.outputs } };
    reviews = [review('approved', 'fine')];
    expect((await play('declined', { run_id: '1' }, { inputs: first, needs })).ok).toBe(false);
    reviews = [review('rejected', 'name the source of R1')];
    expect((await play('decide', { run_id: '1' }, { inputs: first, needs })).ok).toBe(false);
    expect(artifacts.get('1')).toBe(kept);

    const declined = await play('declined', { run_id: '1' }, { inputs: first, needs });
    expect(declined.ok, shellsOf(declined)).toBe(true);
    expect(declined.shells[1]?.stdout).toContain('"decision":"request_changes"');
    expect(dispatched(declined)).toEqual({ scenario: 'desk', run: 'ci-9', from: '1' });

    // As if nobody had declined: the offline model has one design only.
    if (kept !== undefined) artifacts.set('1', kept);
    reviews = [review('approved', 'mind R1')];
    const decided = await play('decide', { run_id: '1' }, { inputs: first, needs });
    expect(decided.ok, shellsOf(decided)).toBe(true);
    const last = await play('carry-on', { run_id: '2' }, { inputs: dispatched(decided) });
    expect([last.ok, last.outputs['status']], shellsOf(last)).toEqual([true, 'succeeded']);
    // Nothing goes on by itself after the end.
    expect(last.shells.map(({ run }) => /(\w+)\.sh/.exec(run)?.[1])).toEqual(['install', 'slice']);
  });
});

const shellsOf = ({ shells }: Played): string =>
  shells.map(({ run, code, stderr }) => `${run} ended with ${code}\n${stderr.slice(-2000)}`).join('\n');

/** What GitLab would run, line by line in one shell a job, with the variables of the job and nothing else of this machine. */
describe('on GitLab, laid out as the template says', () => {
  const INPUTS: Record<string, string> = { scenario: 'desk', run: 'ci-7' };
  let image: Image;
  const put = async (file = ''): Promise<Record<string, string>> =>
    outputsIn(await readFile(join(image.root, image.workdir, file), 'utf8'));

  async function template(): Promise<{ inputs: GitlabInputs; jobs: z.infer<typeof GitlabJobs> }> {
    const text = await readFile('examples/ci/gitlab/tandem.gitlab-ci.yml', 'utf8');
    const [head] = parseAllDocuments(text).map((one) => one.toJS() as unknown);
    const { inputs } = GitlabHead.parse(head).spec;
    const filled = text.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      expect(inputs).toHaveProperty(name);
      return INPUTS[name] ?? inputs[name]?.default ?? `no ${name}`;
    });
    return { inputs, jobs: GitlabJobs.parse(parseAllDocuments(filled)[1]?.toJS()) };
  }

  async function job(name: string, more: Record<string, string>): Promise<Ended> {
    const { jobs } = await template();
    const [own, base] = [jobs[name], jobs['.tandem']];
    const lines = [...(base?.before_script ?? []), ...(own?.script ?? [])].filter((line) => line !== 'npm ci');
    const env = { USER: 'ci', GITLAB_CI: 'true', ...more, ...base?.variables, ...own?.variables };
    const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', lines.join('\n')];
    return inImage(image, command, { mounts: MOUNTS, env });
  }

  test('every line does its part: a slice to the gate, the answer of whoever started the manual job, the end', async () => {
    image = await cleanRunner();
    const { inputs, jobs } = await template();
    expect(Object.keys(inputs).filter((name) => inputs[name]?.default === undefined)).toEqual(Object.keys(INPUTS));
    const first = await job('tandem-evaluate', {});
    expect(first.code, first.stderr).toBe(4);
    expect(jobs['tandem-evaluate']?.allow_failure).toEqual({ exit_codes: [4, 7] });
    // What one job puts out is the environment of the next.
    const given = await put(jobs['.tandem']?.artifacts?.reports.dotenv);
    expect(given).toMatchObject({ status: 'awaiting_approval', run: 'ci-7' });
    const wrong = await job('tandem-decide', {
      ...given,
      digest: 'f'.repeat(64),
      GITLAB_USER_LOGIN: 'ada',
      CI_JOB_ID: '1',
    });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('changed while you were reading')]);
    const decided = await job('tandem-decide', { ...given, GITLAB_USER_LOGIN: 'ada', CI_JOB_ID: '2' });
    expect(decided.code, decided.stderr).toBe(0);
    expect(decided.stdout).toContain('"actor":"user:ada"');
    expect((await put('tandem-outputs.env'))['status']).toBe('succeeded');
    const junit = jobs['.tandem']?.artifacts?.reports.junit ?? '';
    expect(await readFile(join(image.root, image.workdir, junit), 'utf8')).toContain('<testsuites');
  });
});

describe('who reviewed', () => {
  async function ask(reviews: unknown, expected: string, status = 200): Promise<Ended & { out: string }> {
    const asked: string[] = [];
    const server = createServer((incoming, outgoing) => {
      asked.push(`${incoming.url} ${incoming.headers.authorization}`);
      outgoing.writeHead(status).end(JSON.stringify(reviews));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const github = { GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '77' };
    const tandemEnv = { TANDEM_ENVIRONMENT: 'hitl-1', TANDEM_EXPECT: expected };
    await writeFile(join(project, 'review'), '');
    const env = { ...github, ...tandemEnv, GITHUB_TOKEN: 'secret', GITHUB_OUTPUT: join(project, 'review') };
    const ended = await sh('reviewer.mjs', env, process.execPath);
    server.close();
    expect(asked).toEqual(['/repos/o/r/actions/runs/77/approvals Bearer secret']);
    return { ...ended, out: await readFile(join(project, 'review'), 'utf8') };
  }
  test('is asked from GitHub, and a comment cannot become another output', async () => {
    const { code, out } = await ask([review('approved', 'fine\ndecision=reject', 'hitl-1')], 'approved');
    expect(code).toBe(0);
    expect(out).toMatch(/^reviewer<<([0-9a-f]{32})\noctocat\n\1\ndecision<<([0-9a-f]{32})\napprove\n\2\n/);
    expect(out).toMatch(/comment<<([0-9a-f]{32})\nfine\ndecision=reject\n\1\n$/);
  });

  test('a refusal becomes a request for changes with a comment, in its own job only', async () => {
    const declined = [review('rejected', '')];
    expect((await ask(declined, 'rejected')).out).toContain('request-changes\n');
    expect((await ask(declined, 'approved')).code).toBe(1);
    expect((await ask([review('approved', '')], 'rejected')).stderr).toContain('this job is for "rejected"');
  });

  test('nobody, another environment, or an error of GitHub stops the job', async () => {
    expect((await ask([], 'approved')).stderr).toContain('needs required reviewers');
    expect((await ask([review('approved', '', 'production')], 'approved')).code).toBe(1);
    expect((await ask({ message: 'no' }, 'approved', 403)).stderr).toContain('GitHub answered 403');
  });
});

test('in a plain shell the loop runs slices until a person must decide, says how, and goes on after', async () => {
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/slow.yaml'), 'version: 1\nsimulator: { latency_ms: 400 }\n');
  const loop = { ...RUN, TANDEM_MINUTES: '0.1', TANDEM_OPTIONS: '--profile\nslow', TANDEM_SLICES: '30' };
  const first = await sh('evaluate.sh', loop);
  expect(first.code).toBe(4);
  const { digest = '' } = await outputs('tandem-outputs.txt');
  expect(first.stdout).toContain(`TANDEM_DIGEST=${digest} TANDEM_REVIEWER=<you>`);
  expect((await sh('decide.sh', { ...RUN, TANDEM_DIGEST: digest, TANDEM_REVIEWER: 'ada' })).code).toBe(0);
  const second = await sh('evaluate.sh', loop);
  expect(second.code).toBe(0);
  expect(second.stdout).toContain('The time is used up; the next slice goes on.');
});
