/** What an archive may not hold: open items of the todo list, and the work that stays in the view (S1.18). */
import { expect, test } from 'vitest';
import { acceptSummary, planCompaction, view } from '../../../src/context/index.ts';
import { answerFor, smallCore } from '../../support/policies.ts';
import { createLog } from '../../support/transcripts.ts';

const TODOS = [
  { text: 'Read the policy of returns', status: 'done' },
  { text: 'Write the checker of R4', status: 'in_progress' },
];

function judge(policy: string, points: (kept: string) => string[]) {
  const core = smallCore(policy, { keep: { maxTokens: 12_000 } }, { model: { systemMessages: true } });
  const log = createLog();
  log.human('go');
  log.step([{ tool: 'todo_write', input: { todos: TODOS }, result: '{"ok":true}' }]);
  for (let n = 0; n < 40; n += 1) {
    log.human(`and ${n}`);
    log.step([{ tool: 'unheard', result: 'w '.repeat(600) }]);
  }
  const plan = planCompaction(log.entries, core, { reason: 'manual', edits: false });
  if (plan.type !== 'cut') throw new Error(plan.type);
  const judged = acceptSummary(log.entries, core, plan, answerFor(core, points(plan.keepsFrom ?? '')));
  if (!judged.ok) throw new Error(judged.detail);
  log.append(judged.entry);
  return { entry: judged.entry, shown: JSON.stringify(view(log.entries).messages) };
}

const points = (kept: string) => [
  'The policy of returns counts from delivery [#e3]',
  '[in progress] **Write the checker of R4**',
  `The latest file is being read [#${kept}]`,
  'To write the checker of R4 the dates of orders were found in orders.json, in two spellings [#e5]',
  'Read the policy of returns: done',
];

test('an archive is freed of current progress, which code and the kept turns hold; the receipt counts it (S1.18)', () => {
  const { entry, shown } = judge('layered', points);
  expect(entry.receipt.claims).toMatchObject({ current: 2 });
  expect(entry.summary).toContain('counts from delivery');
  expect(entry.summary).toContain('in two spellings');
  expect(entry.summary).toContain('Read the policy of returns: done');
  expect(entry.summary).not.toContain('[in progress]');
  expect(entry.summary).not.toContain('is being read');
  // Code carries the list itself.
  expect(shown).toContain('[in_progress] Write the checker of R4');
});

test('a summary that the next one replaces says where the work stands', () => {
  const { entry } = judge('two-agent', points);
  expect(entry.receipt.claims?.current).toBeUndefined();
  expect(entry.summary).toContain('[in progress]');
  expect(entry.summary).toContain('is being read');
});
