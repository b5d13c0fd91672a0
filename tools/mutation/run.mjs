/**
 * `npm run mutation [-- --share 0.1 --seed 1] [stryker options]`: breaks the pure rooms line by line and counts the faults that the tests notice.
 * The whole is hours of work for two cores; a share takes that part of the source, in windows of a few lines, chosen by the seed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const WINDOW = 8;
const STRYKER = 'tools/mutation/node_modules/.bin/stryker';
// By its path: it lives in an install of its own. In the configuration, `tsconfigFile: none`: reading one asks for an API that TypeScript 7 lacks.
const RUNNER = `${process.cwd()}/tools/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`;

/** A small generator of numbers in [0, 1) (mulberry32): the same seed breaks the same lines. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function windows(share, seed) {
  const next = numbers(seed);
  const chosen = [];
  for (const file of globSync('src/{transcript,context,context-lab,scenario,run,gate/rules}/**/*.ts').toSorted()) {
    const lines = readFileSync(file, 'utf8').split('\n').length;
    for (let from = 1; from <= lines; from += WINDOW)
      if (next() < share) chosen.push(`${file}:${from}-${Math.min(lines, from + WINDOW - 1)}`);
  }
  return chosen;
}

const { values, tokens } = parseArgs({
  options: { share: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
  strict: false,
  tokens: true,
});
const share = Number(values.share);
if (!(share > 0 && share <= 1))
  throw new Error(`--share ${values.share}: a number above 0 and up to 1, e.g. --share 0.1`);
if (!existsSync(STRYKER)) throw new Error('first: npm ci --prefix tools/mutation --legacy-peer-deps');
const passed = tokens.filter((token) => token.kind === 'option' && !['share', 'seed'].includes(token.name));
const own = passed.flatMap((token) => (token.value === undefined ? [token.rawName] : [token.rawName, token.value]));
const mutate = share === 1 ? [] : ['--mutate', windows(share, Number(values.seed)).join(',')];
const args = ['run', 'tools/mutation/stryker.config.json', '--plugins', RUNNER, ...mutate, ...own];
const run = spawnSync(process.execPath, [STRYKER, ...args], { stdio: 'inherit' });
process.exitCode = run.status ?? 1;
