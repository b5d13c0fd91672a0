/** What a reviewer mentions, in Chinese as in English, reaches Init and Execute as a reminder to read files that they can read (S1.11). */
import { expect, test } from 'vitest';
import { openWire, type Sent, type Turn } from '../support/wire.ts';

const opening = (sent: Sent | undefined) => {
  const texts = sent?.messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
  return texts?.findLast((text) => text.includes('_context round=')) ?? '';
};

const REVISES: Turn = {
  name: 'design r2',
  marker: '<reviewer_to_init_context round="2"',
  steps: [
    { calls: [{ tool: 'read', input: { file_path: 'scenario/policies/续借 规则.ts' } }] },
    {
      expects: '最多续借两次',
      calls: [{ tool: 'submit_design', input: { summary: '按批注修改。', changes: [], open_questions: [] } }],
    },
    { say: 'Handed in again.' },
  ],
};

test('changes that are asked for in Chinese name the files, and what is not there is said (S1.11)', async () => {
  const wire = await openWire();
  const run = await wire.run('--on-gate', 'exit');
  const comment =
    '请看@business_rules.yaml的第二条，再看 @"policies/lending.md"；参考@没有的.md，@ada 和 ada@example.org 不是文件，也不要看@gates/HITL-1.r1/pack.json。';
  await wire.decide(run.id, 'request-changes', comment);
  const task = opening(wire.sent('init').at(-1));
  expect(task).toContain(comment);
  expect(task).toContain('The reviewer mentions design/r1/business_rules.yaml, scenario/policies/lending.md.');
  expect(task).toMatch(/named 没有的\.md, gates\/HITL-1\.r1\/pack\.json/);
  expect(task).not.toMatch(/mentions[^.]*ada/);
  // Nothing of the files themselves is injected.
  expect(task).not.toContain('renew at most');
});

test('a note at an approval names only what Execute can read (S1.11)', async () => {
  const wire = await openWire();
  const run = await wire.run('--on-gate', 'exit');
  const comment =
    'Look at @format_spec.yaml @business_rules.yaml @handoffs/001-init-to-execute.md @unified_scenario_design.md @scenario/brief.md';
  await wire.decide(run.id, 'approve', comment);
  const task = opening(wire.sent('execute')[0]);
  expect(task).toContain(
    'The reviewer mentions design/r1/format_spec.yaml, design/r1/business_rules.yaml, design/r1/unified_scenario_design.md.',
  );
  expect(task).toMatch(/named handoffs\/001-init-to-execute\.md, scenario\/brief\.md/);
});

test('of seven files, named in order and some twice, five are listed and the rest counted (S1.11)', async () => {
  const names = ['一', '二', '三', '四', '五', '六', '七'].map((name) => `条款/${name}.md`);
  const files = Object.fromEntries(names.map((name) => [`scenarios/desk/${name}`, `${name}：见总则。\n`]));
  const wire = await openWire({ files, reads: names });
  const run = await wire.run('--on-gate', 'exit');
  const comment = [...names.slice(0, 3), ...names].map((name) => `请看@${name}。`).join('');
  await wire.decide(run.id, 'request-changes', comment);
  const listed = names.slice(0, 5).map((name) => `scenario/${name}`);
  expect(opening(wire.sent('init').at(-1))).toContain(`The reviewer mentions ${listed.join(', ')} (and 2 more…).`);
});

/** Two hundred lines as somebody copies them out of an editor: tabs, a Chinese comment on each, an address, a decorator. */
const PASTED = Array.from(
  { length: 200 },
  (_, n) =>
    `\tif (借阅.续借次数 > ${n}) return 拒绝(); // 第${n}条：见 ops${n}@example.org，@deprecated 的旧规则</code>`,
).join('\r\n');

test('two hundred pasted lines with Chinese comments arrive whole at Init and Execute, and only the file among them is a mention (S1.11)', async () => {
  const wire = await openWire({
    files: { 'scenarios/desk/policies/续借 规则.ts': `// 最多续借两次\n${PASTED}\n` },
    reads: ['policies/续借 规则.ts'],
    turns: { init: [REVISES] },
  });
  const run = await wire.run('--on-gate', 'exit');
  const comment = (file: string) => `请改成这样：\n\`\`\`ts\n${PASTED}\n\`\`\`\n依据@"${file}"，谢谢。`;
  await wire.decide(run.id, 'request-changes', comment('policies/续借 规则.ts'));
  await wire.decide(run.id, 'approve', comment('business_rules.yaml'));
  for (const [who, mentioned] of [
    ['init', 'scenario/policies/续借 规则.ts'],
    ['execute', 'design/r2/business_rules.yaml'],
  ] as const) {
    const task = opening(wire.sent(who).at(-1));
    for (const line of PASTED.split('\r\n')) expect(task).toContain(line.trim());
    expect(task).toContain(`The reviewer mentions ${mentioned}.`);
    expect(task).not.toMatch(/named .*(deprecated|example)/);
  }
});
