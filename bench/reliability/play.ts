/** Plays the starter scenario under one fault, through the command line, and goes on without the fault when it stopped. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFaultRelay, type RelayRecord } from '../../test/support/faults/relay.ts';
import { findRow, ModelTable, toPrice } from '../../src/ports/model-table.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { computeCost } from '../../src/ports/model.ts';
import { parse } from 'yaml';

const BIN = resolve('bin/tandem.js');
const SCENARIO = 'starter';
/** Short pauses, and limits that a silent or an endless answer reaches in this life. */
const PROFILE = `version: 1
endpoint: simulated
on_gate: { tty: prompt, no_tty: auto:demo }
retry: { call_tries: 4, step_tries: 2, min_delay_ms: 5, max_delay_ms: 20, timeout_seconds: 5, answer_seconds: 6 }
`;

export type Ended = {
  code: number | null;
  words: string;
  verdict: string | undefined;
  run?: string;
  usd: number;
  uncertainUsd: number;
};

export type Played = {
  kind: string;
  rate: number;
  /** Calls that went wrong, of all. */
  faults: number;
  calls: number;
  first: Ended;
  /** Without the fault: `resume`, or the same command again where nothing was written. */
  then?: { how: string; ended: Ended };
  billUsd: number;
};

/** The project with the starter in it, made once. */
export function makeGround(): string {
  const ground = mkdtempSync(join(tmpdir(), 'tandem-reliability-'));
  mkdirSync(join(ground, 'scenarios'));
  mkdirSync(join(ground, 'config/profiles'), { recursive: true });
  writeFileSync(join(ground, 'config/profiles/hasty.yaml'), PROFILE);
  return ground;
}

export async function play(ground: string, kind: string | undefined, rate: number, seed: number): Promise<Played> {
  const project = mkdtempSync(join(tmpdir(), 'tandem-reliability-run-'));
  cpSync(ground, project, { recursive: true });
  const simulator = await startSimulator({ simulationDir: join(project, 'scenarios', SCENARIO, 'simulation') });
  const faulty = await startFaultRelay({
    upstream: simulator.url,
    faults: kind === undefined ? [] : [{ kind, rate }],
    seed,
  });
  const calm = await startFaultRelay({ upstream: simulator.url, faults: [], seed });
  const options = ['--profile', 'hasty', '--json'];
  try {
    const begin = ['run', SCENARIO, '--id', 'run', ...options];
    const first = await tandem(project, begin, faulty.url);
    const played: Played = {
      ...{ kind: kind ?? 'none', rate, first, billUsd: 0, calls: faulty.records.length },
      faults: faulty.records.filter(({ fault }) => fault !== undefined).length,
    };
    if (first.code !== 0) {
      const resume = ['resume', 'run', ...options];
      const ways =
        first.code === 2
          ? ([['run again', begin]] as const)
          : ([
              ['resume', resume],
              ['resume --discard-last-answer', [...resume, '--discard-last-answer']],
            ] as const);
      for (const [how, args] of ways) {
        played.then = { how, ended: await tandem(project, [...args], calm.url) };
        if (played.then.ended.code === 0) break;
      }
    }
    played.billUsd = [...faulty.records, ...calm.records].reduce((sum, record) => sum + billOf(record), 0);
    return played;
  } finally {
    await Promise.all([faulty.close(), calm.close(), simulator.close()]);
    rmSync(project, { recursive: true, force: true });
  }
}

const TABLE = ModelTable.parse(parse(readFileSync('config/models.yaml', 'utf8')));

/** The server's own count: every answer that it made, whether it arrived or not. */
function billOf({ model = '', usage }: RelayRecord): number {
  const row = findRow(TABLE, model);
  const price = row && toPrice(row);
  if (usage === undefined || price === undefined) return 0;
  const count = (key: string) => Number(usage[key] ?? 0);
  return computeCost(
    {
      input_tokens: count('input_tokens'),
      cache_creation_input_tokens: count('cache_creation_input_tokens'),
      cache_read_input_tokens: count('cache_read_input_tokens'),
      output_tokens: count('output_tokens'),
    },
    price,
  );
}

export async function tandem(cwd: string, args: readonly string[], url?: string): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', USER: 'bench' };
  const address = url === undefined ? {} : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'offline' };
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...env, ...address },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += String(text)));
  child.stderr.on('data', (text) => (err += String(text)));
  // A run that hangs is a row that does not hold, and must not hold up the others.
  const late = setTimeout(() => child.kill('SIGKILL'), 600_000);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  clearTimeout(late);
  return { code, ...read(out), words: wordsOf(err) };
}

function read(out: string): Pick<Ended, 'verdict' | 'run' | 'usd' | 'uncertainUsd'> {
  const last = out.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return { verdict: undefined, usd: 0, uncertainUsd: 0 };
  const json = JSON.parse(last) as Record<string, unknown>;
  if (json['run'] === undefined) return { verdict: undefined, usd: 0, uncertainUsd: 0 };
  const { status, rounds, iterations, successRate, run, costUsd, uncertainUsd = 0 } = json;
  return {
    run: String(run),
    verdict: JSON.stringify([status, rounds, iterations, successRate]),
    usd: Number(costUsd),
    uncertainUsd: Number(uncertainUsd),
  };
}

/** What the screen gives as the reason. */
function wordsOf(err: string): string {
  const lines = err.trim().split('\n');
  const why =
    lines.findLast((line) => /^why\s/.test(line)) ??
    lines.findLast((line) => /^(?:paused|errored|tandem|error): /.test(line)) ??
    lines.at(-1) ??
    '';
  return why.replace(/^(?:why|paused:|errored:|tandem:|error:)\s*/, '');
}
