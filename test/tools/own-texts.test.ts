/** A build puts files of other languages into the program as text. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ownTexts } from '../../tools/own-texts.ts';

const caller = resolve('src/adapters/sandbox/python/launch.ts');

test('a call is replaced by the text of the file beside the caller, also where it is written over several lines', () => {
  const text = JSON.stringify(readFileSync('src/adapters/sandbox/python/host.py', 'utf8'));
  const build = (code: string) => ownTexts.transform(code, caller);
  expect(build(`const a = readOwnText('./host.py', import.meta.url);`)).toBe(`const a = ${text};`);
  expect(build(`const a = readOwnText(\n  './host.py',\n  import.meta.url,\n);`)).toBe(`const a = ${text};`);
  expect(build('const a = 1;')).toBeUndefined();
});

test('a path that only a running program knows stops the build', () => {
  expect(() => ownTexts.transform('readOwnText(path, import.meta.url)', caller)).toThrow('takes a path in quotes');
});

test('YAML is put in as JSON of the same value', () => {
  const path = '../../../src/evaluation/scripted-user/english.yaml';
  const built = ownTexts.transform(`readOwnText('${path}', import.meta.url)`, resolve('src/a/b/c.ts'))?.slice(1, -1);
  const text = JSON.parse(`"${built}"`) as string;
  expect(JSON.parse(text)).toEqual(parse(readFileSync('src/evaluation/scripted-user/english.yaml', 'utf8')));
});
