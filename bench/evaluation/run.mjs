// The evaluation bench: the same work for us and for every peer that is installed here, whole processes, interleaved.
// npm run build && node run.mjs [rounds]; results as a table, and as JSON in results.json.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.mjs';
import { ownNumbers } from './own-numbers.mjs';
import { pageLines, writePage } from './page.mjs';
import { runOnce } from './run-once.mjs';
import { installedSides, isBuilt } from './sides.mjs';

const WORK = [
  { name: '1 sample', samples: 1, concurrency: 1 },
  { name: '200 at 10', samples: 200, concurrency: 10 },
  { name: '200 at 50', samples: 200, concurrency: 50 },
  { name: '2000 at 50', samples: 2000, concurrency: 50 },
];

const given = process.argv.slice(2);
const rounds = Number(given[0] ?? 3);
if (given.length > 1 || !Number.isInteger(rounds) || rounds < 1)
  refuse(`"${given.join(' ')}" is no number of rounds: node run.mjs [rounds], such as node run.mjs 5`);
// What people install is built; from source every start compiles more, and no target is about that.
if (!isBuilt()) refuse('there is no build to measure: npm run build first, or name one with TANDEM_DIST');

function refuse(why) {
  console.error(why);
  process.exit(2);
}

// In memory where there is one: what a disk costs on a bad day is none of the sides' doing.
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tandem-bench-run-'));

/** Round by round, so that what the machine does meanwhile happens to every side. */
async function compare(work, sides, table) {
  const runs = new Map(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) {
      const timed = await runOnce(side, work, scratch, false);
      const watched = await runOnce(side, work, scratch, true);
      const fault = timed.fault ?? watched.fault;
      if (fault === undefined) runs.get(side.name).push({ seconds: timed.seconds, peakMiB: watched.peakMiB });
      else console.log(`${side.name}, ${work.name}: ${fault}`);
    }
  }
  for (const [name, counted] of runs) {
    if (counted.length === 0) continue;
    table[name] ??= {};
    table[name][work.name] = {
      seconds: Number(median(counted.map(({ seconds }) => seconds)).toFixed(3)),
      treeMiB: Math.round(median(counted.map(({ peakMiB }) => peakMiB))),
    };
  }
  const rows = Object.entries(table).map(([name, row]) => [name, row[work.name] ?? { seconds: '-', treeMiB: '-' }]);
  console.log(work.name, rows.map(([name, one]) => `${name} ${one.seconds} s ${one.treeMiB} MiB`).join(' · '));
}

try {
  const table = {};
  const sides = installedSides();
  for (const work of WORK) await compare(work, sides, table);
  const found = {
    node: process.version,
    cores: availableParallelism(),
    rounds,
    table,
    ...(await ownNumbers(rounds, scratch)),
    load: Number(loadavg()[0].toFixed(1)),
  };
  writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(found, null, 2)}\n`);
  const lines = pageLines(found, WORK);
  writePage(lines);
  console.log(lines.join('\n'));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
