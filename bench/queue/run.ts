/** `node bench/queue/run.ts [throughput|gates|steps|runs|samples|year|store …]`: the numbers of docs/internals/performance.md, measured on this machine. */
import { cpus, totalmem } from 'node:os';
import { gates } from './gates.ts';
import { table, type Row } from './measure.ts';
import { runs } from './runs.ts';
import { samples } from './samples.ts';
import { steps } from './steps.ts';
import { store } from './store.ts';
import { throughput } from './throughput.ts';
import { year } from './year.ts';

const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = { throughput, gates, steps, runs, samples, year, store };

const asked = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, part] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`measuring ${name} …`);
  rows.push(...(await part()));
}
console.log(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}\n`,
);
console.log(table(rows));
process.exit(rows.some(({ met }) => met === false) ? 1 : 0);
