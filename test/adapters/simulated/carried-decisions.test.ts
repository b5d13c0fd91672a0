/** A call that a compaction hides altogether is still known to be done when the carried decisions name it. */
import { expect, test } from 'vitest';
import { findLastDone } from '../../../src/adapters/simulated/scripts/find-step.ts';
import type { ScriptStep } from '../../../src/adapters/simulated/scripts/script.ts';
import { parseRequest } from '../../../src/adapters/simulated/scripts/parse-request.ts';

const step = (tool: string, input: Record<string, unknown>): ScriptStep => ({ calls: [{ tool, input }] });
const steps = [
  step('write', { file_path: 'a.md', content: 'x' }),
  step('submit_iteration', { note: 'Repaired: one\nand two, at length' }),
  step('read', { file_path: 'b.md' }),
];
const doneBy = (facts: string) => {
  const { spoken, ledger, decisions } = parseRequest({
    ...{ model: 'm', max_tokens: 1 },
    messages: [{ role: 'user', content: `<carried_facts>\n${facts}\n</carried_facts>` }],
  });
  return findLastDone(steps, { spoken, ledger, decisions, inputOf: ({ input }) => input });
};
const decisions = (...lines: string[]) => `<carried_decisions>\n${lines.join('\n')}\n</carried_decisions>`;

test('a decision counts by its tool and the beginning of its input', () => {
  const line = '- submit_iteration {"note":"Repaired: one\\nand two, at -> {"ok":true,"passed":3} [#e12]';
  expect(doneBy(decisions(line))).toBe(1);
  expect(doneBy(`${decisions(line)}\n<file_ledger>\n- b.md: read [#e14]\n</file_ledger>`)).toBe(2);
});

test.each([
  '- submit_iteration {"note":"Another one"} -> {"ok":true} [#e12]',
  '- submit_design {"note":"Repaired: one} -> {"ok":true} [#e12]',
  '- submit_iteration {"note":"Repaired: one -> {"ok":true}',
  'submit_iteration was called',
])('another decision does not: %s', (line) => {
  expect(doneBy(decisions(line))).toBe(-1);
});
