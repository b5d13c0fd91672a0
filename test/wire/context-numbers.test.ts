/** Whose numbers hold, how much stays word for word, and what a summary says, in the requests of a run (S0, S1, S2, S4). */
import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import { openWire, resultsOf, textsOf, type Sent, type Step } from '../support/wire.ts';

/** About eight thousand tokens each, told apart by their numbers. */
const PAGES = 18;
const page = (n: number) => `page ${n}\n${`line of page ${n}, which says little\n`.repeat(680)}end of page ${n}\n`;
const pages = Object.fromEntries(
  Array.from({ length: PAGES }, (_, n) => [`scenarios/desk/pages/p${n + 1}.md`, page(n + 1)]),
);
const reads = Array.from({ length: PAGES }, (_, n) => `pages/p${n + 1}.md`);
const readAll: Step[] = reads.map((path) => ({
  calls: [{ tool: 'read', input: { file_path: `scenario/${path}` } }],
}));

const policy = (changes: object) => stringify({ extends: 'two-agent', ...changes });
const isSummaryRequest = (sent: Sent) => textsOf(sent).includes('<compaction_request>');
const pagesIn = (sent: Sent | undefined) =>
  resultsOf(sent ?? { messages: [] }, 'read').filter((text) => /end of page \d+\n/.test(text)).length;

/** Execute reads no sources: the design that it reads is long, and it reads it again and again. */
const DESIGN = 'simulation/files/design/unified_scenario_design.md';
const readDesign: Step[] = reads.map(() => ({
  calls: [{ tool: 'read', input: { file_path: 'design/r1/unified_scenario_design.md' } }],
}));

test('the latest N steps stay word for word in a share of the target; the policy says where it compacts (S0.2, S0.5, S0.12, S1.10, S1.15, S2.9)', async () => {
  const design = await readFile(`templates/scenario/${DESIGN}`, 'utf8');
  const wire = await openWire({
    files: {
      ...pages,
      'config/context/far.yaml': policy({ name: 'far', trigger: { tokens: 120_000 } }),
      [`scenarios/desk/${DESIGN}`]: `${design}\n${page(0)}`,
    },
    reads,
    init: readAll,
    execute: readDesign,
  });
  const run = await wire.run('--policy', 'far');
  expect(run).toMatchObject({ code: 0 });
  for (const [who, steps, names] of [
    ['init', 3, ['total_failure_samples', 'layer1_problems_report']],
    ['execute', 5, ['layer2_problems', 'layer3_problems', 'fix_attempts']],
  ] as const) {
    const sent = wire.sent(who);
    const asked = sent.findIndex(isSummaryRequest);
    expect(pagesIn(sent[asked])).toBeGreaterThanOrEqual(11);
    expect(pagesIn(sent[asked])).toBeLessThan(PAGES);
    expect(pagesIn(sent[asked + 1])).toBe(steps);
    for (const name of names) expect(textsOf(sent[asked + 1] ?? { messages: [] })).toContain(name);
    expect(textsOf(sent[asked] ?? { messages: [] })).toMatch(/\[#e\d+\] read \S+\.md -> /);
  }
});

test('a policy’s own share holds under --policy, and MAX_MESSAGE_HISTORY limits the messages (S1.10, S3.2)', async () => {
  const wire = await openWire({ init: readAll.slice(0, 12), files: pages, reads });
  const run = await wire.tandem(
    ['run', 'desk', '--profile', 'wire', '--policy', 'windowed', '--on-gate', 'exit', '--json'],
    { MAX_MESSAGE_HISTORY: '12' },
  );
  expect(run.code).toBe(4);
  const sent = wire.sent('init');
  expect(sent.some(isSummaryRequest)).toBe(true);
  for (const one of sent.filter((request) => !isSummaryRequest(request)))
    expect(one.messages.length).toBeLessThanOrEqual(13);
  const wrong = await wire.tandem(['run', 'desk', '--profile', 'wire'], { MAX_MESSAGE_HISTORY: '5' });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('MAX_MESSAGE_HISTORY=5')]);
});

test.each([['claude-opus-5'], ['claude-opus-5-5']])(
  'the newest todo recap is the last message of every call to %s, and an older one is in none (S1.1)',
  async (model) => {
    const todo = (status: string): Step => ({
      calls: [{ tool: 'todo_write', input: { todos: [{ id: 'a', text: 'read the policy', status }] } }],
    });
    const steps = [todo('pending'), ...readAll.slice(0, 2), todo('done'), ...readAll.slice(2, 3)];
    const wire = await openWire({
      ...{ files: pages, reads, init: steps, execute: steps },
      agents: { init: { model }, execute: { model } },
    });
    expect(await wire.run('--policy', 'layered')).toMatchObject({ code: 0 });
    for (const who of ['init', 'execute'] as const) {
      const [, ...later] = wire.sent(who);
      for (const sent of later) {
        const holding = sent.messages.flatMap(({ content }, place) =>
          JSON.stringify(content).includes('<todo_recap>') ? [place] : [],
        );
        expect(holding).toEqual([sent.messages.length - 1]);
      }
      expect(JSON.stringify(later[3]?.messages.at(-1))).toContain('[done] read the policy');
    }
  },
);

test('a transcript beyond the safety limits is refused before the call (S4.10)', async () => {
  const wire = await openWire({
    files: { 'config/context/short.yaml': policy({ name: 'short', safety: { entries: 4, edges: 100 } }) },
  });
  const run = await wire.run('--policy', 'short');
  expect(run.stderr).toContain(
    'The transcript has 5 entries with 4 links to parents; policy "short" allows 4 and 100.',
  );
  expect(wire.sent('init')).toHaveLength(2);
});

test('a threshold that the window lowers is said at start and by the doctor (S0.2)', async () => {
  const wire = await openWire({ agents: { init: { trigger: { tokens: 990_000 } } } });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('Agent init (claude-opus-5-5) compacts at 964000 tokens, not at 990000 as configured');
  const doctor = await wire.tandem(['doctor', '--profile', 'wire']);
  expect(doctor.stdout).toContain('compacts at 964000 tokens, not at 990000 as configured');
  expect(doctor.stdout).toMatch(/execute: policy two-agent on \S+, from 700000 of 1000000 tokens to 350000/);
});

test('a chat that compacts while the gate is open carries the gate, and says that its context has changed (S0.18, S2.8)', async () => {
  const wire = await openWire({
    files: pages,
    reads,
    init: readAll.slice(0, 6),
    define: { chat: (shipped) => ({ ...shipped, context: { policy: 'two-agent', trigger: { tokens: 45_000 } } }) },
  });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.code).toBe(4);
  const chat = await wire.tandem(['chat', run.id, '--message', 'Why two renewals?', '--profile', 'wire']);
  const sent = wire.sent('chat');
  expect(sent.some(isSummaryRequest), chat.stderr).toBe(true);
  for (const one of sent) expect(textsOf(one)).toContain('<open_gate>\\nHITL-1.r1 was open when this was written');
  const shown = await wire.tandem(['context', 'show', run.id, 'chat', '--json']);
  const { contexts } = JSON.parse(shown.stdout) as {
    contexts: { picture: { tokens: number; history: { compactions: unknown[] } } }[];
  };
  expect(contexts[0]?.picture.history.compactions).toHaveLength(1);
  expect(contexts[0]?.picture.tokens).toBeGreaterThan(2000);
  expect(chat.stderr).toMatch(/^context: a summary replaces everything through e\d+: [\d.]+k → [\d.]+k$/m);
});
