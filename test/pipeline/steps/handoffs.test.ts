/** What the agents are told when one hands over to the other, and what a reviewer's words become (S0.21, S1.11). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findHome } from '../../../src/config/home.ts';
import { loadPrompts } from '../../../src/config/load-prompts.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import {
  approvedTask,
  changesRequestedTask,
  nextIterationTask,
  formatNotes,
  returnedTask,
} from '../../../src/pipeline/steps/handoffs.ts';
import { resolveMentions, parseMentions } from '../../../src/gate/rules/mentions.ts';
import { handoffPath } from '../../../src/run/layout.ts';
import { Brief } from '../../../src/scenario/brief.ts';

const prompts = await loadPrompts(findHome('.'));
const brief = parseYaml(readFileSync('scenarios/refund-desk/scenario.yaml', 'utf8'), Brief, 'scenario.yaml');

const caps = { maxIterations: 4, maxRounds: 5 };

test('each hand-off stands in its own tag, which names the execution_output_dir (S0.21)', () => {
  const facts = {
    round: 2,
    designDir: 'design/r2',
    iteration: 3,
    approvedBy: 'user:ada',
    summary: 's',
    changes: [],
    notes: '',
    caps,
  };
  expect(approvedTask(prompts, brief, facts)).toMatch(
    /^<init_to_execute_context round="2" iteration="3" execution_output_dir="execution_outputs\/iteration_3" design_dir="design\/r2">[\s\S]*<\/init_to_execute_context>\s*$/,
  );
  const problem = { title: 't', rules: ['R4'], samples: ['s'], claim: 'No world keeps both.' };
  const back = returnedTask(prompts, {
    round: 3,
    iteration: 3,
    passed: 1,
    total: 2,
    problems: [problem],
    summary: '',
    notes: '',
    caps,
  });
  expect(back).toMatch(
    /^<execute_to_init_context round="3" iteration="3" execution_output_dir="execution_outputs\/iteration_3" [\s\S]*R4[\s\S]*<\/execute_to_init_context>\s*$/,
  );
  expect([handoffPath('init', 1), handoffPath('execute', 1), handoffPath('init', 2)]).toEqual([
    'handoffs/001-init-to-execute.md',
    'handoffs/002-execute-to-init.md',
    'handoffs/003-init-to-execute.md',
  ]);
});

test('files that a reviewer mentions become a reminder behind the words, whatever was decided; nothing of them is injected (S1.11)', () => {
  const comment = 'Compare @scenario/brief.md, not @../secret.md or @none.md.';
  const files = resolveMentions(parseMentions(comment), 'design/r1', ['scenario/brief.md']);
  const asked = changesRequestedTask(prompts, { round: 2, iteration: 0, actor: 'user:ada', comment, files, caps });
  const notes = formatNotes(prompts, [{ actor: 'user:ada', comment, files }]);
  for (const text of [asked, notes]) {
    expect(text).toContain('No file that you can read is named none.md.');
    expect(text).toContain(
      'The reviewer mentions scenario/brief.md (outside of the run, so left out: ../secret.md). Read what is named',
    );
  }
  expect(asked).toContain(comment);
  expect(formatNotes(prompts, [{ actor: 'user:ada', comment: 'fine' }])).not.toContain('mentions');
});

test('both agents read how many iterations and rounds are left', () => {
  const facts = {
    round: 2,
    designDir: 'design/r2',
    iteration: 3,
    passed: 1,
    total: 2,
    successRate: 0.5,
    failures: [],
    caps,
  };
  expect(nextIterationTask(prompts, brief, facts)).toContain('This is iteration 3 of at most 4; left after it: 1.');
  const first = { ...facts, approvedBy: 'user:ada', summary: 's', changes: [], notes: '' };
  expect(approvedTask(prompts, brief, first)).toContain('This is iteration 3 of at most 4; left after it: 1.');
  const back = returnedTask(prompts, {
    round: 3,
    iteration: 3,
    passed: 1,
    total: 2,
    problems: [],
    summary: '',
    notes: '',
    caps,
  });
  expect(back).toContain('design round 3 of at most 5, and Execute has 1 iterations left');
});

test('a reviewer who answers "Q1: yes" is read with the text of question 1, by both agents', () => {
  const questions = ['May a gift card be paid out?', 'Is 31 days too late?'];
  const answered = { actor: 'user:ada', comment: 'Q2: yes, q1 no.', questions };
  const both = '<questions>\nQ1: May a gift card be paid out?\nQ2: Is 31 days too late?\n</questions>';
  expect(formatNotes(prompts, [answered])).toContain(both);
  expect(changesRequestedTask(prompts, { ...answered, round: 2, iteration: 1, caps })).toContain(both);
  expect(formatNotes(prompts, [{ ...answered, comment: 'Fine. FAQ1 too.' }])).not.toContain('<questions>');
  const quoted = { ...answered, comment: 'Q1 "May a gift card be paid out?": no' };
  expect(formatNotes(prompts, [quoted])).not.toContain('<questions>');
});

test('a design that comes back before a sample ran sends nobody to a report or a trace', () => {
  const problem = { title: 't', rules: ['R4'], samples: ['s'], claim: 'No world keeps both.' };
  const facts = { round: 2, iteration: 1, problems: [problem], summary: '', notes: '', caps };
  const early = returnedTask(prompts, { ...facts, passed: 0, total: 0 });
  expect(early).toContain('before any sample ran');
  expect(early).toContain('execution_outputs/iteration_1/layer1_problems.json');
  expect(early).toContain('No world keeps both.');
  expect(early).not.toMatch(/report\.md|traces\/|0 of 0/);
  const late = returnedTask(prompts, { ...facts, passed: 1, total: 2 });
  expect(late).not.toContain('Execute says');
  const besides = { ...facts, summary: 'Nobody says whether a forwarder may consent.' };
  for (const total of [0, 2])
    expect(returnedTask(prompts, { ...besides, passed: 0, total })).toContain(
      'Execute says: Nobody says whether a forwarder may consent.',
    );
  expect(late).toMatch(/1 of 2 samples passed[\s\S]*report\.md[\s\S]*traces\//);
});
