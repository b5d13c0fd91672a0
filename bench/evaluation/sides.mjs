// Who does the work: how each side is started as one whole process, and how many samples its results say have passed.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeComponents } from './components.mjs';
import { writePromptfoo } from './peers/promptfoo-config.mjs';

const here = new URL('.', import.meta.url).pathname;
const bin = (name) => join(here, 'node_modules', name);

const LOOP = `const [n, c] = process.argv.slice(1).map(Number); let next = 0; const one = async () => { while (next++ < n) await new Promise((done) => setTimeout(done, 50)); }; await Promise.all(Array.from({ length: c }, one));`;

/**
 * `start` gets a fresh folder in memory; what it writes there is ready before the clock runs. Every process finds SAMPLES,
 * CONCURRENCY and OUT (its results, as JSON) in its environment. Peers write those results and no table or database.
 */
const SIDES = [
  {
    name: 'bare Node loop',
    start: ({ samples, concurrency }) => ({ args: ['--input-type=module', '-e', LOOP, samples, concurrency] }),
  },
  {
    name: 'Tandem',
    start: ({ samples, concurrency }, folder) => {
      // A folder of components holds at most 500 samples; 2000 runs are 500 samples with 4 trials.
      const [each, trials] = samples > 500 ? [500, samples / 500] : [samples, 1];
      return { args: [join(here, 'ours.mjs'), ...ourFolder(folder, each), each, trials, concurrency, 0] };
    },
    passed: ({ passed }) => passed,
  },
  {
    name: 'vitest-evals',
    needs: bin('vitest-evals'),
    start: () => ({ cwd: here, args: [bin('vitest/vitest.mjs'), 'run', '--config', 'peers/vitest.config.mjs'] }),
    passed: ({ numPassedTests }) => numPassedTests,
  },
  {
    name: 'evalite',
    needs: bin('evalite'),
    start: (_, folder) => ({
      cwd: join(here, 'peers/evalite'),
      args: [bin('evalite/dist/bin.js'), 'run', '--threshold', 100, '--outputPath', join(folder, 'out.json')],
    }),
    passed: ({ evals }) => evals.flatMap(({ results }) => results).filter(scoredOnce).length,
  },
  {
    name: 'promptfoo',
    needs: bin('promptfoo'),
    start: ({ samples, concurrency }, folder) => {
      writePromptfoo(folder, samples);
      const quiet = ['--no-cache', '--no-progress-bar', '--no-table', '--no-write'];
      return {
        args: [
          bin('promptfoo/dist/src/entrypoint.js'),
          'eval',
          ...['-c', 'suite.json', '-j', concurrency, '-o', 'out.json'],
          ...quiet,
        ],
        env: {
          // One home for all its runs: only the first of them makes its database.
          PROMPTFOO_CONFIG_DIR: join(folder, '../promptfoo-home'),
          PROMPTFOO_DISABLE_TELEMETRY: 1,
          PROMPTFOO_DISABLE_UPDATE: 1,
        },
      };
    },
    passed: ({ results }) => results.stats.successes,
  },
];

/** Whether `ours.mjs` finds a build. */
export function isBuilt() {
  return existsSync(join(process.env.TANDEM_DIST ?? join(here, '../../dist'), 'evaluation.js'));
}

/** Components that have proved themselves, for `ours.mjs`. */
export function ourFolder(folder, samples) {
  writeComponents(folder, samples);
  execFileSync(process.execPath, [join(here, 'ours.mjs'), folder, samples, 1, 1, 0].map(String));
  return [folder];
}

function scoredOnce({ status, scores }) {
  return status === 'success' && scores.length === 1 && scores[0].score === 1;
}

/** The sides that can run here; a line for each that cannot. */
export function installedSides() {
  return SIDES.filter(({ name, needs }) => {
    if (needs === undefined || existsSync(needs)) return true;
    console.log(`${name} is not installed here and was not measured (npm install in this folder).`);
    return false;
  });
}
