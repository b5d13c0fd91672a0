/** The packed package, installed into an empty folder elsewhere, runs a scenario outside of this checkout. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servedPage } from '../support/served-page.ts';

const run = promisify(execFile);
let place: string;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tandem-package-'));
  await run('npm', ['pack', '--pack-destination', place, '--silent']);
  const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz')) ?? '';
  await writeFile(join(place, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', join(place, tarball)], { cwd: place });
}, 300_000);
afterAll(() => rm(place, { recursive: true, force: true }));

const IMPORT = /^(?:import|export)\b[^'"\n]*['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)[^'"]*['"];$/gm;

const tandem = (...args: string[]) =>
  run(process.execPath, [join(place, 'node_modules/tandem-harness/bin/tandem.js'), ...args], {
    cwd: place,
    env: { PATH: process.env['PATH'] ?? '', USER: 'consumer', HOME: place },
  });

test('a new scenario is made and run from the installed package', async () => {
  await tandem('init', 'outside-desk');
  const { stdout } = await tandem('run', 'outside-desk', '--profile', 'demo', '--json');
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ status: 'succeeded', simulated: true });
});

test('every package that the built files import is one that package.json names, so that no command asks for another', async () => {
  const home = join(place, 'node_modules/tandem-harness');
  const own = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
  const named = new Set([...Object.keys(own['dependencies'] ?? {}), ...Object.keys(own['peerDependencies'] ?? {})]);
  const imported = new Set<string>();
  for (const file of await readdir(join(home, 'dist'))) {
    if (!file.endsWith('.js')) continue;
    // As a statement, at the beginning of a line: a program inside a string is none.
    for (const [, name = ''] of (await readFile(join(home, 'dist', file), 'utf8')).matchAll(IMPORT)) imported.add(name);
  }
  const foreign = [...imported].filter((name) => !isBuiltin(name) && !named.has(name));
  expect([imported.has('hono'), imported.size > 10, foreign]).toEqual([true, true, []]);
});

test('the review page opens from the installed package', async () => {
  const project = {
    project: place,
    env: { HOME: place },
    bin: join(place, 'node_modules/tandem-harness/bin/tandem.js'),
  };
  expect(await servedPage(project, '/')).toContain('<title>');
});

test('the shipped scenario is copied into the project, never run inside node_modules', async () => {
  const { stdout } = await tandem('run', 'refund-desk', '--profile', 'demo', '--json');
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { folder: string; status: string };
  expect(result.status).toBe('succeeded');
  expect(result.folder).toContain(join(place, 'scenarios/refund-desk/runs'));
  expect(await readFile(join(result.folder, 'out/report.html'), 'utf8')).toContain('color-scheme: light dark');
});

test('the doors of the library can be imported, and the context core brings no model and no vendor: Node, yaml and zod are all it loads', async () => {
  const code = `import * as t from 'tandem-harness'; import * as c from 'tandem-harness/context';
    import * as e from 'tandem-harness/evaluation'; import * as s from 'tandem-harness/testing';
    const functions = [t.startRun, c.view, e.evaluateFolder, s.startSimulator];
    const simulator = await s.startSimulator({ simulationDir: undefined, scripts: [] });
    await simulator.close();
    if (functions.some((one) => typeof one !== 'function')) process.exit(1);`;
  await writeFile(join(place, 'use.mjs'), code);
  await run(process.execPath, [join(place, 'use.mjs')], { cwd: place });
  const probe = `import { registerHooks } from 'node:module'; const seen = [];
    registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context); } });
    await import('tandem-harness/context');
    const foreign = seen.filter((url) => !url.includes('/tandem-harness/dist/') && !/^node:|[/]node_modules[/](zod|yaml)[/]/.test(url));
    if (foreign.length > 0) { console.error(foreign); process.exit(1); }`;
  await writeFile(join(place, 'probe.mjs'), probe);
  await run(process.execPath, [join(place, 'probe.mjs')], { cwd: place });
});

test('a folder of components is evaluated from the installed package, behind the walls of this machine', async () => {
  await cp('bench/evaluation/components.mjs', join(place, 'components.mjs'));
  const code = `import { evaluateFolder } from 'tandem-harness/evaluation'; import { writeComponents } from './components.mjs';
    writeComponents('./components', 5);
    const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const content = [{ type: 'text', text: 'yes' }];
    const call = async () => ({ id: 'm', model: 'own', content, stopReason: 'end_turn', usage });
    const samples = { min: 1, categories: ['questions'] };
    const { results, problems } = await evaluateFolder({
      dir: import.meta.dirname + '/components', concurrency: 2, modelFor: () => ({ call }),
      brief: { version: 1, name: 'own', title: 'Own', reads: ['brief.md'], samples, subject: { model: 'own' } },
      rules: { version: 1, rules: [{ id: 'R1', title: 'Yes', text: 'It says yes.', severity: 'must' }] },
      format: { version: 1, world: { type: 'object' }, tools: [{ name: 'look', purpose: 'Looks.', changes_world: false }],
        categories: [{ id: 'questions', title: 'Questions', samples: 5 }], subject_prompt: 'Say yes.' },
    });
    console.log(JSON.stringify({ passed: results?.passed, sandbox: results?.sandbox, problems }));`;
  await writeFile(join(place, 'evaluate.mjs'), code);
  const { stdout } = await run(process.execPath, [join(place, 'evaluate.mjs')], { cwd: place });
  expect(JSON.parse(stdout)).toEqual({
    passed: 5,
    // All of them need the language alone, so nothing else was started.
    sandbox: 'quickjs',
    problems: [],
  });
});

/** The queue's packages are 20 MB of it: a queue on Redis works at once. */
test('an install is at most 80 MB: what most do not use is installed by those who do, and named with its command', async () => {
  const { stdout } = await run('du', ['-sk', join(place, 'node_modules')]);
  expect(Number(stdout.split('\t')[0])).toBeLessThanOrEqual(80 * 1024);
  const failed = await run(process.execPath, [join(place, 'node_modules/tandem-harness/bin/tandem.js'), 'worker'], {
    cwd: place,
    env: { PATH: process.env['PATH'] ?? '', HOME: place, TANDEM_QUEUE: 'postgres://127.0.0.1:1/none' },
  }).catch((error: { code: number; stderr: string }) => error);
  expect(failed).toMatchObject({ code: 2 });
  expect(failed.stderr).toContain(
    'A queue on PostgreSQL needs packages that are not installed. Install them with: npm install pg@8',
  );
});

/** The quickest of several, because a machine that does something else makes each slower and none quicker. */
async function quickest(args: string[]): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    const began = performance.now();
    await run(process.execPath, args, { cwd: place, env: { PATH: process.env['PATH'] ?? '', HOME: place } });
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

test('a start costs little more than Node itself', async () => {
  const bin = join(place, 'node_modules/tandem-harness/bin/tandem.js');
  const [bare, version, help] = [
    await quickest(['-e', '0']),
    await quickest([bin, '--version']),
    await quickest([bin, '--help']),
  ];
  expect(version / bare).toBeLessThan(6);
  expect(help / bare).toBeLessThan(9);
});
