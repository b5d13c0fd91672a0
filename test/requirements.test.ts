import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRules, render } from '../tools/requirements.ts';

test('docs/requirements.md lists every rule and the tests that cite it today (npm run requirements)', () => {
  const text = readFileSync('docs/requirements.md', 'utf8');
  const rules = readRules(text);
  expect(rules.length).toBe(79);
  expect(text).toBe(render(rules));
});
