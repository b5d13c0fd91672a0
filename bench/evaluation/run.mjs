// The evaluation bench: the same work for us and for every peer that is installed here, whole processes, interleaved.
// node run.mjs [rounds]; results as a table, and as JSON in results.json.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeComponents } from './components.mjs';
import { pageLines, writePage } from './page.mjs';
import { writePromptfoo } from './peers/promptfoo-config.mjs';

const here = new URL('.', import.meta.url).pathname;
const rounds = Number(process.argv[2] ?? 3);
// In memory where there is one: what a disk costs on a bad day is none of the sides' doing.
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tandem-bench-run-'));
const bin = (name) => join(here, 'node_modules', name);

const WORK = [
  { name: '1 sample', samples: 1, concurrency: 1 },
  { name: '200 at 10', samples: 200, concurrency: 10 },
  { name: '200 at 50', samples: 200, concurrency: 50 },
  { name: '2000 at 50', samples: 2000, concurrency: 50 },
];

const bare = `const [n, c] = process.argv.slice(1).map(Number); let next = 0; const one = async () => { while (next++ < n) await new Promise((done) => setTimeout(done, 50)); }; await Promise.all(Array.from({ length: c }, one));`;

const SIDES = [
  {
    name: 'bare Node loop',
    command: ({ samples, concurrency }) => [['--input-type=module', '-e', bare, samples, concurrency], {}],
  },
  {
    name: 'Tandem',
    // A folder of components holds at most 500 samples; 2000 runs are 500 samples with 4 trials.
    prepare: ({ samples }) => ourFolder(Math.min(samples, 500)),
    command: ({ samples, concurrency }, dir) => [
      [join(here, 'ours.mjs'), dir, Math.max(1, samples / 500), concurrency, 0],
      {},
    ],
  },
  {
    name: 'vitest-evals',
    needs: bin('vitest-evals'),
    command: ({ samples, concurrency }) => [
      [bin('vitest/vitest.mjs'), 'run', '--config', 'peers/vitest.config.mjs'],
      { SAMPLES: samples, CONCURRENCY: concurrency, OUT: join(scratch, 'vitest.json') },
    ],
  },
  {
    name: 'promptfoo',
    needs: bin('promptfoo'),
    prepare: ({ samples }) => {
      const dir = join(scratch, `promptfoo-${samples}`);
      writePromptfoo(dir, samples);
      return dir;
    },
    command: ({ concurrency }) => [
      [
        bin('promptfoo/dist/src/entrypoint.js'),
        'eval',
        '-c',
        'suite.json',
        '-j',
        concurrency,
        '--no-cache',
        '--no-progress-bar',
        '-o',
        'out.json',
      ],
      {
        PROMPTFOO_CONFIG_DIR: join(scratch, 'promptfoo-home'),
        PROMPTFOO_DISABLE_TELEMETRY: 1,
        PROMPTFOO_DISABLE_UPDATE: 1,
      },
    ],
  },
];

/** A folder of its own for every run: results and traces are written into it. */
function ourFolder(samples) {
  const dir = mkdtempSync(join(scratch, 'tandem-'));
  writeComponents(dir, samples);
  return dir;
}

/**
 * Memory of a process and all that it started, in MiB: what is each one's own, and the pages of files (all sides are node,
 * which they share) once.
 */
function treeMiB(root) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      parents.set(Number(name), [
        Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]),
        Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) + Number(/^RssShmem:\s+(\d+)/m.exec(status)?.[1] ?? 0),
        Number(/^RssFile:\s+(\d+)/m.exec(status)?.[1] ?? 0),
      ]);
    } catch {
      // It ended in between.
    }
  }
  let [own, shared] = [0, 0];
  for (const [pid, [, ownKib, fileKib]] of parents) {
    let at = pid;
    while (at !== root && parents.has(at)) at = parents.get(at)[0];
    if (at !== root) continue;
    own += ownKib;
    shared = Math.max(shared, fileKib);
  }
  return (own + shared) / 1024;
}

function once(side, work) {
  const cwd = side.prepare?.(work) ?? here;
  const [args, env] = side.command(work, cwd);
  const started = performance.now();
  const child = spawn(process.execPath, args.map(String), {
    cwd,
    env: { ...process.env, ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peak = 0;
  let text = '';
  child.stdout.on('data', (part) => (text = (text + part).slice(-4000)));
  child.stderr.on('data', (part) => (text = (text + part).slice(-4000)));
  const watch = setInterval(() => (peak = Math.max(peak, treeMiB(child.pid))), 50);
  const stop = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return new Promise((done) =>
    child.on('close', (code) => {
      clearInterval(watch);
      clearTimeout(stop);
      done({ seconds: (performance.now() - started) / 1000, peak, code, text });
    }),
  );
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const sides = SIDES.filter(({ needs }) => needs === undefined || existsSync(needs));
for (const { name } of SIDES.filter((side) => !sides.includes(side)))
  console.log(`${name} is not installed here and was not measured (npm install in this folder).`);
const table = {};
try {
  for (const work of WORK) {
    const found = Object.fromEntries(sides.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sides) {
        const run = await once(side, work);
        if (run.code !== 0) {
          console.log(`${side.name}, ${work.name}: exit ${run.code}: ${run.text.slice(-400)}`);
          continue;
        }
        found[side.name].push(run);
      }
    }
    for (const [name, runs] of Object.entries(found)) {
      if (runs.length === 0) continue;
      table[name] ??= {};
      table[name][work.name] = {
        seconds: Number(median(runs.map((run) => run.seconds)).toFixed(2)),
        treeMiB: Math.round(median(runs.map((run) => run.peak))),
      };
    }
    console.log(
      work.name,
      Object.entries(table)
        .map(([name, row]) => `${name} ${row[work.name]?.seconds ?? '-'} s ${row[work.name]?.treeMiB ?? '-'} MiB`)
        .join(' · '),
    );
  }
} catch (error) {
  rmSync(scratch, { recursive: true, force: true });
  throw error;
}

/** The last line that a process prints, as JSON; undefined when it fails. */
function ask(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (part) => (text += part));
    child.on('close', (code) => done(code === 0 ? JSON.parse(text.trim().split('\n').at(-1)) : undefined));
  });
}

const sandbox = await ask([join(here, 'sandbox-cost.mjs')]);
const withAnswers = (samples, trials, kilobytes) =>
  ask([join(here, 'ours.mjs'), ourFolder(samples), String(trials), '10', String(kilobytes)]);
const traces = {
  few: await withAnswers(200, 1, 190),
  many: await withAnswers(400, 2, 190),
  small: await withAnswers(200, 1, 0),
};
const recordings = join(here, '../../../shared/data/tau');
let rejudged;
if (existsSync(recordings)) {
  const files = readdirSync(recordings)
    .filter((name) => name.endsWith('.gz'))
    .map((name) => join(recordings, name));
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const { total, agreed } = await ask([join(here, '../../bin/tandem.js'), 'rejudge', '--json', ...files]);
    times.push((performance.now() - started) / 1000);
    rejudged = { total, agreed };
  }
  rejudged.seconds = Number(median(times).toFixed(2));
}

rmSync(scratch, { recursive: true, force: true });
const found = {
  node: process.version,
  cores: availableParallelism(),
  load: Number(loadavg()[0].toFixed(1)),
  rounds,
  table,
  sandbox,
  traces,
  rejudged,
};
writeFileSync(join(here, 'results.json'), `${JSON.stringify(found, null, 2)}\n`);
const lines = pageLines(found, WORK);
writePage(lines);
console.log(lines.join('\n'));
