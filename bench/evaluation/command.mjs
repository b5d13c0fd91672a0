// `tandem evaluate` on an endpoint that waits 50 ms, beside vitest-evals on the same one: by the clock and by processor time.
// npm run build && node command.mjs [rounds]; prints a table, and keeps nothing.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeComponents } from './components.mjs';
import { median } from './median.mjs';
import { isBuilt } from './sides.mjs';

const here = import.meta.dirname;
const AT_ONCE = 50;
const vitest = join(here, 'node_modules/vitest/vitest.mjs');
const rounds = Number(process.argv[2] ?? 3);
if (!isBuilt()) throw new Error('there is no build to measure: npm run build first');
if (!existsSync(vitest)) throw new Error('vitest-evals is not installed here: npm install in this folder');

let [now, most] = [0, 0];
const server = createServer((request, response) => {
  most = Math.max(most, (now += 1));
  request.resume();
  setTimeout(() => {
    now -= 1;
    response.end('{"say":"yes","done":true}');
  }, 50);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${server.address().port}/turn`;
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tandem-bench-command-'));
const compiled = { NODE_COMPILE_CACHE: join(scratch, 'compiled'), XDG_CACHE_HOME: join(scratch, 'cache') };
// What people install is built: without sources beside it, the program takes its build.
const program = join(scratch, 'package');
for (const part of ['bin', 'dist', 'config', 'prompts', 'agents', 'templates', 'schemas', 'package.json'])
  cpSync(join(here, '../..', part), join(program, part), { recursive: true });
spawn('ln', ['-s', join(here, '../../node_modules'), join(program, 'node_modules')]);

/** A folder of components holds at most 500 samples: 2,000 are 500 with 4 trials. */
function makeProject(samples) {
  const [each, trials] = samples > 500 ? [500, samples / 500] : [samples, 1];
  const project = mkdtempSync(join(scratch, 'project-'));
  const scenario = join(project, 'scenarios/bench');
  const brief = {
    ...{ version: 1, name: 'bench', title: 'Bench', reads: ['brief.md'], trials },
    ...{ samples: { min: 1, categories: ['questions'] }, subject: { kind: 'http', url } },
  };
  const format = {
    ...{ version: 1, world: { type: 'object' }, subject_prompt: 'Answer.' },
    tools: [{ name: 'look', purpose: 'Looks.', changes_world: false }],
    categories: [{ id: 'questions', title: 'Questions', samples: each }],
  };
  const rules = { version: 1, rules: [{ id: 'R1', title: 'Answers', text: 'It answers.', severity: 'must' }] };
  for (const folder of [scenario, join(project, 'config'), join(project, 'components/design')])
    mkdirSync(folder, { recursive: true });
  writeComponents(join(project, 'components'), each);
  const files = {
    'scenarios/bench/scenario.yaml': JSON.stringify(brief),
    'scenarios/bench/brief.md': '# Bench',
    'config/default.yaml': JSON.stringify({ version: 1, samples_in_parallel: AT_ONCE }),
    'components/design/unified_scenario_design.md': `# Bench\n\n${'Each question is answered with yes. '.repeat(8)}`,
    'components/design/business_rules.yaml': JSON.stringify(rules),
    'components/design/format_spec.yaml': JSON.stringify(format),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text);
  return project;
}

/** Seconds by the clock, and of the processor with all processes that it started. */
async function measure(args, cwd, env) {
  [now, most] = [0, 0];
  const started = performance.now();
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', process.execPath, ...args.map(String)];
  const child = spawn('bash', timed, { cwd, env: { ...process.env, ...compiled, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (err += part));
  const code = await new Promise((ended) => child.on('close', ended));
  const clock = (performance.now() - started) / 1000;
  const cpu = err
    .trim()
    .split('\n')
    .at(-1)
    .split(' ')
    .reduce((sum, part) => sum + Number(part), 0);
  if (code !== 0 || most < AT_ONCE) throw new Error(`exit ${code}, ${most} at once: ${(out + err).slice(-800)}`);
  return { clock, cpu };
}

const evaluate = (project) =>
  measure([join(program, 'bin/tandem.js'), 'evaluate', 'bench', '--components', 'components', '--json'], project, {});

async function evaluateKnown(project) {
  await evaluate(project);
  return evaluate(project);
}

async function evaluateByPeer(samples) {
  const out = mkdtempSync(join(scratch, 'peer-'));
  const env = { SAMPLES: samples, CONCURRENCY: AT_ONCE, SUBJECT_URL: url };
  const files = { OUT: join(out, 'out.json'), AT_ONCE: join(out, 'at-once') };
  const found = await measure([vitest, 'run', '--config', 'peers/vitest.config.mjs'], here, { ...env, ...files });
  const { numPassedTests } = JSON.parse(readFileSync(files.OUT, 'utf8'));
  if (numPassedTests !== samples) throw new Error(`${numPassedTests} of ${samples} passed`);
  return found;
}

/** A machine that does something else too does not always start as many at once in time. */
async function playAgain(play, samples, tries = 5) {
  try {
    return await play(samples);
  } catch (error) {
    if (tries === 1 || !/ at once/.test(error.message)) throw error;
    return playAgain(play, samples, tries - 1);
  }
}

const SIDES = {
  'vitest-evals': evaluateByPeer,
  'tandem evaluate, proof known': (samples) => evaluateKnown(makeProject(samples)),
  'tandem evaluate, proof made': (samples) => evaluate(makeProject(samples)),
};

try {
  console.log('| samples | side | clock | of vitest-evals | processor | of vitest-evals |\n|---|---|---|---|---|---|');
  for (const samples of [50, 200, 2000]) {
    const found = Object.fromEntries(Object.keys(SIDES).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, play] of Object.entries(SIDES)) found[name].push(await playAgain(play, samples));
    const middle = (name, key) => median(found[name].map((one) => one[key]));
    for (const name of Object.keys(SIDES)) {
      const cells = ['clock', 'cpu'].flatMap((key) => {
        const value = middle(name, key);
        return [`${value.toFixed(2)} s`, `${(value / middle('vitest-evals', key)).toFixed(2)} ×`];
      });
      console.log(`| ${samples} | ${name} | ${cells.join(' | ')} |`);
    }
  }
} finally {
  server.close();
  rmSync(scratch, { recursive: true, force: true });
}
