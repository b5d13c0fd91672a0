/** A program or a style sheet inside a string is read by no linter: it is a file of its own language, read by `readOwnText`. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';
import { expect, test } from 'vitest';

/** Lines that stand in such a text and hardly in a message, in HTML or in SQL. */
const LINES = {
  Python: /^\s*(?:(?:def|class|for|if|elif|while|with|try|except|else)\b.*:|import \w.*|from \S+ import .*)$/,
  JavaScript: /^\s*(?:(?:export |async )*(?:const|let|function)\b.*|(?:if|for|while|return|await)\b.*[;{)])$/,
  CSS: /[\w\])*]\s*\{[^{}]*[\w-]+\s*:|^\s*[\w-]+: [^,;]+;$/,
};
/** As many as an example in a contract or a message may have. */
const MOST_LINES = 10;

type Node = { type: string; quasis?: { value: { raw: string } }[] };

/** `Python in 30 lines`, when the lines are those of a program. */
function findProgram(lines: readonly string[]): string[] {
  return Object.entries(LINES)
    .map(([language, line]) => ({ language, count: lines.filter((one) => line.test(one)).length }))
    .filter(({ count }) => count > MOST_LINES)
    .map(({ language, count }) => `${language} in ${count} lines`);
}

/** Looks between one backtick and the next, which is fast; what it finds may be code between two strings. */
function mayHoldProgram(code: string): boolean {
  const parts = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').split('`');
  return parts.some((part, index) => index % 2 === 1 && findProgram(part.split('\n')).length > 0);
}

function findPrograms(code: string): string[] {
  if (!mayHoldProgram(code)) return [];
  const templates: Node[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ((value as Node).type === 'TemplateLiteral') templates.push(value as Node);
    Object.values(value).forEach(visit);
  };
  visit(parse(stripTypeScriptTypes(code), { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }));
  return templates.flatMap(({ quasis = [] }) => findProgram(quasis.flatMap(({ value }) => value.raw.split('\n'))));
}

test('no file of src holds a program or a style sheet of another language', () => {
  const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.m?ts$/.test(path));
  const found = paths.flatMap((path) =>
    findPrograms(readFileSync(join('src', path), 'utf8')).map((what) => `src/${path} holds ${what}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['src/adapters/sandbox/python/host.py', /^Python in \d+ lines$/],
  ['src/web/browser/news.js', /^JavaScript in \d+ lines$/],
  ['src/report/html/report.css', /^CSS in \d+ lines$/],
])('%s would be found in a string', (path, what) => {
  const text = readFileSync(path, 'utf8').replaceAll(/[`$\\]/g, '');
  expect(findPrograms(`const text: string = String.raw\`${text}\`;`)).toEqual([expect.stringMatching(what)]);
});

test('programs of other languages are no longer than files of TypeScript may be', () => {
  const lengths = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:py|c?js)$/.test(path))
    .map((path) => ({ path, lines: readFileSync(join('src', path), 'utf8').split('\n').length - 1 }));
  expect(lengths.length).toBeGreaterThan(10);
  expect(lengths.filter(({ lines }) => lines > 250)).toEqual([]);
});
