// The last line of `npm start -- --json` must say that the whole story happened.
import { readFileSync } from 'node:fs';

const last = readFileSync(process.argv[2], 'utf8').trim().split('\n').at(-1);
const result = JSON.parse(last);
console.log(last);
const wanted = {
  'status is succeeded': result.status === 'succeeded',
  'two rounds': result.rounds === 2,
  'at least three iterations': result.iterations >= 3,
  'both agents were compacted': result.compactions.init >= 1 && result.compactions.execute >= 1,
  'the target is met': result.successRate >= 0.85 && result.successRate >= result.target,
  'it says that the model is simulated': result.simulated === true,
  'it took under a minute': result.durationMs < 60_000,
};
const failed = Object.keys(wanted).filter((name) => !wanted[name]);
if (failed.length > 0) {
  console.error(`The story failed: ${failed.join('; ')}`);
  process.exit(1);
}
