import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseYaml, readYamlFile } from '../../src/config/yaml-file.ts';

const Schema = z.strictObject({ name: z.string(), limits: z.strictObject({ steps: z.number() }) });

test('parses what fits', () => {
  expect(parseYaml('name: a\nlimits: {steps: 3}\n', Schema, 'x.yaml')).toEqual({ name: 'a', limits: { steps: 3 } });
});

test('a wrong type names file, line and path', () => {
  expect(() => parseYaml('name: a\nlimits:\n  steps: many\n', Schema, 'x.yaml')).toThrow(
    /^x\.yaml:3: limits\.steps: .*expected number/,
  );
});

test('an unknown key is named on its own line, with what may have been meant', () => {
  const text = 'name: a\nlimits:\n  stesp: 1\n  steps: 1\ncolour: red\nsteps: 2\n';
  const complain = () => parseYaml(text, Schema, 'x.yaml');
  expect(complain).toThrow('x.yaml:3: limits.stesp: no such key. Did you mean "steps"?');
  expect(complain).toThrow('x.yaml:5: colour: no such key.');
  expect(complain).toThrow('x.yaml:6: steps: this key has its place elsewhere in the file, not here.');
});

test('a sentence with a colon in it is told to stand in quotes; a real mapping in a line is not', () => {
  const parse = (text: string) => () => parseYaml(text, Schema, 'x.yaml');
  expect(parse('limits: {steps: 3}\nname: Also for 500 euros: this goes first.\n')).toThrow(
    /^x\.yaml:2: .*\. A text with ": " in it stands in quotes$/,
  );
  expect(parse('name: [a: b\n')).not.toThrow(/stands in quotes/);
});

test('broken YAML names the line', () => {
  expect(() => parseYaml('name: "a\nlimits: {', Schema, 'x.yaml')).toThrow(/^x\.yaml:\d: /);
  expect(() => parseYaml('a: 1\na: 2\n', z.looseObject({}), 'x.yaml')).toThrow(/^x\.yaml:2: /);
});

test.each([
  ['a:\n\tb: 1\n', 'x.yaml:2: a tab is used as indentation: use spaces.'],
  ['a: 1\nb: 2\na: 3\n', 'x.yaml:3: this key is there twice: take one of them out.'],
  ['a: 1\n---\nb: 1\n', 'x.yaml:2: a second document begins here: take the line "---" out.'],
  ['a: 1\nb:\n  - *gold\n', 'x.yaml:3: *gold stands for what &gold marks, and nothing above is marked so.'],
  ['a: 1\nb: 9007199254740993\n', 'x.yaml:2: the number 9007199254740993 cannot be held exactly: write it in quotes'],
  ['', 'x.yaml:1: file: it is empty.'],
  ['# only a remark\n', 'x.yaml:1: file: it is empty.'],
  ['- a\n', 'x.yaml:1: file: expected keys with values, such as "version: 1".'],
  ['version 1', 'x.yaml:1: file: expected keys with values, such as "version: 1".'],
])('%j is refused in words for whoever wrote it', (text, message) => {
  expect(() => parseYaml(text, z.looseObject({}), 'x.yaml')).toThrow(message);
});

test('a number of another shape is shown; what may be a secret in the wrong place is not', () => {
  const complain = () => parseYaml('name: a\nlimits: {steps: five}\n', Schema, 'x.yaml');
  expect(complain).toThrow(/^x\.yaml:2: limits\.steps: .*; it is "five"$/m);
  const misplaced = () => parseYaml('name: [sk-secret]\nlimits: sk-secret\n', Schema, 'x.yaml');
  expect(misplaced).toThrow(/^x\.yaml:2: limits: /m);
  expect(misplaced).not.toThrow(/secret/);
});

test('a file of thousands of levels is refused in words', () => {
  const parse = () => parseYaml(`a: ${'['.repeat(20_000)}`, z.looseObject({}), 'x.yaml');
  expect(parse).toThrow(/^x\.yaml:1: it is nested too deep to be read: take levels out\.$/);
});

test('an anchor that is there may be used', () => {
  expect(parseYaml('a: &a 1\nb: *a\n', z.looseObject({}), 'x.yaml')).toEqual({ a: 1, b: 1 });
});

test('what is not UTF-8, or not there, is said', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tandem-yaml-'));
  writeFileSync(join(dir, 'x.yaml'), Buffer.from('\uFEFFname: a\n', 'utf16le'));
  const at = (name: string) => readYamlFile(join(dir, name), Schema, name);
  await expect(at('x.yaml')).rejects.toThrow('x.yaml: is not text in UTF-8: save it as UTF-8.');
  await expect(at('y.yaml')).rejects.toThrow('y.yaml: cannot be read. It is not there.');
  rmSync(dir, { recursive: true });
});

test('an alias bomb ends as an error', () => {
  const bomb = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
  ].join('\n');
  expect(() => parseYaml(bomb, z.looseObject({}), 'x.yaml')).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  );
});

test('at most ten complaints are shown, the rest is counted', () => {
  const many = z.array(z.number());
  expect(() => parseYaml(Array.from({ length: 14 }, () => '- x').join('\n'), many, 'x.yaml')).toThrow(
    /… and 4 more\.$/,
  );
});

test.each(['pipe', 'folder'])('a %s in the place of a file keeps nobody waiting', async (kind) => {
  const dir = mkdtempSync(join(tmpdir(), 'tandem-yaml-'));
  execFileSync(kind === 'pipe' ? 'mkfifo' : 'mkdir', [join(dir, 'x.yaml')]);
  await expect(readYamlFile(join(dir, 'x.yaml'), Schema, 'x.yaml')).rejects.toThrow('x.yaml: cannot be read.');
  rmSync(dir, { recursive: true });
});
