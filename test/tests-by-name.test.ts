/** Every file of `src` has a test by its own name, or a reason why another test covers it. */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { codeIn, importsOf, reachedFrom, sourcesOf } from './support/imports.ts';

const REASONS = 'test/tests-by-name.json';
/** A line of it: `covered by` tests that import the file, by way of others too; `run by` tests that start it as a process. */
const LINE = /^(covered|run) by (test\/\S+\.test\.ts(?:, test\/\S+\.test\.ts)*): \S/;

const sources = codeIn('src');
const tests = codeIn('test').filter((path) => path.endsWith('.test.ts'));
const existing = new Set(tests);
const reasons = new Map(Object.entries(JSON.parse(readFileSync(REASONS, 'utf8')) as Record<string, string>));

const bareName = (path: string): string => path.replace(/^src\//, '').replace(/\.m?ts$/, '');

/** At the mirrored path, or among the slow tests. */
function hasOwnTest(path: string): boolean {
  const name = bareName(path);
  return [`${name}.test.ts`, `${name}.property.test.ts`, `slow/${name}.test.ts`].some((one) =>
    existing.has(`test/${one}`),
  );
}

/** Types, and names that are handed on: nothing of it runs. */
function hasNoBehaviour(path: string): boolean {
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return code.replaceAll(/(?:import|export)\s*(?:[^;'"]*from\s*)?'[^']+';?|export\s*\{[^}]*\};?/g, '').trim() === '';
}

const importedBy = Map.groupBy(
  tests.flatMap((path) => sourcesOf(path).map((source) => ({ source, path }))),
  ({ source }) => source,
);
/** A test in the folder that mirrors the file's own imports it. */
function hasNeighbour(path: string): boolean {
  const folder = dirname(path).replace(/^src/, 'test');
  return (importedBy.get(path) ?? []).some((one) => dirname(one.path) === folder);
}

const users = Map.groupBy(
  sources.flatMap((path) => importsOf(path).map((used) => ({ used, path }))),
  ({ used }) => used,
);
/** One file alone uses it, and that one has its own test: a part of it. */
function isPart(path: string): boolean {
  const [user, ...others] = new Set((users.get(path) ?? []).map((one) => one.path));
  return user !== undefined && others.length === 0 && hasOwnTest(user);
}

const needsReason = sources.filter(
  (path) => !hasOwnTest(path) && !hasNoBehaviour(path) && !hasNeighbour(path) && !isPart(path),
);

/** The line of the file itself, else of the nearest folder around it. */
function keyFor(path: string): string | undefined {
  const fitting = [...reasons.keys()].filter((key) => key === path || (key.endsWith('/') && path.startsWith(key)));
  return fitting.toSorted((one, other) => other.length - one.length)[0];
}

const testsOf = (key: string): string[] => LINE.exec(reasons.get(key) ?? '')?.[2]?.split(', ') ?? [];
const reached = new Map<string, Set<string>>();
function reachedBy(path: string): Set<string> {
  const known = reached.get(path) ?? reachedFrom([path], () => true);
  reached.set(path, known);
  return known;
}

test('a file has its test by its own name, or a reason', () => {
  const wrong = needsReason.flatMap((path) => {
    const key = keyFor(path);
    const own = `write test/${bareName(path)}.test.ts, or say in ${REASONS} which test covers it and why`;
    if (key === undefined) return [`${path}: ${own}`];
    if (reasons.get(key)?.startsWith('run by') === true) return [];
    const covered = testsOf(key).some((one) => existing.has(one) && reachedBy(one).has(path));
    return covered ? [] : [`${path}: no test of the line "${key}" imports it: ${own}`];
  });
  expect(wrong).toEqual([]);
});

test('every reason is well formed, names tests that exist, and is needed', () => {
  const used = Map.groupBy(needsReason, (path) => keyFor(path) ?? '');
  const wrong = [...reasons].flatMap(([key, line]) => {
    if (!LINE.test(line)) return [`${key}: expected "covered by test/x.test.ts: why" or "run by test/x.test.ts: why"`];
    if (!existsSync(key)) return [`${key}: there is no such file: take the line out`];
    const gone = testsOf(key).filter((one) => !existing.has(one));
    if (gone.length > 0) return gone.map((one) => `${key}: ${one} does not exist: name the test that took its place`);
    const files = used.get(key);
    if (files === undefined) return [`${key}: no file needs this line any more: take it out`];
    if (line.startsWith('run by')) return [];
    const idle = testsOf(key).filter((one) => !files.some((path) => reachedBy(one).has(path)));
    return idle.map((one) => `${key}: ${one} imports none of its files: take it out`);
  });
  expect(wrong).toEqual([]);
});
