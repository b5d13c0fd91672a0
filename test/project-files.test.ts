/** What a host of this code and its registry read: workflows, forms, the rules of a release. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { releaseFindings, type Release } from '../tools/release-check.ts';

const Job = z.object({
  'runs-on': z.string(),
  'timeout-minutes': z.int(),
  permissions: z.record(z.string(), z.string()),
  steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
});
const Workflow = z.object({ permissions: z.object({ contents: z.literal('read') }), jobs: z.record(z.string(), Job) });
const workflow = (name: string) => Workflow.parse(parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8')));

test('every platform runs the one script, and a release runs it before it publishes', () => {
  const { jobs } = workflow('ci');
  expect(Object.values(jobs).map((job) => job['runs-on'])).toEqual([
    'ubuntu-24.04',
    'ubuntu-24.04-arm',
    'macos-15',
    'macos-15-intel',
  ]);
  for (const { steps } of Object.values(jobs)) expect(steps.at(-1)?.run).toMatch(/bash \.ci\/run$/);
  const release = workflow('release').jobs['publish'];
  const runs = release?.steps.flatMap(({ run }) => run ?? []) ?? [];
  expect(runs.findIndex((run) => run.endsWith('bash .ci/run'))).toBeLessThan(
    runs.findIndex((run) => run.includes('npm publish --provenance')),
  );
  expect(release?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
});

test('actions of others are named by commit, and the same ones as in the example for users', () => {
  const example = ['examples/ci/github/tandem.yml', 'action.yml'].map((path) => readFileSync(path, 'utf8')).join('');
  const used = ['ci', 'release'].flatMap((name) =>
    Object.values(workflow(name).jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])),
  );
  for (const one of used) {
    expect(one).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(example).toContain(one);
  }
});

test('an issue form asks for something, and each question has its own name', () => {
  const forms = readdirSync('.github/ISSUE_TEMPLATE').filter((name) => name !== 'config.yml');
  expect(forms.length).toBeGreaterThan(1);
  for (const name of forms) {
    const { body } = z
      .object({
        name: z.string(),
        description: z.string(),
        body: z.array(z.object({ id: z.string().optional(), type: z.string() })),
      })
      .parse(parse(readFileSync(`.github/ISSUE_TEMPLATE/${name}`, 'utf8')));
    const ids = body.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  }
});

const ready: Release = {
  tag: 'v1.2.0',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-23\n- A thing.\n',
  manifest: { version: '1.2.0', repository: 'x', homepage: 'x', bugs: 'x' },
  changedFiles: '',
};

test('the release check stops at each thing that is missing, and is silent when nothing is', () => {
  const stops = (parts: Partial<Release>) =>
    releaseFindings({ ...ready, ...parts }).map(({ text, stops: does }) => `${does} ${text}`);
  expect(stops({})).toEqual([]);
  expect(stops({ tag: 'v1.3.0' })).toEqual(['true the tag is v1.3.0, package.json says 1.2.0']);
  expect(stops({ changelog: ready.changelog.replace('1.2.0', '1.1.0') })).toEqual([
    expect.stringContaining('no section "## [1.2.0]'),
  ]);
  expect(stops({ changelog: ready.changelog.replace('[Unreleased]\n', '[Unreleased]\n- More.\n') })).toEqual([
    expect.stringContaining('under [Unreleased]'),
  ]);
  expect(stops({ changedFiles: ' M a' })).toEqual([expect.stringContaining('not committed')]);
  expect(stops({ manifest: { version: '1.2.0' } })).toEqual([
    expect.stringMatching(/^true package.json has no repository, no homepage, no bugs/),
  ]);
});

test('package.json invents no address', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Release['manifest'];
  for (const key of ['repository', 'homepage', 'bugs'] as const)
    expect(JSON.stringify(manifest[key] ?? '')).not.toMatch(/example|your-|TODO/i);
  expect(JSON.stringify(manifest)).toContain('"keywords"');
});
