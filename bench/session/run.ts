/** `node bench/session/run.ts [--turns 200] [--json]`: how long a person waits for the first word beyond the bare SDK, and what a long session holds in memory. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { openTerminal, type Terminal } from '../../test/support/terminal.ts';
import { median } from '../queue/measure.ts';

const OPTIONS = { turns: { type: 'string' }, json: { type: 'boolean' }, package: { type: 'string' } } as const;
const { turns: given = '200', json = false, package: installed = '.' } = parseArgs({ options: OPTIONS }).values;
const TURNS = Number(given);
const MOST_MS = 30;
const MOST_MB = 150;
/** Turns that are not counted: modules are loaded, connections are opened. */
const WARM = 5;

const project = await mkdtemp(join(tmpdir(), 'tandem-bench-session-'));
const simulator = await startSimulator({ simulationDir: resolve('agents/session/simulation') });
try {
  const env = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'bench' };
  const tandem = await openTerminal(['session', '--budget', '500'], {
    cwd: project,
    columns: 120,
    env,
    program: resolve(installed, 'bin/tandem.js'),
  });
  const bare = await openTerminal([], { cwd: project, columns: 120, env, program: resolve('bench/session/bare.ts') });
  const found = { tandem: [] as number[], bare: [] as number[] };
  await tandem.shows('> ');
  await bare.shows('> ');
  for (let turn = 1; turn <= TURNS; turn += 1) {
    // In turn, so that whatever else the machine does hits both.
    const ms = [await firstWord(tandem, turn), await firstWord(bare, turn)] as const;
    if (turn % 20 === 1)
      console.error(`turn ${turn}: ${round(memoryOf(tandem.pid))} MB, bare ${round(memoryOf(bare.pid))} MB`);
    if (turn <= WARM) continue;
    found.tandem.push(ms[0]);
    found.bare.push(ms[1]);
  }
  const [over, first] = [found.tandem.map((ms, place) => ms - (found.bare[place] ?? 0)), found.tandem.slice(0, 20)];
  const rss = memoryOf(tandem.pid);
  const result = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`,
    turns: TURNS,
    tandemMs: round(median(found.tandem)),
    bareMs: round(median(found.bare)),
    overMs: round(median(over)),
    overMsOfFirst20: round(median(first.map((ms, place) => ms - (found.bare[place] ?? 0)))),
    overMsOfLast20: round(median(over.slice(-20))),
    memoryMb: round(rss),
  };
  tandem.send('/quit\r');
  await tandem.ended;
  await bare.kill();
  console.log(json ? JSON.stringify(result) : tableOf(result));
  process.exitCode = result.overMs <= MOST_MS && result.memoryMb <= MOST_MB ? 0 : 1;
} finally {
  await simulator.close();
  await rm(project, { recursive: true, force: true });
}

/** From the Enter key to the first word of the answer on the terminal. */
async function firstWord(at: Terminal, turn: number): Promise<number> {
  at.send(`Message number ${turn}`);
  await at.shows(`Message number ${turn}`);
  const begun = performance.now();
  at.send('\r');
  await at.shows('This is the');
  const ms = performance.now() - begun;
  await at.shows('> ');
  return ms;
}

/** Megabytes in use, as the system counts them. */
function memoryOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()) / 1024;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function tableOf({ machine, ...rest }: { machine: string } & Record<string, number | string>): string {
  return [machine, '', ...Object.entries(rest).map(([name, value]) => `${name.padEnd(18)}${value}`)].join('\n');
}
