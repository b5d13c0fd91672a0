import { expect, test } from 'vitest';
import { findCompletedCalls, renderDecisions, renderLedger, renderTodos } from '../../../src/context/facts/ledger.ts';
import type { Policy } from '../../../src/context/policy.ts';
import type { Entry } from '../../../src/transcript/entry.ts';

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
  const [ledger = ''] = renderLedger(findCompletedCalls(touched([['write', 'tools/first.mjs'], ...reads])), policy);
  expect(ledger).toContain('- tools/first.mjs: wrote [#e2]');
  expect(ledger).toContain('page-299');
  expect(ledger).toMatch(/older files left out/);
});

test('a file that was read and then written is one line with both verbs, under its newest entry', () => {
  const [ledger] = renderLedger(
    findCompletedCalls(
      touched([
        ['read', 'a.md'],
        ['edit', 'a.md'],
      ]),
    ),
    policy,
  );
  expect(ledger).toMatch(/^- a\.md: edited, read \[#e4\]$/m);
});

const facts = (change: object = {}) =>
  ({ facts: { ledger: 400, todos: 400, decisions: 400, decisionTools: ['submit'], ...change } }) as Policy;

test('a call that names no file, a blank one or none of ours is no line', () => {
  const odd = touched([
    ['read', ' '],
    ['bash', 'x.sh'],
    ['edit', 'a b.md'],
  ]);
  const [first] = odd;
  if (first?.type === 'message')
    first.message.content = [{ type: 'tool_use', id: 't0', name: 'read', input: { path: 7 } }];
  expect(renderLedger(findCompletedCalls(odd), facts())).toEqual([
    '<file_ledger>\n- a b.md: edited [#e6]\n</file_ledger>',
  ]);
  expect(renderLedger([], facts())).toEqual([]);
});

test('a path may stand in `path` too, and one file has one line with all that was done', () => {
  const log = touched([
    ['read', 'a.md'],
    ['edit', 'a.md'],
    ['write', 'b.md'],
    ['read', 'c.md'],
  ]);
  const [first] = log;
  if (first?.type === 'message')
    first.message.content = [{ type: 'tool_use', id: 't0', name: 'read', input: { path: 'a.md' } }];
  expect(renderLedger(findCompletedCalls(log), facts())[0]?.split('\n').slice(1, -1)).toEqual([
    '- b.md: wrote [#e6]',
    '- a.md: edited, read [#e4]',
    '- c.md: read [#e8]',
  ]);
});

test('todos: known fields in words, the others as they are, anything else as it came (S0.20)', () => {
  const done = (todos: unknown) => [
    { id: 'e4', call: { type: 'tool_use' as const, id: 't', name: 'todo_write', input: { todos } }, answer: 'ok' },
  ];
  expect(
    renderTodos(
      done([{ text: 'one', status: 'done' }, { text: 'two', status: 'open', id: 'b' }, 'three', { x: 1 }]),
      facts(),
    ),
  ).toEqual([
    '<carried_todos>\n- [done] one [#e4]\n- [open] two {"id":"b"} [#e4]\n- three [#e4]\n- {"x":1} [#e4]\n</carried_todos>',
  ]);
  expect(renderTodos(done('no list'), facts())[0]).toContain('- {"todos":"no list"} [#e4]');
  expect(renderTodos(done([]), facts())).toEqual([]);
  expect(renderTodos([], facts())).toEqual([]);
});

test('decisions: the tools that the policy names, newest first, input and answer in brief (S0.19)', () => {
  const done = [1, 2].map((n) => ({
    id: `e${n}`,
    call: {
      type: 'tool_use' as const,
      id: `t${n}`,
      name: n === 1 ? 'submit' : 'submit',
      input: { note: `n${n}\nand more` },
    },
    answer: `{"ok":true,"n":${n}}`,
  }));
  const other = { ...done[0]!, call: { ...done[0]!.call, name: 'read' } };
  expect(renderDecisions([...done, other], facts())).toEqual([
    '<carried_decisions>\n- submit {"note":"n2\\nand more"} -> {"ok":true,"n":2} [#e2]\n- submit {"note":"n1\\nand more"} -> {"ok":true,"n":1} [#e1]\n</carried_decisions>',
  ]);
  expect(renderDecisions([other], facts())).toEqual([]);
  expect(renderDecisions(done, facts({ decisions: 45 }))[0]).toContain('(1 older decisions left out)');
});

test('a decision too long to carry whole loses texts after a word and lists after an element, never half a value', () => {
  const input = {
    summary: 'The refund rules contradict each other. '.repeat(40),
    problems: Array.from({ length: 9 }, (_, n) => ({
      title: `Problem ${n}`,
      rules: ['R7', 'R8'],
      samples: [`sample-${n}`],
    })),
  };
  const call = { type: 'tool_use' as const, id: 't', name: 'submit', input };
  const [text = ''] = renderDecisions(
    [{ id: 'e9', call, answer: JSON.stringify({ ok: true, next: 'x '.repeat(900) }) }],
    facts(),
  );
  const [, given = '', answer = ''] = /- submit (\{.*\}) -> (\{.*\}) \[#e9\]/.exec(text) ?? [];
  const kept = JSON.parse(given) as { summary: string; problems: unknown[] };
  expect(kept.summary).toMatch(/^The refund .* \(…\)$/);
  expect(kept.problems[0]).toEqual({ title: 'Problem 0', rules: ['R7', 'R8'], samples: ['sample-0'] });
  expect(kept.problems.at(-1)).toMatch(/^\(\d more\)$/);
  expect(JSON.parse(answer)).toMatchObject({ ok: true });
});

test('a file that was renamed is named under both paths, and one that was removed says so', () => {
  const log = touched([
    ['remove', 'gone.md'],
    ['rename', 'old.md'],
  ]);
  const rename = log[2];
  if (rename?.type === 'message')
    rename.message.content = [
      { type: 'tool_use', id: 't1', name: 'rename', input: { file_path: 'old.md', new_path: 'new.md' } },
    ];
  expect(renderLedger(findCompletedCalls(log), facts())[0]?.split('\n').slice(1, -1)).toEqual([
    '- new.md: wrote [#e4]',
    '- old.md: renamed [#e4]',
    '- gone.md: removed [#e2]',
  ]);
});
