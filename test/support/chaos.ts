/** Three workers in bad weather: they are killed, frozen and stopped, their queue forgets everything, and they are begun anew. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { fold } from '../../src/run/fold.ts';
import type { RunState } from '../../src/run/state.ts';
import { makeChaosScenario, type ChaosSize } from './chaos-scenario.ts';
import { makeProject, start, tandem } from './cli.ts';
import type { PostgresServer, RedisServer } from './servers.ts';

export type Env = Record<string, string>;

/** Small and seeded, so that a failure can be had again. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type Ground = {
  project: string;
  simulator: {
    env: Env;
    answered: () => number;
    /** Resolves in the moment in which so many calls are answered. */
    untilAnswered: (count: number) => Promise<void>;
    stop: () => Promise<void>;
  };
};

/** A project with the scenario, short locks, and the offline model as a process of its own that fails at random. */
export async function makeGround(
  size: ChaosSize,
  faults: readonly { at: number; kind: string }[],
  latencyMs = 25,
): Promise<Ground> {
  const project = await makeProject();
  const scenario = await makeChaosScenario(project, size, faults);
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/chaos.yaml'), PROFILE);
  const portFile = join(project, 'port');
  const child = start(project, [
    'simulate',
    scenario,
    '--port-file',
    portFile,
    '--latency',
    String(latencyMs),
    '--verbose',
  ]);
  let answered = 0;
  const awaited = new Map<number, () => void>();
  if (child.stderr === null) throw new Error('no standard error');
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!isAnswer(line)) return;
    answered += 1;
    awaited.get(answered)?.();
  });
  const untilAnswered = (count: number): Promise<void> =>
    new Promise((resolve) => {
      if (answered >= count) resolve();
      else awaited.set(count, resolve);
    });
  const port = await portIn(portFile);
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'offline' };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await child.done;
  };
  return { project, simulator: { env, answered: () => answered, untilAnswered, stop } };
}

/** A line of `--verbose` about a model call that was answered whole. */
function isAnswer(line: string): boolean {
  return line.includes('"path":"/v1/messages"') && line.includes('"status":200') && !line.includes('"fault"');
}

/** Every wait is short, so that minutes of bad weather fit into one; the ceiling on starts must not end a run here. */
const PROFILE = `version: 1
retry: { call_tries: 8, step_tries: 20, min_delay_ms: 20, max_delay_ms: 200 }
queue: { lock_ms: 2000, stalled_ms: 1000, reconcile_ms: 1000, most_starts: 1000 }
`;

/** About one request in `1 / rate` goes wrong, until `requests` have come. */
export function faultsFor(random: () => number, requests: number, rate: number): { at: number; kind: string }[] {
  const kinds = ['429', '500', '529', 'cut', 'mid_stream'];
  return Array.from({ length: requests }, (_, index) => index + 1)
    .filter(() => random() < rate)
    .map((at) => ({ at, kind: kinds[Math.floor(random() * kinds.length)] ?? '529' }));
}

export type Fleet = {
  disturbances: () => number;
  /** Places in the fleet that played samples, whoever stood there. */
  players: () => number;
  /** What workers said that ended by themselves. */
  crashes: () => readonly string[];
  kill: (index: number) => void;
  /** The event loop stands still, longer than its lock; what was given to disk and network before goes on. */
  block: (index: number) => void;
  /** The whole process stands still; longer than its lock. */
  freeze: (index: number, ms: number) => Promise<void>;
  stop: (index: number) => void;
  end: () => Promise<string>;
};

/** Worker 0 lives a minute ahead of the others, and perhaps another one behind. Whoever ends is begun anew. */
export function startFleet(project: string, env: Env, skewsMs: readonly number[] = [60_000, 0, 0]): Fleet {
  const args = ['worker', '--profile', 'chaos', '--concurrency', '2', '--grace', '1'];
  const blockable = `--import=${join(import.meta.dirname, 'blockable.mjs')}`;
  const skewed = (ms: number): Env => ({
    NODE_OPTIONS: `${blockable} --import=${join(import.meta.dirname, 'skewed-clock.mjs')}`,
    TANDEM_TEST_SKEW_MS: String(ms),
  });
  let ending = false;
  let disturbances = 0;
  const said: string[] = [];
  const players = new Set<number>();
  const crashes: string[] = [];
  const begin = (index: number) => {
    const skewMs = skewsMs[index] ?? 0;
    const child = start(project, args, { ...env, NODE_OPTIONS: blockable, ...(skewMs === 0 ? {} : skewed(skewMs)) });
    void child.done.then(({ code, stderr }) => {
      // Ended by the fleet: no code, or that of a stop. A worker that begins while the server is away says so and ends.
      const isOurs = code === null || code >= 128 || stderr.includes('cannot be reached');
      if (!ending && !isOurs) crashes.push(`worker ${index} ended with ${code}: ${stderr.slice(-800)}`);
      if (stderr.includes('samples of execute.')) players.add(index);
      said.push(`--- worker ${index}\n${stderr.slice(-1500)}`);
      if (!ending) workers[index] = begin(index);
    });
    return child;
  };
  const workers = skewsMs.map((_, index) => begin(index));
  const signal = (index: number, name: NodeJS.Signals): void => {
    disturbances += name === 'SIGCONT' ? 0 : 1;
    workers[index]?.kill(name);
  };
  return {
    disturbances: () => disturbances,
    players: () => players.size,
    crashes: () => crashes,
    kill: (index) => signal(index, 'SIGKILL'),
    block: (index) => signal(index, 'SIGUSR2'),
    freeze: async (index, ms) => {
      const frozen = workers[index];
      signal(index, 'SIGSTOP');
      await delay(ms);
      frozen?.kill('SIGCONT');
    },
    stop: (index) => signal(index, 'SIGTERM'),
    end: async () => {
      ending = true;
      for (const worker of workers) worker.kill('SIGKILL');
      await Promise.all(workers.map((worker) => worker.done));
      return said.slice(-12).join('\n');
    },
  };
}

