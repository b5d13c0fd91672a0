/** What would lose a new user work, money or trust in the first hour, by the command itself. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { BIN, lastJson, makeProject, tandem } from '../support/cli.ts';

let project: string;
beforeAll(async () => {
  project = await makeProject();
  expect((await tandem(project, ['init', 'desk'])).code).toBe(0);
});

const inDesk = (path: string) => join(project, 'scenarios/desk', path);

test('init marks the project, and a folder below uses it and says so', async () => {
  expect(await readFile(join(project, 'tandem.yaml'), 'utf8')).toContain('version: 1\nname: ');
  const below = join(project, 'notes/today');
  await mkdir(below, { recursive: true });
  const { code, stderr } = await tandem(below, ['validate', 'desk']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`project  ${project} (its tandem.yaml)`),
  });
});

test('a folder above without a marker is left alone', async () => {
  const above = await makeProject();
  const below = join(above, 'a/b');
  await mkdir(below, { recursive: true });
  const { code, stderr } = await tandem(below, ['run', 'tariff-desk', '--profile', 'demo', '--on-gate', 'exit']);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`not ${above}: it has no tandem.yaml`) });
  expect(await readdir(join(above, 'scenarios'))).toEqual([]);
  expect(existsSync(join(below, 'scenarios/tariff-desk/runs'))).toBe(true);
});

test('a folder that is named like a shipped scenario is not written over', async () => {
  const own = join(project, 'scenarios/refund-desk');
  await mkdir(own);
  await writeFile(join(own, 'brief.md'), 'mine');
  const { code, stderr } = await tandem(project, ['run', 'refund-desk', '--profile', 'demo']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('nothing in it is written over') });
  expect([await readdir(own), await readFile(join(own, 'brief.md'), 'utf8')]).toEqual([['brief.md'], 'mine']);
});

test('what is wrong is said at once, before anything is paid or written, by run, validate and batch', async () => {
  const good = await readFile(inDesk('scenario.yaml'), 'utf8');
  await writeFile(inDesk('scenario.yaml'), good.replace('[renewals]', '[renewals, renewals]'));
  try {
    const junit = ['--junit', '/proc/nowhere/junit.xml'];
    const run = await tandem(project, ['run', 'desk', '--on-gate', 'auto:demo', ...junit]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('2 things are in the way; nothing was paid and nothing was written.');
    expect(run.stderr).toMatch(/scenario\.yaml:\d+: the category renewals is named twice\./);
    expect(run.stderr).toContain('--junit: /proc is no place for files.');
    expect((await tandem(project, ['batch', 'desk', ...junit])).code).toBe(2);
    const validate = await tandem(project, ['validate', 'desk', '--json']);
    expect([validate.code, lastJson(validate)['ok']]).toEqual([2, false]);
  } finally {
    await writeFile(inDesk('scenario.yaml'), good);
  }
  const model = good.replace('claude-haiku-5-5', 'claude-hiaku-5-5');
  await writeFile(inDesk('scenario.yaml'), model);
  const dry = await tandem(project, ['run', 'desk', '--dry-run']);
  await writeFile(inDesk('scenario.yaml'), good);
  expect(dry.code).toBe(2);
  expect(dry.stdout).toMatch(/scenario\.yaml:\d+: The endpoint does not serve a model "claude-hiaku-5-5"/);
  expect((await tandem(project, ['run', 'desk', '--on-gate', 'auto:nope'])).stderr).toContain(
    'expected exit, wait, prompt or auto:demo',
  );
  expect(existsSync(inDesk('runs'))).toBe(false);
});

test('validate and batch --dry-run forecast without a trace on disk, and a run is compared with its forecast', async () => {
  const validate = lastJson(await tandem(project, ['validate', 'desk', '--json']));
  expect(validate).toMatchObject({ ok: true, forecast: { runs: { same: 0, other: 0 } } });
  const batch = await tandem(project, ['batch', 'desk', 'tariff-desk', '--runs', '3', '--dry-run', '--json']);
  expect(lastJson(batch)).toMatchObject({
    ok: true,
    runs: 3,
    scenarios: [{ scenario: 'desk' }, { scenario: 'tariff-desk' }],
  });
  expect([existsSync(join(project, 'scenarios/tariff-desk')), existsSync(inDesk('runs'))]).toEqual([false, false]);
  const run = await tandem(project, ['run', 'desk', '--on-gate', 'auto:demo', '--budget', '4.5', '--id', 'one']);
  expect(run.code).toBe(0);
  // Nothing is paid offline: the screen has one line, and the report compares what would have been paid.
  expect(run.stderr).toMatch(/^forecast about \$.*, rarely more than \$.*, cap \$4\.50; SIMULATED, nothing is paid$/m);
  const report = await readFile(inDesk('runs/one/out/summary.md'), 'utf8');
  expect(report).toMatch(/Its forecast was about \$.*; it cost (?:less|something between the two|more)\./);
  expect(run.stderr).toContain('of $4.50');
});

test('a stopped run takes the repaired subject, says what changes, and refuses another task', async () => {
  const ids = ['two', '--profile', 'demo'];
  expect((await tandem(project, ['run', 'desk', '--on-gate', 'exit', '--id', ...ids])).code).toBe(4);
  const take = ['resume', 'two', '--take', 'scenario.yaml', '--on-gate', 'auto:demo'];
  expect((await tandem(project, take)).stderr).toContain('stop it first with tandem pause two');
  expect((await tandem(project, ['pause', 'two'])).code).toBe(0);
  expect((await tandem(project, take)).stderr).toContain('repair it first');

  const good = await readFile(inDesk('scenario.yaml'), 'utf8');
  await writeFile(inDesk('scenario.yaml'), good.replace('target: 0.85', 'target: 0.5'));
  const other = await tandem(project, take);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("differs from the run's in target")]);

  await writeFile(inDesk('scenario.yaml'), good.replace('max_steps: 8', 'max_steps: 9'));
  const taken = await tandem(project, take);
  expect(taken.stderr).toMatch(/^taken {4}subject: .*"max_steps":8.* -> .*"max_steps":9/m);
  expect(taken.code).toBe(0);
  expect(await readFile(inDesk('runs/two/scenario/scenario.yaml'), 'utf8')).toContain('max_steps: 9');
  expect((await tandem(project, ['verify', 'two'])).code).toBe(0);
});

/** A terminal of its own, and one key once the prompt is there; prints the exit code, then what the screen got. */
const ON_A_TERMINAL = `
import os, pty, sys, time
cwd, key, text, *command = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.chdir(cwd)
    os.environ.pop('CI', None)
    os.execv(command[0], command)
seen, sent = b'', False
while True:
    try: part = os.read(fd, 65536)
    except OSError: break
    if not part: break
    seen += part
    if text.encode() in seen and not sent:
        time.sleep(0.5)
        os.write(fd, bytes([int(key)]))
        sent = True
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(seen.decode(errors='replace'))
`;

test.each([
  ['Ctrl-C', '3'],
  ['Ctrl-D', '4'],
])('%s at the prompt of a gate ends with 130 and says how to go on', async (_key, byte) => {
  const id = `left-${byte}`;
  const command = [process.execPath, BIN, 'run', 'desk', '--on-gate', 'prompt', '--id', id];
  const { stdout } = await promisify(execFile)('python3', [
    ...['-c', ON_A_TERMINAL, project, byte, '[?] keys', ...command],
  ]);
  expect(stdout.split('\n')[0]).toBe('130');
  // Nothing named tandem is on this PATH: the line is one that this shell can run.
  expect(stdout).toContain(`go on    node ${BIN} resume ${id}`);
  expect(stdout).toContain('Left without an answer; nothing was decided.');
});
