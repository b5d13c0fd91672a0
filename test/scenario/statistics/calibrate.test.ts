import { expect, test } from 'vitest';
import { agreedLabels, assignLabelPart, type Label } from '../../../src/scenario/label.ts';
import { calibrate } from '../../../src/scenario/statistics/calibrate.ts';
import { graderReports } from '../../../src/scenario/statistics/grader-reports.ts';

const digest = (part: 'train' | 'dev' | 'test', index: number) =>
  `${{ train: '0', dev: '4', test: 'c' }[part]}${String(index).padStart(63, '0')}`;
const agreed = (conversation: string, pass: boolean, judged: Label['judged'][] = []) => ({
  ...{ conversation, verdict: pass ? ('pass' as const) : ('fail' as const), judged },
});
const judgedOf = (index: number, pass: boolean) => ({
  ...{ name: `s${index % 4}.${index}`, sample: `s${index % 4}`, conversation: digest('test', index), pass },
});

test('the digest of a conversation decides its part, a fifth each for examples and tuning', () => {
  expect([
    assignLabelPart(digest('train', 1)),
    assignLabelPart(digest('dev', 1)),
    assignLabelPart(digest('test', 1)),
  ]).toEqual(['train', 'dev', 'test']);
});

test('only labels of the test part calibrate, and only verdicts of this version', () => {
  const key = 'k';
  const labels = [
    agreed(digest('test', 1), true),
    agreed(digest('test', 2), false, [{ key, pass: true }]),
    agreed(digest('test', 3), false, [{ key: 'older', pass: false }]),
    agreed(digest('train', 4), true, [{ key, pass: true }]),
    agreed(digest('dev', 5), true, [{ key, pass: true }]),
  ];
  const found = calibrate(labels, key, [judgedOf(1, true), judgedOf(9, false)]);
  expect(found).toMatchObject({ passes: 1, fails: 1, sensitivity: 1, specificity: 0, n: 2 });
  expect(found.unused).toEqual({ train: 1, dev: 1, otherVersion: 1 });
  expect(found.why).toContain('1 pass and 1 fail');
  expect(found.next).toEqual(['s1.9']);
});

test('ten trials are proposed, unlabelled ones of the test part, and of as many samples as there are', () => {
  const judged = Array.from({ length: 40 }, (_, index) => judgedOf(index, true));
  const { next } = calibrate([agreed(digest('test', 0), true)], 'k', judged);
  expect(next).toHaveLength(10);
  expect(next).not.toContain('s0.0');
  expect(new Set(next.slice(0, 4).map((name) => name.split('.')[0])).size).toBe(4);
});

test('everybody has one voice, their last; where people are even, nothing is known', () => {
  const label = (by: string, verdict: 'pass' | 'fail', more: Partial<Label> = {}): Label => ({
    ...{ version: 1, seq: 0, prev: '', hash: '', at: '', by, grader: 'g', question: 'q', conversation: 'c', text: '' },
    ...{ run: 'r', iteration: 1, sample: 's', trial: 1, verdict, reason: 'because' },
    ...more,
  });
  const about = { id: 'g', question: 'q' };
  expect(agreedLabels([label('a', 'pass'), label('a', 'fail')], about)).toMatchObject([{ verdict: 'fail' }]);
  expect(agreedLabels([label('a', 'pass'), label('b', 'fail')], about)).toEqual([]);
  expect(agreedLabels([label('a', 'pass', { question: 'other' }), label('b', 'fail', { grader: 'h' })], about)).toEqual(
    [],
  );
  // One that came later from another home, and was said before.
  const [newer, older] = [
    label('a', 'pass', { at: '2026-11-23T01:00:00Z' }),
    label('a', 'fail', { at: '2026-11-22T00:00:00Z' }),
  ];
  expect(agreedLabels([newer, older], about)).toMatchObject([{ verdict: 'pass' }]);
});

