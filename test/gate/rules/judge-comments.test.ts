import { expect, test } from 'vitest';
import { judgeComments, type DesignText } from '../../../src/gate/rules/judge-comments.ts';
import { rule, rulesOf } from '../../support/designs.ts';

function design(text: string, narrative = 'A desk.\nIt refunds.'): DesignText {
  const rules = rulesOf(rule('R4', text), rule('R5', 'Greet.'));
  return {
    rules,
    files: { 'business_rules.yaml': `R4: ${text}\nR5: Greet.`, 'unified_scenario_design.md': narrative },
  };
}

const THEN = design('Refund within 30 days.');
const NOW = design('Refund within 30 days of delivery.');

function judge(text: string, now: DesignText = NOW) {
  const [judged] = judgeComments(
    [{ gate: 'HITL-1.r1', round: 1, actor: 'user:ada', text }],
    (round) => (round === 1 ? THEN : undefined),
    now,
  );
  return judged;
}

test('a comment is addressed when the rule it names has changed', () => {
  expect(judge('R4 is unclear: from when?')).toEqual({
    gate: 'HITL-1.r1',
    actor: 'user:ada',
    text: 'R4 is unclear: from when?',
    addressed: true,
    detail: 'changed since: R4',
  });
  expect(judge('R5 is rude')).toMatchObject({ addressed: false, detail: 'unchanged: R5' });
});

test('a comment is addressed only when everything it names has changed', () => {
  expect(judge('R4 and R5, please')).toMatchObject({ addressed: false, detail: 'unchanged: R5; changed: R4' });
});

test('a rule has changed too when its table has, or what another file says of it', () => {
  const table: DesignText = {
    ...THEN,
    rules: rulesOf(...THEN.rules.rules.map((one) => (one.id === 'R5' ? { ...one, over: ['R4'] } : one))),
  };
  expect(judge('R5 goes before R4', table)).toMatchObject({ detail: 'unchanged: R4; changed: R5' });
  const format = (prompt: string): DesignText => ({ ...THEN, files: { ...THEN.files, 'format_spec.yaml': prompt } });
  expect(judge('R5 is not in the prompt', format('subject_prompt: |\n  Greet first (R5).'))).toMatchObject({
    addressed: true,
  });
});

test('a line that is named by file and number counts as it stood then', () => {
  expect(judge('design/r1/business_rules.yaml:1 is vague')).toMatchObject({
    addressed: true,
    detail: 'changed since: business_rules.yaml:1',
  });
  expect(judge('business_rules.yaml:2 is vague')).toMatchObject({ addressed: false });
  expect(judge('nothing.yaml:1 or business_rules.yaml:99')).toMatchObject({
    detail: expect.stringContaining('names no rule'),
  });
});

test('quoted words count when they stood in the design', () => {
  expect(judge('"It refunds." is too short', design('x', 'A desk.\nIt pays back.'))).toMatchObject({
    addressed: true,
    detail: 'changed since: "It refunds."',
  });
  expect(judge('“It refunds.” is too short')).toMatchObject({ addressed: false });
  expect(judge('"never written" is wrong')).toMatchObject({ detail: expect.stringContaining('names no rule') });
});

test('a rule that was asked for and is there now is addressed', () => {
  const now: DesignText = { ...NOW, rules: rulesOf(...NOW.rules.rules, rule('R9', 'Partial refunds.')) };
  expect(judge('R9 for partial refunds is missing', now)).toMatchObject({ addressed: true });
  expect(judge('R9 for partial refunds is missing')).toMatchObject({ addressed: false });
});

test('a comment that names nothing is left to the person', () => {
  expect(judge('no negative cases')).toMatchObject({
    addressed: false,
    detail: expect.stringContaining('judge for yourself'),
  });
});

test('empty comments are no comments', () => {
  expect(judge('  ')).toBeUndefined();
});

test('each pointed-at comment of an answer is judged by itself and keeps its anchor', () => {
  const text = 'R4: from when?\nR5: rude\nbusiness_rules.yaml:1: vague\n\nNo negative cases.';
  const judged = judgeComments([{ gate: 'HITL-1.r1', round: 1, actor: 'user:ada', text }], () => THEN, NOW);
  expect(judged.map(({ anchor, addressed }) => [anchor, addressed])).toEqual([
    ['R4', true],
    ['R5', false],
    ['business_rules.yaml:1', true],
    [undefined, false],
  ]);
});

test('words that were taken out are addressed when they are back', () => {
  const text = 'unified_scenario_design.md removed "It greets.": why?';
  expect(judge(text)).toMatchObject({ addressed: false, detail: 'unchanged: "It greets." taken out' });
  expect(judge(text, design('x', 'A desk.\nIt greets.'))).toMatchObject({ addressed: true });
});

test('a note that came with an approval asked for nothing, and is never NOT addressed', () => {
  const note = { gate: 'HITL-1.r1', round: 1, actor: 'user:ada', text: 'R1: fine.\n\nGo on.', isNote: true };
  const judged = judgeComments([note], () => THEN, NOW);
  expect(judged.map(({ addressed, note: isNote }) => [addressed, isNote])).toEqual([
    [true, true],
    [true, true],
  ]);
  expect(judged.at(-1)?.detail).toBe('came with an approval');
});

test('a note says what has changed since', () => {
  const note = { gate: 'HITL-1.r1', round: 1, actor: 'user:ada', text: 'R4 and R5: fine.', isNote: true };
  expect(judgeComments([note], () => THEN, NOW)).toMatchObject([
    { detail: 'came with an approval; changed since: R4' },
  ]);
});

test('a comment on a design that is no longer there names nothing', () => {
  expect(judgeComments([{ gate: 'g', round: 1, actor: 'user:ada', text: 'R4' }], () => undefined, NOW)).toMatchObject([
    { addressed: false, detail: expect.stringContaining('names no rule') },
  ]);
});

test('a rule is what it says itself, and lines of other files that name it: no other rule, and no indentation', () => {
  const files = (rules: string, format: string): DesignText => ({
    ...THEN,
    files: { ...THEN.files, 'business_rules.yaml': rules, 'format_spec.yaml': format },
  });
  const then = files('R4: a\nR5: greet, after R4', 'prompt: |\n  Greet (R5).\n  Bye.');
  const now = files('R4: a\nR5: greet, before R4', 'prompt: |\n    Greet (R5).\n    See you.');
  const text = 'R4 and R5';
  expect(judgeComments([{ gate: 'g', round: 1, actor: 'user:ada', text }], () => then, now)).toMatchObject([
    { addressed: false, detail: 'unchanged: R4, R5' },
  ]);
});

test('a line that is indented otherwise is the same line, and a blank one is none', () => {
  const files = (yaml: string): DesignText => ({ ...THEN, files: { 'business_rules.yaml': yaml } });
  const on = (text: string, then: string, now: string) =>
    judgeComments([{ gate: 'g', round: 1, actor: 'user:ada', text }], () => files(then), files(now))[0]?.detail;
  expect(on('business_rules.yaml:1', '  a: 1', 'x:\n    a: 1 ')).toBe('unchanged: business_rules.yaml:1');
  expect(on('business_rules.yaml:1', '  \na: 1', 'a: 2')).toContain('names no rule');
  expect(on('format_spec.yaml:1', 'a: 1', 'a: 1')).toContain('names no rule');
});

test('quoted words are held against the design without the blanks around them, and blanks alone are none', () => {
  expect(judge('" It refunds. " is too short')).toMatchObject({ detail: 'unchanged: "It refunds."' });
  expect(judge('there is "   " between them')).toMatchObject({ detail: expect.stringContaining('names no rule') });
});
