/** A checkout to measure, projects for it to work in, and its commands as processes that are watched. */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Noted } from './preload.ts';

const HERE = resolve(import.meta.dirname, '../..');
/** The last commit before the harness was taught to read once and hand on. */
const BASELINE = '1809be9';
const SCENARIO = 'scenarios/refund-desk';
/** As `demo`, with so much room that nothing is ever compacted. */
export const ROOMY = 'roomy';
/** As `demo`, without the work that the baseline did not do. */
export const SAME_WORK = 'same-work';
/** Keys of the configuration that switch that work off: strength of proofs, second judgements, bytes of each call of a trial. */
const NEWER_WORK = 'strength: { seconds: 0 }\njudge_again: 0\nrecord_calls: false\n';

export type Tree = { name: string; dir: string };
export type Ended = { what: string; code: number; out: string; noted: Noted };
export type Watched = { child: ChildProcessByStdio<null, Readable, Readable>; ended: Promise<Ended> };
type Env = Record<string, string>;
export type Start = { tree: Tree; project: string; args: readonly string[]; count: boolean; env?: Env };

export const scratch = mkdtempSync(join(tmpdir(), 'tandem-bench-run-'));
let made = 0;
const fresh = (name: string) => join(scratch, `${name}-${(made += 1)}`);

/** Without a folder: the baseline's commit in a worktree of its own, with the libraries of this checkout. */
export function openTrees(given: string | undefined): { now: Tree; baseline: Tree; close: () => void } {
  const now = { name: 'now', dir: HERE };
  const git = (...args: string[]) => spawnSync('git', ['-C', HERE, 'worktree', ...args], { encoding: 'utf8' });
  const dir = given === undefined ? fresh('baseline') : resolve(given);
  if (given === undefined) {
    const { status, stderr } = git('add', '--detach', dir, BASELINE);
    if (status !== 0) throw new Error(`No worktree of ${BASELINE}: ${stderr} Give its folder with --baseline <dir>.`);
    symlinkSync(join(HERE, 'node_modules'), join(dir, 'node_modules'));
  }
  if (!existsSync(join(dir, 'bin/tandem.js'))) throw new Error(`${dir} is no checkout of Tandem.`);
  const close = () => {
    if (given === undefined) git('remove', '--force', dir);
    rmSync(scratch, { recursive: true, force: true });
  };
  return { now, baseline: { name: 'baseline', dir }, close };
}

export function copyProject(project: string): string {
  const copy = fresh('project');
  cpSync(project, copy, { recursive: true });
  return copy;
}

/** A project with the shipped scenario of that tree and no runs. */
export function newProject({ dir, name }: Tree): string {
  const project = fresh('project');
  const runs = join(dir, SCENARIO, 'runs');
  cpSync(join(dir, SCENARIO), join(project, SCENARIO), { recursive: true, filter: (path) => path !== runs });
  mkdirSync(join(project, 'config/profiles'), { recursive: true });
  const demo = readFileSync(join(dir, 'config/profiles/demo.yaml'), 'utf8');
  writeFileSync(join(project, `config/profiles/${ROOMY}.yaml`), demo.replaceAll(/tokens: \d+/g, 'tokens: 150000'));
  // The baseline refuses keys that it does not know.
  writeFileSync(join(project, `config/profiles/${SAME_WORK}.yaml`), demo + (name === 'now' ? NEWER_WORK : ''));
  return project;
}

/** What is kept between two starts is the tree's own; nothing of the caller's settings gets in. */
export function start({ tree, project, args, count, env = {} }: Start): Watched {
  const noted = `${fresh('noted')}.json`;
  const own = Object.entries(process.env).filter(([name]) => !/^(TANDEM|ANTHROPIC|NODE|OTEL)_/.test(name));
  const watching = {
    BENCH_OUT: noted,
    BENCH_PROJECT: project,
    BENCH_SOURCES: `${pathToFileURL(tree.dir).href}/src/`,
    XDG_CACHE_HOME: join(scratch, `cache-${tree.name}`),
    // Functions that come out of the cache are counted less exactly.
    ...(count ? { BENCH_COUNT: '1', NODE_DISABLE_COMPILE_CACHE: '1' } : {}),
  };
  const preload = join(import.meta.dirname, 'preload.ts');
  const child = spawn(process.execPath, ['--import', preload, join(tree.dir, 'bin/tandem.js'), ...args], {
    cwd: project,
    env: { ...Object.fromEntries(own), ...watching, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err = `${err}${chunk.toString()}`.slice(-4000)));
  const what = `${tree.name}: tandem ${args.join(' ')}`;
  const ended = once(child, 'close').then(([code]): Ended => {
    if (!existsSync(noted)) throw new Error(`${what} noted nothing: ${err}`);
    return { what, code: Number(code), out: out || err, noted: JSON.parse(readFileSync(noted, 'utf8')) as Noted };
  });
  return { child, ended };
}

/** Runs to the end. Contract: throws for any exit code but this one. */
export async function finish(asked: Start, expected = 0): Promise<Ended> {
  const ended = await start(asked).ended;
  return ended.code === expected ? ended : refuseEnd(ended);
}

export function refuseEnd({ what, code, out }: Ended): never {
  throw new Error(`${what} ended with ${code}: ${out}`);
}

/** The last line of what was printed, once there is one. */
export function lastJson<T>(out: string): T {
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as T;
}