test('a report says what a grader said, what is void, and that it decides only because it is allowed to', () => {
  const verdict = (index: number, pass: boolean, broken = false) => ({
    ...{ checker: 'g', pass, reason: 'r', evidence: [], ...(broken && { broken }) },
    grader: {
      model: 'm',
      key: 'k',
      conversation: digest('test', index),
      counts: true,
      votes: { pass: 1, fail: 0, void: 0 },
    },
  });
  const trial = (index: number, given: ReturnType<typeof verdict>) => ({
    ...{
      trial: index,
      outcome: 'pass' as const,
      stop: 'done',
      verdicts: [given],
      trace: 't',
      costUsd: 0,
      durationMs: 0,
    },
  });
  const samples = [
    { id: 's', trials: [trial(1, verdict(1, true)), trial(2, verdict(2, false)), trial(3, verdict(3, false, true))] },
  ];
  expect(graderReports(samples, () => [])).toMatchObject([
    {
      id: 'g',
      counts: true,
      allowed: true,
      passed: 1,
      judged: 2,
      void: 1,
      labels: { pass: 0, fail: 0 },
      next: ['s.1', 's.2'],
    },
  ]);
});

test('what is asked next is worth most; of equals the sample that is asked first, then the name', () => {
  const one = (sample: string, index: number, pass: boolean) => ({
    ...{ name: `${sample}.${index}`, sample, conversation: digest('test', index), pass },
  });
  const labels = [
    ...[1, 2, 3, 4, 5, 6].map((at) => agreed(digest('test', 100 + at), true, [{ key: 'k', pass: true }])),
  ];
  const judged = [one('b', 4, true), one('b', 3, true), one('a', 2, true), one('a', 5, true), one('c', 6, false)];
  const { next, passes, fails } = calibrate(labels, 'k', judged);
  expect([passes, fails]).toEqual([6, 0]);
  // Nobody has labelled a failure: what the grader fails comes first.
  expect(next).toEqual(['c.6', 'a.2', 'b.4', 'b.3', 'a.5']);
  const train = { ...one('d', 1, true), conversation: digest('train', 1) };
  expect(calibrate(labels, 'k', [...judged, train]).next).not.toContain('d.1');
});

test('both kinds of mistakes are counted apart', () => {
  const label = (index: number, people: boolean, pass: boolean) =>
    agreed(digest('test', index), people, [{ key: 'k', pass }]);
  const kinds: [number, boolean, boolean][] = [
    [5, true, true],
    [1, true, false],
    [2, false, true],
    [4, false, false],
  ];
  const labels = kinds.flatMap(([many, people, pass], kind) =>
    Array.from({ length: many }, (_, at) => label(kind * 10 + at, people, pass)),
  );
  expect(calibrate(labels, 'k')).toMatchObject({ passes: 6, fails: 6, sensitivity: 5 / 6, specificity: 4 / 6 });
});

test('graders are in the order of their ids, each in its newest version, and allowed only where it counts', () => {
  const by = (key: string, counts: boolean) => ({
    ...{ model: 'm', key, conversation: digest('test', 1), counts, votes: { pass: 1, fail: 0, void: 0 } },
  });
  const verdict = (checker: string, grader?: ReturnType<typeof by>) => ({
    ...{ checker, pass: true, reason: 'r', evidence: [], ...(grader && { grader }) },
  });
  const trial = (index: number, ...verdicts: ReturnType<typeof verdict>[]) => ({
    ...{ trial: index, outcome: 'pass' as const, stop: 'done', verdicts, trace: 't', costUsd: 0, durationMs: 0 },
  });
  const trials = [
    trial(1, verdict('z', by('new', false)), verdict('a', by('old', true)), verdict('code')),
    trial(2, verdict('a', by('new', true))),
  ];
  const found = graderReports([{ id: 's', trials }], () => []);
  expect(found).toMatchObject([
    { id: 'a', key: 'new', judged: 1, void: 1, counts: true, allowed: true },
    { id: 'z', key: 'new', judged: 1, counts: false },
  ]);
  expect(found[1]).not.toHaveProperty('allowed');
});
