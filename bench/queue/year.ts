/** A year of runs: a thousand folders that wait, and the processor time of each command and page over them. */
import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bearer } from '../../test/web/client.ts';
import { HOST, openDesk, type Desk } from '../../test/web/desk.ts';
import { median, row, type Row } from './measure.ts';

const FOLDERS = 1_000;
const MOST_MS = { status: 500, page: 500, gates: 1000 };
const run = promisify(execFile);

export async function year(): Promise<Row[]> {
  const desk = await openDesk();
  try {
    const runs = await folders(desk);
    const command = (...args: string[]) => processorMs(desk.root, args);
    const start = await several(() => command('--version'));
    const firstStatus = await command('status');
    const status = await several(() => command('status'));
    const cold = await several(async () => {
      await rm(join(runs, '.index.json'), { force: true });
      return command('gates', 'list');
    });
    const gates = await several(() => command('gates', 'list'));
    const [warm = Number.NaN, first = Number.NaN, later = Number.NaN] = await pages(desk);
    const what = `${FOLDERS} runs that wait`;
    const told = (name: string, ms: number, most?: number) =>
      most === undefined
        ? row(`${what}: ${name}`, `${Math.round(ms)} ms`)
        : row(`${what}: ${name}`, `${Math.round(ms)} ms`, `≤ ${most} ms`, ms <= most);
    return [
      told('the start of the program alone', start),
      told('`tandem status`, the first time ever', firstStatus),
      told('`tandem status`', status, MOST_MS.status),
      told('`tandem gates list`, without its index', cold, MOST_MS.gates),
      told('`tandem gates list`', gates, MOST_MS.gates),
      told('what `tandem serve` reads at its start', warm),
      told('the first page', first, MOST_MS.page),
      told('the first page again', later, MOST_MS.page),
    ];
  } finally {
    await desk.remove();
  }
}

/** Copies of a run whose design waits. Resolves with where they are. */
async function folders(desk: Desk): Promise<string> {
  const { dir } = await desk.waiting('run-0');
  for (let index = 1; index < FOLDERS; index += 1) await cp(dir, resolve(dir, `../run-${index}`), { recursive: true });
  return resolve(dir, '..');
}

/** Of a process of its own, its children included: what else the machine does counts little. */
async function processorMs(project: string, args: readonly string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" > /dev/null';
  const command = [process.execPath, resolve('bin/tandem.js'), ...args];
  const { stderr } = await run('bash', ['-c', script, ...command], { cwd: project, maxBuffer: 2 ** 27 });
  const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return (user + system) * 1000;
}

async function several(measure: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < 5; time += 1) found.push(await measure());
  return median(found);
}

/** What `serve` reads when it starts, and the page after it. */
async function pages(desk: Desk): Promise<number[]> {
  const { app, warm } = desk.review();
  const spent = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const ask = async (): Promise<void> => {
    const answer = await app.request(`http://${HOST}/`, { headers: { host: HOST, ...bearer() } });
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    await answer.text();
  };
  return [await spent(warm), await spent(ask), await several(() => spent(ask))];
}
