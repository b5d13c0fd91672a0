import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { citations, notOnTheWire, readRules, render } from '../tools/requirements.ts';

test('docs/internals/requirements.md lists every rule and the tests that cite it today (npm run requirements)', () => {
  const text = readFileSync('docs/internals/requirements.md', 'utf8');
  const rules = readRules(text);
  expect(rules.length).toBe(82);
  expect(text).toBe(render(rules));
});

test('what is said to be seen on no wire is a rule, and no test on the wire cites it', () => {
  const ids = readRules(readFileSync('docs/internals/requirements.md', 'utf8')).map(([id]) => id);
  for (const id of Object.keys(notOnTheWire())) {
    expect(ids).toContain(id);
    expect(citations(id).filter((path) => path.startsWith('wire/'))).toEqual([]);
  }
});
