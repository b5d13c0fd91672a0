import { expect, test } from 'vitest';
import { findDone, renderLedger } from '../../src/context/ledger.ts';
import type { Policy } from '../../src/context/policy.ts';
import type { Entry } from '../../src/transcript/entry.ts';

const policy = { facts: { ledger: 400 } } as Policy;

function touched(calls: readonly [tool: string, path: string][]): Entry[] {
  return calls.flatMap(([name, file_path], index): Entry[] => {
    const id = `t${index}`;
    const base = { version: 1 as const, parents: [] as string[], lane: 'main', type: 'message' as const };
    const use = { type: 'tool_use' as const, id, name, input: { file_path } };
    const result = { type: 'tool_result' as const, tool_use_id: id, content: 'ok', is_error: false };
    return [
      { ...base, id: `e${index * 2 + 1}`, origin: 'model', message: { role: 'assistant', content: [use] } },
      { ...base, id: `e${index * 2 + 2}`, origin: 'tools', message: { role: 'user', content: [result] } },
    ];
  });
}

test('what the agent wrote early stays named, however much it reads afterwards (S0.20, T19)', () => {
  const reads = Array.from({ length: 300 }, (_, index): [string, string] => ['read', `notes/page-${index}.md`]);
  const [ledger = ''] = renderLedger(findDone(touched([['write', 'tools/first.mjs'], ...reads])), policy);
  expect(ledger).toContain('- tools/first.mjs: wrote [#e2]');
  expect(ledger).toContain('page-299');
  expect(ledger).toMatch(/older files left out/);
});

test('a file that was read and then written is one line with both verbs, under its newest entry', () => {
  const [ledger] = renderLedger(
    findDone(
      touched([
        ['read', 'a.md'],
        ['edit', 'a.md'],
      ]),
    ),
    policy,
  );
  expect(ledger).toMatch(/^- a\.md: edited, read \[#e4\]$/m);
});
