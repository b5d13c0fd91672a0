/** The command line as a user has it: a real process, its own project folder, its own environment. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { builtProgram } from './built-program.ts';
import { shareFolder } from './share-folder.ts';

/** A suite of tests runs what was built from the sources; a bench, which has no suite, the sources themselves. */
const built = process.env['TANDEM_TEST_SUITE'] === undefined ? undefined : await builtProgram();
export const BIN = resolve(built ?? '.', 'bin/tandem.js');
/** Holds `tandem`, so that printed commands are what they are for somebody who has installed it. */
export const INSTALLED = built === undefined ? resolve('test/support/installed') : join(built, 'on-path');

/** The program is built anew for each suite: what Node compiled of it goes with it. */
const KEPT = built === undefined ? {} : { NODE_COMPILE_CACHE: join(built, 'compiled') };

/** For a process with a home of its own: it finds the program compiled, as its second start would. */
export const COMPILED = {
  XDG_CACHE_HOME: built === undefined ? join(process.env['HOME'] ?? '', '.cache') : join(built, 'compiled'),
};

export type Finished = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/**
 * A project folder with a copy of the named shipped scenarios, and nothing else of this checkout. The strength of proofs is off
 * in it: it is a third of a run's processor time, and has tests of its own. `useShippedDefaults` turns it on.
 */
export async function makeProject(...scenarios: string[]): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'tandem-project-'));
  await mkdir(join(project, 'scenarios'));
  await mkdir(join(project, 'config'));
  await writeFile(join(project, 'config/default.yaml'), 'version: 1\nstrength: { seconds: 0 }\n');
  for (const name of scenarios) {
    await cp(resolve('scenarios', name), join(project, 'scenarios', name), {
      recursive: true,
      filter: (source) => !/[/\\]runs$/.test(source),
    });
  }
  return project;
}

/** The starter scenario, as `tandem init` writes it: its process is proven by a few tests, and costs as much as a short run. */
export async function initScenario(project: string, name: string): Promise<void> {
  const { initCommand } = await import('../../src/cli/serve/init.ts');
  const say = (): void => undefined;
  const io = { out: say, err: say, draw: say, screen: undefined, ask: undefined, env: {}, cwd: project };
  if ((await initCommand(name, {}, io)) !== 0) throw new Error(`${name} was not made`);
}

/** The id of the run in `finishedProject`: the help and the docs name it. */
export const FINISHED_RUN = '20261120-101500-a1b2c3';

/**
 * A project with one whole run of refund-desk, for tests that read what a run leaves: a copy of one that the suite shares.
 * `finished.json` is what the command said at its end, and `finished.txt` what it showed until then.
 */
export async function finishedProject(): Promise<string> {
  const made = await shareFolder('finished', async () => {
    const project = await makeProject('refund-desk');
    const args = ['run', 'refund-desk', '--profile', 'demo', '--id', FINISHED_RUN];
    const finished = await tandem(project, [...args, '--json']);
    if (finished.code !== 0) throw new Error(`the run to share ended with ${finished.code}: ${finished.stderr}`);
    await writeFile(join(project, 'finished.json'), JSON.stringify(lastJson(finished)));
    await writeFile(join(project, 'finished.txt'), finished.stderr);
    return project;
  });
  return copyFolder(made, 'tandem-project-');
}

/** A copy of a folder in one of its own. A run is hundreds of small files, which `cp` copies for a third of Node's effort. */
export async function copyFolder(from: string, prefix: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), prefix));
  await promisify(execFile)('cp', ['-R', `${from}/.`, copy]);
  return copy;
}

/** The project has the settings that everybody has who changes none. */
export async function useShippedDefaults(project: string): Promise<void> {
  await rm(join(project, 'config/default.yaml'));
}

/** What a test that failed left running ends with its file; a bench has no such file. */
const alive = new Set<ChildProcess>();
if (process.env['VITEST'] !== undefined)
  (await import('vitest')).afterAll(() => {
    for (const child of alive) child.kill('SIGKILL');
  });

export function start(
  at: string | { project: string; bin: string },
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess & { done: Promise<Finished> } {
  const { project, bin } = typeof at === 'string' ? { project: at, bin: BIN } : at;
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: project,
    env: {
      PATH: `${process.env['PATH'] ?? ''}${delimiter}${INSTALLED}`,
      HOME: process.env['HOME'] ?? '',
      ...KEPT,
      USER: 'tester',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const done = new Promise<Finished>((settle) =>
    child.on('close', (code, signal) => settle({ code, signal, stdout, stderr })),
  );
  return Object.assign(child, { done });
}

export function tandem(project: string, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  return start(project, args, env).done;
}

/** The value of `--json`: the last line of standard output. */
export function lastJson(finished: Finished): Record<string, unknown> {
  const last = finished.stdout.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(last) as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`No JSON at the end of:\n${finished.stdout}\n${finished.stderr}`, { cause });
  }
}

/** The digest of the design that waits at the run's gate. */
export async function digestAt(project: string, run: string): Promise<string> {
  const { stdout } = await tandem(project, ['gates', 'list', '--json']);
  const found = (JSON.parse(stdout) as { run: string; digest: string }[]).find((gate) => gate.run === run);
  if (found === undefined) throw new Error(`${run} waits at no gate: ${stdout}`);
  return found.digest;
}

/** What stands in the spending ledger of a run, line by line. */
export async function spendLines(runDir: string): Promise<{ type: string; call: string }[]> {
  const folder = join(runDir, 'spend');
  // A writer that was killed may have left a temporary file.
  const names = (await readdir(folder)).filter((name) => /^\d|^packed/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => text.trim().split('\n'))
    .filter((line) => line.includes('"type"'))
    .map((line) => JSON.parse(line) as { type: string; call: string });
}
