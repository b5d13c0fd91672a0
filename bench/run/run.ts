/** `node bench/run/run.ts [--baseline <dir>] [--times <n>] [--json]`: what one run costs the harness, in two trees. */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from '../queue/measure.ts';
import { countAll, openTimed, sandboxOf, type Timed } from './measure.ts';
import { rowsOf, tableOf } from './rows.ts';
import { openTrees, type Tree } from './tree.ts';

const OPTIONS = { baseline: { type: 'string' }, times: { type: 'string' }, json: { type: 'boolean' } } as const;
const { baseline: given, times = '5', json = false } = parseArgs({ options: OPTIONS }).values;

const trees = openTrees(given);
try {
  const { baseline, now } = trees;
  console.error('counting …');
  const [before, after] = [await countAll(baseline), await countAll(now)];
  const [timeBefore, timeAfter] = await timed([baseline, now], Number(times));
  const rows = rowsOf({ ...before, ...timeBefore }, { ...after, ...timeAfter });
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}, sandbox ${await sandboxOf(now)}`;
  console.log(`${machine}\n\n${tableOf(rows)}`);
  if (json) console.log(JSON.stringify({ machine, rows }));
  process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
} finally {
  trees.close();
}

/** In turn, so that whatever else the machine does hits both; the median of each. */
async function timed(both: readonly Tree[], times: number): Promise<Timed[]> {
  const opened: Awaited<ReturnType<typeof openTimed>>[] = [];
  for (const tree of both) opened.push(await openTimed(tree));
  const found: Timed[][] = both.map(() => []);
  for (let turn = 0; turn < times; turn += 1)
    for (const [place, { run }] of opened.entries()) found[place]?.push(await run());
  for (const { close } of opened) await close();
  const shown = (key: keyof Timed) =>
    found.map((one) => one.map((time) => Math.round(time[key])).join(' ')).join(' against ');
  console.error(`processor time in ms: ${shown('cpu')}; with the same work: ${shown('cpuSameWork')}`);
  const middle = (one: readonly Timed[], key: keyof Timed) => median(one.map((time) => time[key]));
  return found.map((one) => ({ cpu: middle(one, 'cpu'), cpuSameWork: middle(one, 'cpuSameWork') }));
}
