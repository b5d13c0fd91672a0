/** `node bench/reliability/run.ts [--only <kind,…>] [--parallel <n>] [--out <file>]`: the starter scenario under every kind of fault. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULT_KINDS } from '../../test/support/faults/choose-fault.ts';
import { makeGround, play, tandem } from './play.ts';
import { rowOf, tableOf, type Row } from './table.ts';

const OPTIONS = { only: { type: 'string' }, parallel: { type: 'string' }, out: { type: 'string' } } as const;
const { only, parallel = '2', out } = parseArgs({ options: OPTIONS }).values;
const RATES = [0.2, 1];
const SEED = 20_261_122;

const ground = makeGround();
try {
  await tandem(ground, ['init', 'starter']);
  const calm = await play(ground, undefined, 1, SEED);
  if (calm.first.code !== 0) throw new Error(`The undisturbed run ended with ${calm.first.code}: ${calm.first.words}`);
  console.error(
    `undisturbed: ${calm.first.verdict}, ${calm.calls} calls, bill ${calm.billUsd.toFixed(4)}, ledger ${calm.first.usd.toFixed(4)}`,
  );
  const kinds = only === undefined ? FAULT_KINDS : only.split(',');
  const waiting = kinds.flatMap((kind) => RATES.map((rate) => ({ kind, rate })));
  const rows: Row[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const row = rowOf(await play(ground, next.kind, next.rate, SEED), calm);
      rows.push(row);
      console.error(
        `${row.holds ? 'ok ' : 'NOT'} ${row.kind} ${row.rate}: ${row.outcome} | ${row.money} | ${row.words.slice(0, 160)}`,
      );
      if (out !== undefined) appendFileSync(`${out}.lines`, `${JSON.stringify(row)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(parallel) }, work));
  rows.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const held = rows.filter(({ holds }) => holds).length;
  console.log(`${held} of ${rows.length} rows hold.\n\n${tableOf(rows)}`);
  if (out !== undefined) writeFileSync(out, `${tableOf(rows)}\n`);
  process.exitCode = held === rows.length ? 0 : 1;
} finally {
  rmSync(ground, { recursive: true, force: true });
}