/** What can happen to the server of the queue; `true`: it has forgotten all. */
export type Weather = Readonly<Record<string, () => Promise<boolean>>>;

/** `awayMs`: how long Redis is away before it comes back empty. */
export function redisWeather(redis: RedisServer, awayMs: number): Weather {
  return {
    flush: async () => {
      await redis.cli('FLUSHALL');
      return true;
    },
    away: async () => {
      await redis.stop('SIGKILL');
      await delay(awayMs);
      await redis.start();
      return true;
    },
  };
}

/** What is committed is never forgotten there. */
export function postgresWeather(postgres: PostgresServer, awayMs: number): Weather {
  const others = `pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  const done = async (work: Promise<unknown>): Promise<boolean> => {
    await work;
    return false;
  };
  return {
    'restart fast': () => done(postgres.restart('fast', awayMs)),
    'restart immediate': () => done(postgres.restart('immediate', awayMs)),
    'all sessions ended': () =>
      done(postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)),
    'all statements cancelled': () =>
      done(postgres.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${others}`)),
    'sessions hang': async () => {
      const rows = await postgres.query(`SELECT pid FROM pg_stat_activity WHERE ${others}`);
      const pids = rows.map((row) => (row as { pid: number }).pid);
      const tell = (signal: NodeJS.Signals): void => {
        for (const pid of pids) {
          try {
            process.kill(pid, signal);
          } catch {
            // It has ended by itself.
          }
        }
      };
      tell('SIGSTOP');
      await delay(Math.max(awayMs, 3_000));
      tell('SIGCONT');
      return false;
    },
  };
}

export type Storm = {
  random: () => number;
  weather: Weather;
  fleet: Fleet;
  everyMs: number;
  /** After so many disturbances the sky clears, so that also a slow machine comes to the end. */
  most: number;
  signal: AbortSignal;
};

/** What can happen to the fleet; faults of the model and the clock that is ahead are there all the time. */
export const DISTURBANCES = ['kill', 'block', 'term', 'freeze'] as const;

/** One disturbance after the other, each kind at least once in the first rounds; resolves with what happened. */
export async function rage({ random, weather, fleet, everyMs, most, signal }: Storm): Promise<{
  server: number;
  forgotten: number;
  seen: Set<string>;
}> {
  let forgotten = 0;
  let server = 0;
  const seen = new Set<string>();
  const [first, ...rest] = Object.keys(weather);
  const kinds = ['kill', ...(first === undefined ? [] : [first]), 'block', ...rest, 'term', 'freeze', 'kill', 'kill'];
  for (let turn = 0; turn < most && !signal.aborted; turn += 1) {
    await delay(everyMs * (0.5 + random()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const kind = (turn < kinds.length ? kinds[turn] : kinds[Math.floor(random() * kinds.length)]) ?? 'kill';
    const victim = Math.floor(random() * 3);
    seen.add(kind);
    if (kind === 'kill') fleet.kill(victim);
    if (kind === 'term') fleet.stop(victim);
    if (kind === 'block') fleet.block(victim);
    if (kind === 'freeze') await fleet.freeze(victim, 3_000 + random() * 2_000);
    const happens = weather[kind];
    if (happens !== undefined) {
      server += 1;
      if (await happens()) forgotten += 1;
    }
  }
  return { server, forgotten, seen };
}

export function storeOf(project: string) {
  return openFileRunStore({
    roots: [join(project, 'scenarios')],
    clock: { now: () => new Date() },
    worker: 'onlooker',
  });
}

export async function stateOfRun(project: string, id: string): Promise<RunState> {
  return fold(await (await storeOf(project).open(id)).journal.read());
}

/** Two people answer each gate in the same moment; resolves with the run's last state when it has ended. */
export async function operate(
  project: string,
  id: string,
  env: Env,
  signal: AbortSignal,
): Promise<{ state: RunState; wins: number[] }> {
  const wins: number[] = [];
  for (;;) {
    signal.throwIfAborted();
    const state = await stateOfRun(project, id);
    if ('verdict' in state) return { state, wins };
    if (state.status === 'awaiting_approval') {
      const { digest, id: gate } = state.gate;
      const ask = (user: string) =>
        tandem(project, ['gates', 'approve', id, '--digest', digest, '--gate', gate, '--accept'], {
          ...env,
          USER: user,
        });
      const answers = await Promise.all(['ada', 'bob'].map(ask));
      wins.push(answers.filter(({ code }) => code === 0).length);
    }
    if (state.status === 'errored' || state.status === 'paused')
      throw new Error(`${id} is ${state.status}: ${JSON.stringify(state.lastFailure ?? state)}`);
    await delay(200, undefined, { signal });
  }
}

/** As `cp -r` of a run that is alive: events first, so that no event speaks of a folder that is not there. */
export async function copyRun(from: string, to: string): Promise<void> {
  await eventually(async () => {
    await cp(join(from, 'events'), join(to, 'events'), { recursive: true, filter: (path) => !path.includes('.tmp-') });
    await cp(from, to, {
      recursive: true,
      force: true,
      filter: (path) => !path.includes('.tmp-') && !path.startsWith(join(from, 'events')),
    });
  });
}

/** A file is there before its content is. */
export function portIn(file: string): Promise<number> {
  return eventually(async () => {
    const port = Number(await readFile(file, 'utf8'));
    if (!(port > 0)) throw new Error(`${file} holds no port yet`);
    return port;
  });
}

export async function eventually<Value>(read: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries > 200) throw error;
      await delay(50);
    }
  }
}
