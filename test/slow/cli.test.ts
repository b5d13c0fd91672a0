/** The command line as a process: what a wrong input is answered with, and what an exit code means. */
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { digestAt, initScenario, lastJson, makeProject, start, tandem } from '../support/cli.ts';

let project: string;

const CREATED = {
  type: 'run.created',
  machineVersion: 1,
  scenario: 'small-desk',
  scenarioDigest: 'd',
  configDigest: 'c',
  limits: { target: 0.85, gate: 'rate', maxIterations: 5, maxRounds: 5, patience: 3, budgetUsd: 5 },
  simulated: true,
} as const;

beforeAll(async () => {
  project = await makeProject();
  expect((await tandem(project, ['init', 'small-desk'])).code).toBe(0);
});

const runsOf = async (scenario: string): Promise<string[]> =>
  readdir(join(project, 'scenarios', scenario, 'runs')).catch(() => []);

async function broken(name: string, file: string, change: (text: string) => string): Promise<string> {
  await initScenario(project, name);
  const path = join(project, 'scenarios', name, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
  return name;
}

describe('wrong input: exit 2, one clear message with file, line and remedy, nothing written', () => {
  test('an unknown scenario names the known ones', async () => {
    const { code, stderr } = await tandem(project, ['run', 'smal-desk', '--profile', 'demo']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/No scenario is named "smal-desk"\. There are: .*small-desk.*tandem init/);
  });

  test('broken YAML', async () => {
    const name = await broken('broken-yaml', 'scenario.yaml', (text) => text.replace('version: 1', 'version: [1'));
    const { code, stderr } = await tandem(project, ['run', name, '--profile', 'demo']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/scenarios\/broken-yaml\/scenario\.yaml:\d+: /);
    expect(await runsOf(name)).toEqual([]);
  });

  test('a wrong type', async () => {
    const name = await broken('wrong-type', 'scenario.yaml', (text) => text.replace('target: 0.85', 'target: high'));
    const { code, stderr } = await tandem(project, ['run', name, '--profile', 'demo']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/scenario\.yaml:\d+: target: expected a number above 0 and up to 1.*it is "high"/);
    expect(await runsOf(name)).toEqual([]);
  });

  test('a source that is missing or lies outside', async () => {
    const name = await broken('outside', 'scenario.yaml', (text) =>
      text.replace('reads: [brief.md', 'reads: [../../../../etc/passwd, brief.md'),
    );
    const { code, stderr } = await tandem(project, ['run', name, '--profile', 'demo']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/not a file inside the scenario/);
  });

  test('a broken script of the offline model', async () => {
    const name = await broken('broken-script', 'simulation/init.yaml', (text) =>
      text.replace('who: init', 'whom: init'),
    );
    const { code, stderr } = await tandem(project, ['run', name, '--profile', 'demo']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/init\.yaml/);
    expect(await runsOf(name)).toEqual([]);
  });

  test('an address without a key, and an unknown profile', async () => {
    const noKey = await tandem(project, ['run', 'small-desk'], { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
    expect(noKey.code).toBe(2);
    expect(noKey.stderr).toContain('ANTHROPIC_API_KEY is not set');
    const away = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'any' };
    const unreachable = await tandem(project, ['run', 'small-desk', '--json'], away);
    expect(unreachable.code).toBe(6);
    expect(lastJson(unreachable)).toEqual({
      ...{ error: 'model_unavailable', exitCode: 6 },
      message: expect.stringMatching(
        /^The Messages API at http:\/\/127\.0\.0\.1:9 .*no connection.* ANTHROPIC_BASE_URL\.$/,
      ),
    });
    const profile = await tandem(project, ['run', 'small-desk', '--profile', 'dmeo']);
    expect(profile.code).toBe(2);
    expect(profile.stderr).toContain('demo, seed');
    expect(await runsOf('small-desk')).toEqual([]);
  });

  test('an automatic approval while the model is not on loopback, before anything is written', async () => {
    const { code, stderr } = await tandem(project, ['run', 'small-desk', '--on-gate', 'auto:demo'], {
      ANTHROPIC_BASE_URL: 'https://192.0.2.1',
      ANTHROPIC_API_KEY: 'k-secret-k',
    });
    expect(code).not.toBe(0);
    expect(stderr).not.toContain('k-secret-k');
    expect(await runsOf('small-desk')).toEqual([]);
  }, 60_000);

  test('unknown commands and options', async () => {
    expect((await tandem(project, ['rnu'])).code).toBe(2);
    const option = await tandem(project, ['run', 'small-desk', '--profil', 'demo']);
    expect(option.code).toBe(2);
    expect(option.stderr).toContain('Did you mean --profile?');
    expect((await tandem(project, ['init', 'Not A Name'])).code).toBe(2);
    expect((await tandem(project, ['init', 'small-desk'])).stderr).toContain('is there already');
  });
});

describe('a run that stops at the gate', () => {
  test('says how to go on, is decided by digest, and goes on', async () => {
    const waiting = await tandem(project, ['run', 'small-desk', '--on-gate', 'exit', '--json', '--id', 'gated']);
    expect(waiting.code).toBe(4);
    expect(lastJson(waiting)).toMatchObject({ run: 'gated', status: 'awaiting_approval', successRate: null });
    expect(waiting.stderr).toContain('tandem gates approve gated --digest');

    const [gate] = JSON.parse((await tandem(project, ['gates', 'list', '--json'])).stdout) as {
      digest: string;
      gate: string;
    }[];
    expect(gate).toMatchObject({ gate: 'HITL-1.r1' });
    const digest = gate?.digest ?? '';
    expect((await tandem(project, ['gates', 'show', 'gated'])).stdout).toContain('WHAT YOU ARE DECIDING');

    const blind = await tandem(project, ['gates', 'approve', 'gated']);
    expect(blind.code).toBe(2);
    const stale = await tandem(project, ['gates', 'approve', 'gated', '--digest', `0000${digest.slice(4)}`]);
    expect(stale.code).toBe(2);
    expect(stale.stderr).toContain('changed while you were reading');

    const answer = ['--digest', digest.slice(0, 16), '--nonce', 'once', '--comment', 'fine'];
    for (const _time of ['first', 'again'])
      expect((await tandem(project, ['gates', 'approve', 'gated', '--accept', ...answer])).code).toBe(0);

    const finished = await tandem(project, ['resume', 'gated', '--json']);
    expect(finished.code).toBe(0);
    expect(lastJson(finished)).toMatchObject({ status: 'succeeded', iterations: 2 });
    expect((await tandem(project, ['resume', 'gated', '--json'])).code).toBe(0);
    for (const format of ['md', 'html', 'junit', 'github', 'json']) {
      expect((await tandem(project, ['report', 'gated', '--format', format])).stdout.length).toBeGreaterThan(200);
    }
    expect((await tandem(project, ['report', 'gated', '--iteration', '1'])).stdout).toContain('renew-once');
  });

  test('rejected is exit 3', async () => {
    await tandem(project, ['run', 'small-desk', '--on-gate', 'exit', '--id', 'refused']);
    const digest = await digestAt(project, 'refused');
    await tandem(project, ['gates', 'reject', 'refused', '--digest', digest, '--comment', 'no']);
    expect((await tandem(project, ['resume', 'refused', '--json'])).code).toBe(3);
  });
});

test('a signal stops in order, with 130 or 143, and the run can be resumed', async () => {
  const child = start(project, ['run', 'small-desk', '--profile', 'demo', '--id', 'stopped']);
  child.stderr?.on('data', (text: string) => {
    if (text.includes('Execute writes')) child.kill('SIGINT');
  });
  const { code, stderr } = await child.done;
  expect(code).toBe(130);
  expect(stderr).toContain('what is paid for is saved');
  expect(lastJson(await tandem(project, ['resume', 'stopped', '--profile', 'demo', '--json']))).toMatchObject({
    status: 'succeeded',
  });
});

test('a run of another machine version can be shown and is not carried on', async () => {
  const store = openFileRunStore({
    roots: [join(project, 'scenarios')],
    clock: { now: () => new Date() },
    worker: 'test',
  });
  const old = await store.create(join(project, 'scenarios/small-desk'), 'older');
  await old.write(
    'scenario/scenario.yaml',
    await readFile(join(project, 'scenarios/small-desk/scenario.yaml'), 'utf8'),
  );
  await old.journal.append({ ...CREATED, machineVersion: 99 }, 'user:starter', 0);
  expect(JSON.parse((await tandem(project, ['status', 'older', '--json'])).stdout)).toMatchObject({
    status: 'created',
  });
  const { code, stderr } = await tandem(project, ['resume', 'older']);
  expect(code).toBe(2);
  expect(stderr).toContain('machine version 99');
});

test('a run folder that was copied elsewhere is whole there', async () => {
  await tandem(project, ['run', 'small-desk', '--on-gate', 'exit', '--id', 'moved']);
  const other = await makeProject();
  await tandem(other, ['init', 'small-desk']);
  const target = join(other, 'scenarios/small-desk/runs/moved');
  await cp(join(project, 'scenarios/small-desk/runs/moved'), target, { recursive: true });
  const digest = await digestAt(other, 'moved');
  expect((await tandem(other, ['gates', 'approve', 'moved', '--digest', digest, '--accept'])).code).toBe(0);
  expect(lastJson(await tandem(other, ['resume', 'moved', '--json']))).toMatchObject({
    status: 'succeeded',
    folder: target,
  });
});

test('doctor says what is there, in words and as JSON', async () => {
  const { code, stdout } = await tandem(project, ['doctor', '--json']);
  const findings = JSON.parse(stdout) as { name: string; state: string }[];
  expect(findings.map((finding) => finding.name)).toEqual(
    expect.arrayContaining(['node', 'model', 'sandbox', 'store']),
  );
  expect(code).toBe(0);
});

describe('compiled code is kept for the next start', () => {
  test('in a folder of the user that nobody else can look into', async () => {
    const home = await makeProject();
    await tandem(project, ['--version'], { HOME: home, NODE_COMPILE_CACHE: '' });
    const kept = join(home, '.cache/tandem/compiled');
    expect(await readdir(kept)).toHaveLength(1);
    expect((await stat(kept)).mode & 0o077).toBe(0);
  });

  test.each([['/proc/none'], ['/dev/null'], ['']])(
    'a home such as "%s" cannot hold it: the start is slower, no more',
    async (home) => {
      const place = await makeProject();
      const { code, stderr } = await tandem(place, ['--version'], { HOME: home, NODE_COMPILE_CACHE: '' });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await readdir(place)).toEqual(['config', 'scenarios']);
    },
  );
});
