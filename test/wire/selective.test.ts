/** Typed items in a run: what leaves by its type, what never does, and who is told of every change (S2). */
import { expect, test } from 'vitest';
import { openWire, resultsOf, textsOf, type Sent, type Step, type WireSetup } from '../support/wire.ts';

const SKILL = `---\nname: careful\ndescription: How a design is written.\n---\n${'Write one rule at a time. '.repeat(700)}\n`;
const LONG = (n: number) => `Part ${n} of the manual.\n${`Paragraph ${n}: the desk opens at nine. `.repeat(150)}\n`;
const PARTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const reads = PARTS.map((n): Step => ({
  say: `I read part ${n}.`,
  calls: [{ tool: 'read', input: { file_path: `scenario/manual/${n}.md` } }],
}));
const small = (target: number) =>
  [
    'extends: selective',
    'name: small',
    `target: { ratio: ${target} }`,
    'keep: { maxTokens: 4000 }',
    'summary: { maxTokens: 2000 }',
    'facts: { task: 2000, messages: 800, todos: 300, ledger: 800, earlier: 500 }',
  ].join('\n');
const system = (one: Sent) => one.system.join('\n');

/** Long material, and a policy whose target is this share of the window. */
const manual = (target: number): WireSetup => ({
  files: {
    'skills/careful/SKILL.md': SKILL,
    'config/context/small.yaml': small(target),
    ...Object.fromEntries(PARTS.map((n) => [`scenarios/desk/manual/${n}.md`, LONG(n)])),
  },
  reads: PARTS.map((n) => `manual/${n}.md`),
  define: { init: (shipped) => ({ ...shipped, skills: { folder: 'skills' } }) },
  agents: { init: { policy: 'small', trigger: { tokens: 24_300 } } },
  init: [{ calls: [{ tool: 'skill', input: { name: 'careful' } }] }, ...reads],
});

test('results and skills leave by their type, the task and the header never; every change is said (S2.1, S2.2, S2.3, S2.5, S2.8)', async () => {
  const wire = await openWire(manual(0.69));
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  const has = (one: Sent, words: string) => textsOf(one).includes(words);
  const after = sent.filter((one) => has(one, '<compacted_context>') && !has(one, '<compaction_request>'));
  expect(after.length).toBeGreaterThan(1);
  expect(sent.some((one) => !after.includes(one) && has(one, 'Write one rule at a time.'))).toBe(true);
  for (const one of sent) {
    expect(has(one, '<scenario_brief round=')).toBe(true);
    expect(system(one)).toContain('- careful: How a design is written.');
  }
  for (const one of after) {
    expect(has(one, 'Write one rule at a time.')).toBe(false);
    expect(has(one, '<active_skill>')).toBe(true);
    expect(resultsOf(one, 'read').length).toBeLessThan(PARTS.length);
  }
  // S2.8: on the way to people while it happens, and afterwards from the transcript.
  expect(run.stderr).toContain('context of init: from here on the part “available skills” of the system prompt is new');
  expect(run.stderr).toMatch(/compaction of init: .* tokens/);
  const shown = await wire.tandem(['context', 'show', run.id, 'init', '--json']);
  const { contexts } = JSON.parse(shown.stdout) as {
    contexts: { picture: { changes: { type: string }[]; items: { type: string }[] } }[];
  };
  const picture = contexts[0]?.picture;
  const kinds = picture?.changes.map(({ type }) => type) ?? [];
  expect(kinds[0]).toBe('layer_changed');
  expect(kinds).toContain('items_removed');
  const types = picture?.items.map(({ type }) => type) ?? [];
  expect(types).toEqual(
    expect.arrayContaining(['skill_metadata', 'user_message', 'tool_result', 'compaction_summary']),
  );
  expect(types).not.toContain('skill_prompt');
});

test('where that is not enough, one summary of five parts replaces the conversation, and no call loses its result (S2.4, S2.6)', async () => {
  const wire = await openWire(manual(0.4));
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  const place = sent.findIndex((one) => textsOf(one).includes('<compaction_request>'));
  const asked = sent[place];
  const next = sent[place + 1];
  for (const part of ['task_overview', 'current_state', 'discoveries', 'next_steps', 'context_to_preserve'])
    expect(
      asked?.messages
        .at(-1)
        ?.content.map((block) => JSON.stringify(block))
        .join(),
    ).toContain(part);
  // The newest result has not been read by the model, and stays word for word; before it stay as many of the agent's latest
  // steps as the real size of the summary leaves room for.
  const [before, after] = [asked, next].map((one) => (one === undefined ? [] : resultsOf(one, 'read')));
  expect(after?.length).toBeLessThan(before?.length ?? 0);
  expect(after).toEqual(before?.slice(-(after?.length ?? 0)));
  expect(next?.messages.at(-1)?.role).toBe('user');
  const said = next === undefined ? '' : textsOf(next);
  for (const words of ['<summary>', 'Task overview', 'Context to preserve', '<scenario_brief round=', '<active_skill>'])
    expect(said.includes(words), words).toBe(true);
  for (const { messages } of sent) {
    const blocks = messages.flatMap(({ content }) => content);
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    expect(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))).toEqual(answered);
  }
});
