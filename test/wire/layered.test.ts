/** Policy `layered` in a run: what finished turns become, the archive with its times, the order of the layers. */
import { expect, test } from 'vitest';
import { openWire, resultsOf, textsOf, type Sent, type Step } from '../support/wire.ts';

const NOTES = 'execution_outputs/iteration_1/samples/notes.md';
const parts = [1, 2, 3, 4, 5, 6, 7, 8];
const AGAIN = 'execution_outputs/iteration_2/samples';
const long = Array.from({ length: 1500 }, (_, n) => `row ${n + 1} of the notes`).join('\n');
/** Few lines, and more tokens than a result that no rule names may keep. */
const WIDE = 'execution_outputs/iteration_1/samples/wide.md';
const wide = Array.from({ length: 320 }, (_, n) => `line ${n + 1}: ${'what was said at the desk, '.repeat(4)}`).join(
  '\n',
);
const todos = (...states: string[]) => ({
  todos: ['read the design', 'write the tools', 'write the checkers'].map((text, n) => ({
    id: `${n + 1}`,
    text,
    status: states[n] ?? 'pending',
  })),
});

const firstSteps: Step[] = [
  { calls: [{ tool: 'todo_write', input: todos('in_progress') }] },
  { calls: [{ tool: 'write', input: { file_path: NOTES, content: `${long}\n` } }] },
  { calls: [{ tool: 'read', input: { file_path: NOTES, view_range: [11, 1500] } }] },
  // The entry that holds the result of the read above.
  { calls: [{ tool: 'recall', input: { id: 'e11' } }] },
  ...['row', 'of', 'the'].map((pattern) => ({ calls: [{ tool: 'grep', input: { pattern, path: NOTES } }] })),
  { calls: [{ tool: 'write', input: { file_path: WIDE, content: wide } }] },
  { calls: [{ tool: 'read', input: { file_path: WIDE } }] },
  {
    calls: [
      { tool: 'remove', input: { file_path: NOTES } },
      { tool: 'remove', input: { file_path: WIDE } },
      { tool: 'todo_write', input: todos('done', 'in_progress') },
    ],
  },
];

const isCompacted = ({ messages }: Sent) => textsOf({ messages }).includes('[compressed; recall');

test('the results of a finished turn shrink by their tools, of one without a rule too; the running turn saw them whole (S1.3, S1.4, S1.6, S1.7)', async () => {
  const wire = await openWire({
    files: { 'CODE_LAW.md': 'Amounts are in cents.' },
    execute: firstSteps,
    repair: [
      ...parts.map((n) => ({
        calls: [{ tool: 'write', input: { file_path: `${AGAIN}/more-${n}.md`, content: long.slice(0, 7000) } }],
      })),
      { calls: parts.map((n) => ({ tool: 'remove', input: { file_path: `${AGAIN}/more-${n}.md` } })) },
    ],
    agents: { execute: { policy: 'layered', trigger: { tokens: 156_000 } } },
  });
  const run = await wire.run();
  expect(run.stderr).not.toContain('Error');
  const sent = wire.sent('execute');
  const place = sent.findIndex(isCompacted);
  expect(place).toBeGreaterThan(5);
  const [before, after] = [sent[place - 1] ?? { messages: [] }, sent[place] ?? { messages: [] }];
  expect(resultsOf(before, 'read').some((text) => text.startsWith('row 11 of') && text.includes('row 1500 of'))).toBe(
    true,
  );
  const read =
    resultsOf(after, 'read')
      .find((text) => text.includes('\trow '))
      ?.split('\n') ?? [];
  expect(read.slice(0, 1)).toEqual(['11\trow 11 of the notes']);
  expect(read[499]).toBe('510\trow 510 of the notes');
  expect(read[500]).toBe('[... 990 lines more ...]');
  expect(resultsOf(after, 'read').some((text) => text.includes(wide))).toBe(true);
  expect(resultsOf(after, 'grep')[0]?.split('\n').slice(4, 6)).toEqual([
    `${NOTES}:5:row 5 of the notes`,
    expect.stringMatching(/^\[\.\.\. \d+ lines more \.\.\.\]$/),
  ]);
  expect(textsOf(after)).toContain('[done] read the design');
  // S1.6: no rule names `recall`; head, tail and the way to the whole stay.
  const [whole = ''] = resultsOf(before, 'recall');
  expect(whole).toContain('row 11 of the notes');
  expect(whole).toContain('row 700 of the notes');
  const [cut = ''] = resultsOf(after, 'recall');
  expect(cut).toMatch(/^\{"ok":true,"id":"e11"[\s\S]*row 11 of the notes[\s\S]*row 1500 of the notes/);
  expect(cut).toMatch(/chars omitted[\s\S]*\[compressed; recall e\d+/);
  expect(cut).not.toContain('row 700 of the notes');
  // The text that was written keeps its first 50 lines.
  expect(textsOf(after)).toMatch(/row 50 of the notes\\n\[\.\.\. 1451 lines more/);
});

test('an archive carries the times of what it covers, the law stays and the todos too (S1.1, S1.2, S1.9)', async () => {
  const rows = Array.from({ length: 400 }, (_, n) => `row ${n + 1} of the policy`).join('\n');
  const read = { calls: [{ tool: 'read', input: { file_path: 'scenario/long.md' } }] };
  const wire = await openWire({
    files: { 'CODE_LAW.md': 'Amounts are in cents.', 'scenarios/desk/long.md': rows },
    reads: ['long.md'],
    init: [
      { calls: [{ tool: 'todo_write', input: todos('in_progress') }] },
      ...[1, 2, 3, 4, 5].map((n) => ({ ...read, say: `Reading for the ${n}. time.` })),
    ],
    agents: { init: { policy: 'layered', trigger: { tokens: 15_000 } } },
  });
  const before = new Date().toISOString().slice(0, 13);
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  const place = sent.findIndex((one) => textsOf(one).includes('Archived Session Summary'));
  expect(place).toBeGreaterThan(0);
  const text = textsOf(sent[place] ?? { messages: [] });
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z`;
  expect(text).toMatch(new RegExp(String.raw`Contains context from ${time} to ${time}`));
  expect(text).toContain(`context from ${before}`);
  const holding = sent[place]?.messages.filter((message) => textsOf({ messages: [message] }).includes('<todo_recap>'));
  expect(holding).toEqual([sent[place]?.messages.at(-1)]);
  expect(textsOf({ messages: holding ?? [] })).toContain('[in_progress] read the design');
  // The system prompt, then the law; the summary is a part of the history, and the recap the end of it.
  expect(sent[place]?.system[1]).toContain('Amounts are in cents.');
  expect(sent[place]?.system.join()).not.toContain('Archived Session Summary');
});
