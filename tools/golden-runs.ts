/**
 * Makes the golden runs of a release: `npx node tools/golden-runs.ts <name> [checkout]` writes `test/golden-runs/<name>.tar.br`.
 * With the name of a shipped scenario after the checkout, the archive holds that scenario as it was, and its runs in fewer
 * states: `test/golden-runs/shipped/<name>.tar.br`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { edit, prepareScenario, SCENARIO, type GoldenState } from '../test/golden-runs/golden-project.ts';

const [name = '', checkout = '.', shipped] = process.argv.slice(2);
const scenario = shipped ?? SCENARIO;
const bin = resolve(checkout, 'bin/tandem.js');
const project = mkdtempSync(join(tmpdir(), 'golden-'));
const runs = join(project, 'scenarios', scenario, 'runs');

const env = { ...process.env, USER: 'ada', ANTHROPIC_API_KEY: '' };

function tandem(...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: project, env, encoding: 'utf8' });
  process.stderr.write(`${args.join(' ')}\n${stderr.trim().split('\n').at(-1) ?? ''}\n`);
  return stdout;
}

const run = (id: GoldenState, onGate = 'auto:demo') =>
  tandem('run', scenario, '--profile', 'demo', '--on-gate', onGate, '--id', id);

/** Kills the run and its simulator as soon as its ledger holds so many files. */
async function killed(id: GoldenState, files: number): Promise<void> {
  const args = [bin, 'run', scenario, '--profile', 'demo', '--on-gate', 'auto:demo', '--id', id];
  const child = spawn(process.execPath, args, { cwd: project, env, detached: true, stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('the run did not begin');
  const ended = new Promise((settle) => child.once('exit', settle));
  const spend = join(runs, id, 'spend');
  const look = setInterval(() => {
    if (countIn(spend) >= files) process.kill(-pid, 'SIGKILL');
  }, 1);
  await ended.finally(() => clearInterval(look));
}

function countIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

async function makeStarterRuns(): Promise<void> {
  tandem('init', SCENARIO);
  await prepareScenario(project);
  run('finished');
  run('waiting-r1', 'exit');
  run('waiting-r2', 'exit');
  const gates = JSON.parse(tandem('gates', 'list', '--json')) as { run: string; digest: string }[];
  const digest = gates.find((gate) => gate.run === 'waiting-r2')?.digest ?? '';
  tandem('gates', 'request-changes', 'waiting-r2', '--digest', digest, '--comment', 'R1 needs a clearer title.');
  tandem('resume', 'waiting-r2', '--on-gate', 'exit');
  await killed('mid-design', 4);
  await killed('mid-iteration', 16);
  await edit(project, 'simulation/execute.yaml', (text) => text.replaceAll('<iteration_context', '<no_such_context'));
  run('errored');
  await edit(project, 'simulation/execute.yaml', (text) => text.replaceAll('<no_such_context', '<iteration_context'));
  await edit(project, 'scenario.yaml', (text) => text.replace(/^budget_usd: .*$/m, 'budget_usd: 0.385'));
  run('paused');
}

async function makeShippedRuns(): Promise<void> {
  cpSync(join(resolve(checkout), 'scenarios', scenario), join(project, 'scenarios', scenario), { recursive: true });
  run('finished');
  run('waiting-r1', 'exit');
  await killed('mid-design', 8);
  await killed('mid-iteration', 120);
}

mkdirSync(join(project, 'scenarios'));
await (shipped === undefined ? makeStarterRuns() : makeShippedRuns());

const status = tandem('status');
process.stdout.write(status);
const tar = execFileSync('tar', ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '-cf', '-', '.'], {
  cwd: shipped === undefined ? runs : join(project, 'scenarios'),
  maxBuffer: 1e9,
});
// A window over all runs: most of their files are the same.
const packed = brotliCompressSync(tar, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
const folder = resolve(import.meta.dirname, '../test/golden-runs', shipped === undefined ? '' : 'shipped');
mkdirSync(folder, { recursive: true });
const out = join(folder, `${name}.tar.br`);
writeFileSync(out, packed);
process.stdout.write(`${out}: ${Math.round(packed.length / 1024)} KB\n${project}\n`);
