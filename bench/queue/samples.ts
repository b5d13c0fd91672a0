/** One run of many samples, shared by three workers against one, when the subject is what takes the time. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually, portIn, stateOfRun } from '../../test/support/chaos.ts';
import { makeChaosScenario } from '../../test/support/chaos-scenario.ts';
import { makeProject, start, tandem } from '../../test/support/cli.ts';
import { startRedis } from '../../test/support/servers.ts';
import { row, type Row } from './measure.ts';

const SAMPLES = 200;
const LATENCY_MS = 400;
/** Places for samples in each worker. */
const AT_ONCE = 10;
/** Answers of the subject for one sample, one after the other. */
const CALLS_EACH = 3;

export async function samples(): Promise<Row[]> {
  const ideal = (workers: number): number => (SAMPLES / (AT_ONCE * workers)) * CALLS_EACH * LATENCY_MS;
  const size = { samples: SAMPLES, latencyMs: LATENCY_MS };
  const { ms: one } = await sharedBy({ ...size, workers: 1 });
  const { ms: three } = await sharedBy({ ...size, workers: 3 });
  const ratio = one / three;
  const shown = (ms: number, workers: number): string =>
    `${(ms / 1000).toFixed(1)} s, ideal ${(ideal(workers) / 1000).toFixed(1)} s`;
  return [
    row(`${SAMPLES} samples of ${CALLS_EACH} × ${LATENCY_MS} ms, one worker with ${AT_ONCE} places`, shown(one, 1)),
    row(`the same, three workers`, `${shown(three, 3)}; ${ratio.toFixed(2)} × one`, '≥ 2.5 × one', ratio >= 2.5),
  ];
}

export type Shared = {
  /** From the beginning of the evaluation to its last sample, as the worker tells that holds it. */
  ms: number;
  /** Processor milliseconds in that time: of all workers with their children, and of Redis. */
  workersMs: number;
  redisMs: number;
  /** Commands that Redis was given, and bytes to and from it. */
  commands: number;
  bytes: number;
  /** Processor milliseconds of everybody else on this machine. */
  othersMs: number;
};

export async function sharedBy(size: { workers: number; samples: number; latencyMs: number }): Promise<Shared> {
  const redis = await startRedis();
  const project = await makeProject();
  const name = await makeChaosScenario(project, { rounds: 1, iterations: 1, samples: size.samples });
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  const profile = `version: 1\nsamples_in_parallel: ${AT_ONCE}\nqueue: { reconcile_ms: 1000 }\n`;
  await writeFile(join(project, 'config/profiles/bench.yaml'), profile);
  const portFile = join(project, 'port');
  const simulate = ['simulate', name, '--port-file', portFile, '--latency', String(size.latencyMs)];
  const simulator = start(project, simulate);
  const port = await portIn(portFile);
  const env = { TANDEM_QUEUE: redis.url, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'offline' };
  const args = ['worker', '--profile', 'bench', '--grace', '0', '--json'];
  const fleet = Array.from({ length: size.workers }, () => start(project, args, env));
  const spent = async (): Promise<Shared> => {
    const info = await redis.cli('INFO');
    const of = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
    const workersMs = fleet.reduce((sum, { pid = 0 }) => sum + processorMs(pid), 0);
    const redisMs = 1000 * (of('used_cpu_sys') + of('used_cpu_user'));
    return {
      ms: performance.now(),
      workersMs,
      redisMs,
      othersMs: busyMs() - workersMs - redisMs - processorMs(simulator.pid ?? 0),
      commands: of('total_commands_processed'),
      bytes: of('total_net_input_bytes') + of('total_net_output_bytes'),
    };
  };
  const took = Promise.withResolvers<[Promise<Shared>, Promise<Shared>]>();
  for (const { stdout } of fleet) {
    if (stdout === null) throw new Error('no standard output');
    let from: Promise<Shared> | undefined;
    createInterface({ input: stdout }).on('line', (line) => {
      const event = JSON.parse(line) as { type: string; phase?: string; done?: number; total?: number };
      if (event.type === 'phase' && event.phase === 'evaluate') from = spent();
      if (event.type === 'sample' && event.done === event.total && from !== undefined) took.resolve([from, spent()]);
    });
  }
  await tandem(project, ['run', name, '--detach', '--id', 'shared', '--profile', 'bench'], env);
  const digest = await eventually(async () => {
    const state = await stateOfRun(project, 'shared');
    if (state.status !== 'awaiting_approval') throw new Error(`the run is ${state.status}`);
    return state.gate.digest;
  });
  await tandem(project, ['gates', 'approve', 'shared', '--digest', digest, '--accept'], env);
  const [before, after] = await Promise.all(await took.promise);
  for (const worker of fleet) worker.kill('SIGTERM');
  await Promise.all(fleet.map((worker) => worker.done));
  simulator.kill('SIGTERM');
  await simulator.done;
  await redis.stop();
  const names = ['ms', 'workersMs', 'redisMs', 'commands', 'bytes', 'othersMs'] as const;
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as Shared;
}

/** Of all cores since the machine was started, whatever they did. */
function busyMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return 10 * (user + nice + system + irq + soft + steal);
}

/** Processor time of a process and all below it; Linux counts in hundredths of a second. */
export function processorMs(root: number): number {
  const all = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? [statOf(Number(pid))] : []));
  const ofTree = (pid: number): number =>
    all.reduce(
      (sum, one) => sum + (one.parent === pid ? ofTree(one.pid) : 0),
      all.find((one) => one.pid === pid)?.ms ?? 0,
    );
  return ofTree(root);
}

export function statOf(pid: number): { pid: number; parent: number; ms: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { pid, parent: Number(fields[1]), ms: ticks * 10 };
  } catch {
    // It has ended meanwhile; its parent has its time.
    return { pid, parent: 0, ms: 0 };
  }
}
