/** Rounds without an approval, by the real command line and pages: reasons, marks, and what became of comments stay. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { digestAt, makeProject, tandem } from '../../support/cli.ts';
import { serve, type Served } from '../../support/waiting-project.ts';
import { KEEP, launch, openTab } from './browser.ts';
import { findings } from './findings.ts';

const CHANGED = 'A gift card that paid for damaged goods was in neither rule.';
const ADDED = 'Nobody had said what happens when the customer keeps the goods.';
const COMMENT =
  'R7: Say what holds for gift cards.\nR9: Yes, keep it.\n\nA rule is missing for goods that the customer keeps.';

/** Init changes R7 and adds R14, keeps R9, and says of each comment what it did. */
const SECOND_ROUND = [
  createEdit('bank card on file.\n', 'bank card on file, whatever paid for them.\n'),
  createEdit(
    '  - id: R13\n',
    '  - id: R14\n    title: Goods that stay\n    text: A customer who keeps damaged goods hears that nothing is refunded.\n    severity: should\n    applies_to: []\n    when: all\n    demands: words\n    source: policies/damaged-goods.md, section 1\n  - id: R13\n',
  ),
  {
    calls: [
      {
        tool: 'submit_design',
        input: {
          summary: 'R7 says what holds for gift cards; R14 is new.',
          changes: [
            { rule: 'R7', reason: CHANGED, evidence: ['scenario/policies/damaged-goods.md'] },
            { rule: 'R14', reason: ADDED, evidence: ['scenario/policies/damaged-goods.md'] },
          ],
          open_questions: [],
          comments: [
            { comment: 1, did: 'changed', rules: ['R7'], why: 'it names gift cards now' },
            { comment: 2, did: 'kept', rules: ['R9'], why: 'you asked for that' },
            { comment: 3, did: 'added', rules: ['R14'], why: 'it was missing' },
          ],
        },
      },
    ],
  },
  { expects: '"ok":true', say: 'The design is handed in.' },
];

function createEdit(old_string: string, new_string: string) {
  const input = { file_path: 'design/r2/business_rules.yaml', old_string, new_string };
  return { calls: [{ tool: 'edit', input }] };
}

type Script = { turns: { marker: string; steps: unknown[] }[] };

let project: string;
let browser: Browser;
let served: Served;

async function requestChanges(round: number, comment: string): Promise<void> {
  const digest = await digestAt(project, 'two');
  const args = ['gates', 'request-changes', 'two', '--digest', digest, '--comment', comment];
  const asked = await tandem(project, args, { USER: 'ada' });
  expect(asked.code, asked.stderr).toBe(0);
  const resumed = await tandem(project, ['resume', 'two', '--profile', 'demo', '--on-gate', 'exit', '--json']);
  expect(resumed.stdout + resumed.stderr).toContain(`HITL-1.r${round + 1}`);
}

beforeAll(async () => {
  project = await makeProject('refund-desk');
  const path = join(project, 'scenarios/refund-desk/simulation/init.yaml');
  const script = parse(await readFile(path, 'utf8')) as Script;
  const turn = script.turns.find(({ marker }) => marker === '<reviewer_to_init_context round="2"');
  if (turn === undefined) throw new Error('the script answers no request for changes');
  turn.steps = SECOND_ROUND;
  await writeFile(path, stringify(script));
  await tandem(project, ['run', 'refund-desk', '--profile', 'demo', '--on-gate', 'exit', '--id', 'two']);
  await requestChanges(1, COMMENT);
  served = await serve(project, 'ada');
  browser = await launch();
}, 240_000);
afterAll(async () => {
  await browser.close();
  await served.stop();
});

const show = async (user: string) => (await tandem(project, ['gates', 'show', 'two'], { USER: user })).stdout;

test.each(['ada', 'bob'])('the second round, nothing approved: terminal and page show %s the reasons', async (user) => {
  const shown = (await show(user)).replaceAll(/\s+/g, ' ');
  for (const text of [`because ${CHANGED}`, `because ${ADDED}`, '~ R7 Damaged', '+ R14 Goods', 'all addressed'])
    expect(shown).toContain(text);
  expect(shown.slice(shown.indexOf('ALL RULES'))).toMatch(/~ R7 .*\bR8 .*\+ R14 /);
  const other = user === 'ada' ? served : await serve(project, user);
  const { page, context, faults } = await openTab(browser, other, { width: 1280, height: 800 });
  await page.goto(`${other.url}/runs/two/gates/HITL-1.r2`);
  if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/review-round-2-${user}.png`, fullPage: true });
  for (const [id, reason] of [
    ['R7', CHANGED],
    ['R14', ADDED],
  ] as const) {
    await page.click(`#${id} .because summary`);
    expect(await page.innerText(`#${id} .because`)).toContain(reason);
  }
  expect(await page.innerText('#R7')).toContain('it names gift cards now');
  expect(await page.innerText('[aria-labelledby=comments-title]')).toContain('Init added R14: it was missing');
  if (user === 'bob') {
    expect(await page.innerText('#rules-title')).toBe('14 rules, none approved yet');
    expect(await page.innerText('#R14 h3')).toContain('added in this round');
    await other.stop();
  }
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});

test('the third round still says what became of the first comments; answered gates say what comes next', async () => {
  await requestChanges(2, 'R9: Say more.');
  const shown = (await show('bob')).replaceAll(/\s+/g, ' ');
  for (const text of ['Init changed R7', 'Init kept R9', 'Init added R14', 'NOT addressed: unchanged: R9'])
    expect(shown).toContain(text);
  const { page, context } = await openTab(browser, served, { width: 1280, height: 800 });
  await page.goto(`${served.url}/runs/two/gates/HITL-1.r1`);
  expect(await page.innerText('.next-step')).toBe('Read the design, then decide: Decide HITL-1.r3');
  await page.goto(`${served.url}/runs/two/gates/HITL-1.r3`);
  expect(await page.innerText('main')).toContain('Init added R14: it was missing');
  const approve = ['gates', 'approve', 'two', '--digest', await digestAt(project, 'two'), '--accept'];
  expect((await tandem(project, approve, { USER: 'ada' })).code).toBe(0);
  for (const round of [1, 3]) {
    await page.goto(`${served.url}/runs/two/gates/HITL-1.r${round}`);
    expect(await page.innerText('.next-step')).toBe('Nothing is running it. Start it: tandem resume two');
  }
  await context.close();
});
