/** Loaded before the harness: notes what it reads and hashes, how often its functions run, and how long. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';

/** `what` is a path in the project, the number of the hashed event, or who copied how many elements of a map. */
export type Operation = { kind: 'read' | 'list' | 'hash' | 'copy'; what: string; at: number };
/** `blocks`: how often the branches and loop bodies of a function ran, all together. */
type Script = { file: string; functions: { name: string; calls: number; blocks: number }[] };
/** What is noted of one process; its time is that of the threads that work for the harness. */
export type Noted = { cpuMs: number; operations: Operation[]; scripts: Script[] };

const { BENCH_OUT: out = '', BENCH_PROJECT: project = '', BENCH_SOURCES: sources = '' } = process.env;
const counts = process.env['BENCH_COUNT'] !== undefined;
const operations: Operation[] = [];
const note = (kind: Operation['kind'], what: string) => void operations.push({ kind, what, at: Date.now() });

type Functions = Record<string, (...given: unknown[]) => unknown>;

/** `does` sees the arguments of each call before it is made. */
function watch(holder: object, name: string, does: (given: unknown[]) => void): void {
  const functions = holder as Functions;
  const original = functions[name];
  functions[name] = function watched(this: unknown, ...given) {
    does(given);
    return original?.apply(this, given);
  };
}

const READS = ['readFile', 'readFileSync', 'open', 'openSync'];
const LISTS = ['readdir', 'readdirSync', 'opendir', 'opendirSync'];

function watchFiles(): void {
  const look = (name: string, [path, flags]: unknown[]) => {
    const below = typeof path === 'string' ? relative(project, path) : '..';
    const writes = name.startsWith('open') && typeof flags === 'string' && flags !== 'r';
    if (!below.startsWith('..') && !writes) note(LISTS.includes(name) ? 'list' : 'read', below);
  };
  for (const holder of [fs, fs.promises])
    for (const name of [...READS, ...LISTS]) if (name in holder) watch(holder, name, (given) => look(name, given));
}

/** What is hashed of an event is fixed by the files of old runs, whichever function does it. */
const EVENT = /^\{"actor":.*"prev":"[0-9a-f]*","seq":(\d+),"ts":"[^"]*"\}$/s;

function watchHashes(): void {
  const look = (text: unknown) => {
    const seq = typeof text === 'string' ? EVENT.exec(text)?.[1] : undefined;
    if (seq !== undefined) note('hash', seq);
  };
  watch(crypto.Hash.prototype, 'update', ([text]) => look(text));
  watch(crypto, 'hash', ([, text]) => look(text));
}

/** Whoever copies a map element by element does so in native code, where no coverage looks. */
function watchCopies(): void {
  globalThis.Map = new Proxy(Map, {
    construct(target, given: [], made) {
      const [from] = given as unknown[];
      if (from instanceof Map && from.size > 0) {
        const caller = /\/src\/(\S+?):\d/.exec(new Error('for its stack').stack ?? '')?.[1];
        note('copy', `${caller ?? ''} ${from.size}`);
      }
      return Reflect.construct(target, given, made) as object;
    },
  });
}

const session = new Session();
function coverage(): Script[] {
  let found: Profiler.ScriptCoverage[] = [];
  if (counts) session.post('Profiler.takePreciseCoverage', (_error, { result }) => void (found = result));
  const ours = found.filter(({ url }) => url.startsWith(sources));
  return ours.map(({ url, functions }) => ({ file: url.slice(sources.length), functions: functions.map(countsOf) }));
}

function countsOf({ functionName: name, ranges: [whole, ...parts] }: Profiler.FunctionCoverage) {
  return { name, calls: whole?.count ?? 0, blocks: parts.reduce((sum, { count }) => sum + count, 0) };
}

/** Threads that work for the harness alone; the sandbox has worker threads, and V8's helpers work for both. */
const OURS = new Set(['MainThread', 'libuv-worker']);

/** Only Linux tells how long each thread ran; elsewhere the whole process counts. */
function processorMs(): number {
  const tasks = '/proc/self/task';
  const { user, system } = process.cpuUsage();
  if (!fs.existsSync(tasks)) return (user + system) / 1000;
  const ours = fs.readdirSync(tasks).map((task) => {
    try {
      const [name, times] = ['comm', 'schedstat'].map((file) => fs.readFileSync(`${tasks}/${task}/${file}`, 'utf8'));
      return OURS.has(name?.trim() ?? '') ? Number(times?.split(' ')[0]) / 1e6 : 0;
    } catch {
      // It ended while we looked, and so was none of ours.
      return 0;
    }
  });
  return ours.reduce((sum, ms) => sum + ms, 0);
}

if (counts) {
  watchFiles();
  watchHashes();
  watchCopies();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  syncBuiltinESMExports();
}
process.on('exit', () => {
  const noted: Noted = { cpuMs: processorMs(), operations, scripts: coverage() };
  fs.writeFileSync(out, JSON.stringify(noted));
});
