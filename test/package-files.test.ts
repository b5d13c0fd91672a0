/** What npm makes of this project: on every platform that it promises, with every Node, and for a fresh clone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

type Locked = { os?: string[]; cpu?: string[]; optionalDependencies?: Record<string, string> };
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

const lockedFor = (place: string, name: string): Locked | undefined =>
  packages[`${place}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
const withPlatforms = Object.entries(packages)
  .map(([place, { optionalDependencies = {} }]) => ({
    place,
    needs: Object.keys(optionalDependencies).map((name) => ({ name, found: lockedFor(place, name) })),
  }))
  .filter(({ needs }) => needs.some(({ found }) => found?.cpu !== undefined));

test('npm ci finds every optional package in the lockfile: one that is missing fails it', () => {
  expect(withPlatforms.length).toBeGreaterThan(5);
  for (const { place, needs } of withPlatforms)
    for (const { name, found } of needs) expect(found, `${place}: ${name}`).toBeDefined();
});

test.each([
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['linux', 'arm64'],
  ['linux', 'x64'],
])('the lockfile has what %s on %s needs', (os, cpu) => {
  // The pin of Node itself is for Linux; elsewhere a checkout runs on the Node of its user.
  for (const { place, needs } of withPlatforms.filter((one) => one.place !== 'tools/node24'))
    expect(
      needs.filter(({ found }) => found?.os?.includes(os) && found.cpu?.includes(cpu)).length,
      place,
    ).toBeGreaterThan(0);
});

test('the program is committed as one that can be run, so that an install changes nothing in a clone', () => {
  expect(statSync('bin/tandem.js').mode & 0o111).toBe(0o111);
  expect(execFileSync('git', ['ls-files', '--stage', 'bin/tandem.js'], { encoding: 'utf8' })).toMatch(/^100755 /);
});

test('an older Node is no reason for npm to warn at each npx in a checkout', () => {
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^loglevel=error$/m);
});

test('Windows is sent to WSL', () => {
  const windows = 'data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })';
  const run = () =>
    execFileSync(process.execPath, ['--import', windows, 'bin/tandem.js', '--version'], {
      stdio: 'pipe',
      encoding: 'utf8',
    });
  expect(run).toThrow(/use it in WSL/);
});

test('a start says nothing of the SQLite that Node calls an experiment, and passes every other warning on', () => {
  const warning = (text: string) => `process.emitWarning("${text}", "ExperimentalWarning");`;
  // At the first line that is printed, when all of the program is loaded.
  const whenPrinting = `const write = process.stdout.write;
    process.stdout.write = function (...all) { ${warning('SQLite is an experimental feature and might change at any time')} ${warning('Something else')} return write.apply(this, all); };`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(whenPrinting)}`, 'bin/tandem.js', '--version'],
    { encoding: 'utf8' },
  );
  expect([status, stderr.match(/Warning: .*/g)]).toEqual([0, ['Warning: Something else']]);
});

test('the pages that say how to install name the Node that the package asks for, and so does a start under an older one', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const least = engines.node.replace('>=', '');
  for (const page of ['README.md', 'README.zh-CN.md', 'docs/tutorial.md', 'docs/operations.md'])
    expect(readFileSync(page, 'utf8'), page).toContain(`Node ${least}`);
  expect(readFileSync('bin/tandem.js', 'utf8')).toContain(`tandem needs Node ${least} or newer`);
});

/** They explain the source and its tests, so they link to both; both are in the repository only. */
const ABOUT_THE_SOURCE = /^(?:docs\/(?:context|context-library|(?:decisions|internals)\/.*)|CONTRIBUTING)\.md$/;

test('every link of a packed page leads to a packed file: only photographs of the pages stay in the repository', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files = new Set([...packed.matchAll(/"path": "([^"]+)"/g)].map(([, path = '']) => path));
  const pages = [...files].filter((path) => /^(?:docs|examples)\/.*\.md$|^[A-Z]+\.md$/.test(path));
  expect(pages.length).toBeGreaterThan(100);
  const dead = pages
    .filter((path) => !ABOUT_THE_SOURCE.test(path))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)]
        .map(([, target = '']) => join(dirname(path), target))
        .filter((target) => !files.has(target) && !/^docs\/pictures\/.*\.png$/.test(target))
        .map((target) => `${path} -> ${target}`),
    );
  expect(dead).toEqual([]);
});
