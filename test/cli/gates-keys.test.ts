/** One letter has one meaning at every prompt, and every prompt fits into a line of 80 columns. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sources = globSync('src/{cli,report/gate}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
const prompts = sources.flatMap((text) => text.match(/[`'][^`'\n]*\[[^`'\n]*> [`']/g) ?? []);

test('a letter means the same wherever it is asked for', () => {
  const found = prompts.flatMap((prompt) => [...prompt.matchAll(/\[([a-zA-Z?])\] (?:request )?([a-z]+)/g)]);
  const meanings = new Map<string, Set<string>>();
  for (const [, key = '', does = ''] of found) meanings.set(key, (meanings.get(key) ?? new Set()).add(does));
  expect([...meanings.keys()].toSorted()).toEqual(['?', 'a', 'e', 'f', 'k', 'p', 'q', 'r', 's', 'x']);
  for (const [key, meant] of meanings) expect([...meant], key).toHaveLength(1);
  const help = sources.find((text) => text.includes('const HELP = ['));
  for (const key of ['a    approve', 'r    request changes', 'x  reject', 'd  full diff', 'q  stop'])
    expect(help).toContain(key);
});

test('a prompt is not broken in the middle of a word', () => {
  expect(prompts.length).toBeGreaterThan(3);
  for (const prompt of prompts)
    expect(prompt.replace('${gate.pack.gate}', 'HITL-1.r12').length - 2, prompt).toBeLessThanOrEqual(80);
});
