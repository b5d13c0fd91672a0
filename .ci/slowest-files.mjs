// Prints the twenty test files that took longest, over all reports, with how long each took by the clock.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST = 20;

const files = process.argv.slice(2).flatMap((path) =>
  JSON.parse(readFileSync(path, 'utf8')).testResults.map(({ name, startTime, endTime }) => ({
    name: relative(process.cwd(), name),
    seconds: (endTime - startTime) / 1000,
  })),
);
const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, MOST);
for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
