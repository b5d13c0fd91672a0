import { describe, expect, it, test } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { renderIterationMarkdown } from '../../../src/report/run/iteration-markdown.ts';
import { renderRunMarkdown } from '../../../src/report/run/run-markdown.ts';
import {
  describeAgainst,
  describeOutcome,
  getStatusTone,
  listReportNotes,
  listResultNotes,
} from '../../../src/report/run/run-outcome.ts';
import { renderBatchJUnit } from '../../../src/report/batch/junit.ts';
import { renderBatchMarkdown } from '../../../src/report/batch/markdown.ts';
import { renderBatch } from '../../../src/report/batch/terminal.ts';
import { renderJUnit } from '../../../src/report/run/junit.ts';
import { resultLine } from '../../../src/report/run/result-line.ts';
import { renderStatus } from '../../../src/report/run/status.ts';
import { batchRow, batchSummary } from '../batch-rows.ts';
import { failing, results, sample } from '../makers.ts';
import { waitingDesk, withResults } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

describe('verdict', () => {
  it.each([
    ['good', ['succeeded']],
    ['bad', ['failed', 'rejected', 'expired', 'errored', 'unreadable']],
    ['warn', ['awaiting_approval', 'paused', 'cancelled']],
    ['plain', ['not_started', 'created', 'designing', 'executing']],
  ] as const)('is %s in every report for %j', (tone, statuses) => {
    expect(statuses.map(getStatusTone)).toEqual(statuses.map(() => tone));
  });

  it('says that a person is waited for, and the score', () => {
    expect(describeOutcome(waitingDesk)).toMatchObject({ tone: 'warn', title: 'Waiting for a person' });
    expect(describeOutcome(refundDesk()).detail).toBe(
      '14 of 15 samples passed (93.3 %, 95 % interval 70.1–98.8 %). Target 85 %.',
    );
  });

  it('names the failures of the last iteration that Execute lays elsewhere than the evidence', () => {
    const own = { ...failing('late', 4, { checker: 'window' }), cause: '4b' as const };
    const claimed = (cause: '3' | '4b') => ({ ...own, claim: { cause, why: 'the checker knows three spellings' } });
    const noted = (one: ReturnType<typeof claimed>) =>
      listReportNotes(refundDesk({ iterations: withResults(results([sample('a'), one])) })).find(
        ({ title }) => title === 'CAUSES DISPUTED',
      );
    expect(noted(claimed('3'))?.text).toMatch(
      /^Of 1 failure of the last iteration Execute puts 1 elsewhere .*: late\./,
    );
    expect(noted(claimed('4b'))).toBeUndefined();
  });

  it('says beside the number what weakens it: simulation, policies at the gate, chance', () => {
    expect(listReportNotes(refundDesk()).map(({ title }) => title)).toEqual([
      'SIMULATED',
      'NO PERSON APPROVED',
      'SMALL SAMPLE',
    ]);
    expect(listReportNotes(refundDesk())[1]?.text).toBe('HITL-1.r2 was answered by policy:demo, not by a person.');
    const [last] = refundDesk().iterations.slice(-1);
    const open = { ...results([sample('a')]), interval: [0.86, 0.98] as [number, number] };
    const lost = open.samples.map((one) => ({ ...one, trials: [] }));
    const sure = last === undefined ? [] : [{ ...last, results: { ...open, samples: lost } }];
    const real = refundDesk({
      simulated: false,
      policyActors: [],
      rounds: refundDesk().rounds.slice(0, 1),
      iterations: sure,
    });
    expect(listReportNotes(real).map(({ title }) => title)).toEqual(['INCOMPLETE']);
    const asked = open.samples.map((one) => ({
      ...one,
      outcome: 'unscored' as const,
      trials: one.trials.map((trial) => ({ ...trial, outcome: 'unscored' as const, stop: 'no_move' })),
    }));
    const [note] = listReportNotes(
      refundDesk({ iterations: last === undefined ? [] : [{ ...last, results: { ...open, samples: asked } }] }),
    ).filter(({ title }) => title === 'INCOMPLETE');
    expect(note?.text).toBe(
      '1 trial has no verdict: its user had no move; it counts in no rate, and nothing is said about the target.',
    );
  });

  it('says in every report that graders decide without labels, or are not counted', () => {
    const given = { model: 'm', key: 'k', passed: 1, judged: 1, void: 0, next: [] };
    const labels = { pass: 0, fail: 0, train: 0, dev: 0, otherVersion: 0 };
    const graders = [
      { ...given, id: 'kind', labels, counts: true, allowed: true as const },
      { ...given, id: 'true', labels, counts: false },
    ];
    const { iterations } = refundDesk();
    const judged = iterations.map((one) =>
      one.results === undefined ? one : { ...one, results: { ...one.results, graders } },
    );
    const notes = listReportNotes(refundDesk({ iterations: judged })).filter(({ title }) => title.includes('GRADERS'));
    expect(notes.map(({ title }) => title)).toEqual(['UNCALIBRATED GRADERS DECIDE', 'GRADERS NOT COUNTED']);
    expect(notes[0]?.text).toContain('kind');
  });
});

test('what speaks against the rate stands beside it in the terminal, in Markdown and on the page, from one list', () => {
  const words = [{ rule: 'R3', proven: false, why: 'no sample asks' }];
  const played = results([sample('a'), failing('late', 4, { checker: 'window' })]);
  const summary = refundDesk({
    iterations: withResults({ ...played, verification: { ...played.verification, words } }),
  });
  const notes = listReportNotes(summary).map(({ title }) => title);
  expect(notes).toContain('NOT PROVEN');
  const faces = [
    renderStatus(summary, { columns: 100, color: false }).join('\n'),
    renderRunMarkdown(summary),
    renderRunHtml(summary, ''),
  ];
  for (const face of faces) expect(notes.filter((title) => !face.includes(title))).toEqual([]);
  const own = summary.iterations.at(-1)?.results;
  expect(own && listResultNotes(own).find(({ against }) => against === true)?.text).toMatch(/^R3 is not proven: /);
  expect(own && renderIterationMarkdown(own, undefined, 'r')).toContain('> **NOT PROVEN.** R3 is not proven');
});

test('a rule without a proof stands in the first lines of every face of a run, with who judges each rule', () => {
  const unproven = [{ rule: 'R3', why: 'nobody judges it' }];
  const one = results([sample('a')]);
  const coverage = { R3: { samples: ['a'], checkers: [] } };
  const played = { ...one, verification: { ...one.verification, coverage }, unproven };
  const [before] = refundDesk().iterations.slice(-1);
  const iterations = before === undefined ? [] : [{ ...before, unproven: ['R3'], results: played }];
  const summary = refundDesk({ status: 'failed', iterations });
  const against = describeAgainst(listReportNotes(summary));
  const batch = batchSummary([batchRow('a', { status: 'failed', ...(against && { against }) })]);
  const page = renderRunHtml(summary, '');
  const faces = [
    renderStatus(summary, { columns: 200, color: false }).slice(0, 5).join('\n'),
    renderRunMarkdown(summary).split('\n').slice(0, 5).join('\n'),
    renderIterationMarkdown(played).split('\n').slice(0, 5).join('\n'),
    renderJUnit(summary).split('\n').slice(0, 5).join('\n'),
    page.split('<h1>')[1]?.slice(0, 900) ?? '',
    renderBatchMarkdown(batch),
    renderBatchJUnit(batch),
    renderBatch(batch, new Map(), { columns: 200, color: false, height: 9 }).join('\n'),
  ];
  for (const face of faces) expect(face).toContain('NOT PROVEN (R3)');
  expect(page).toMatch(/judged by[\s\S]*<code>R3<\/code>[\s\S]*nobody judges it/);
  expect(resultLine(summary)).toMatchObject({ verdict: 'not met', unproven });
});

test('a doubtful verdict makes the rate a range and stands beside it with its sentence and its trace, on every face', () => {
  const doubt = { by: 'statement' as const, text: 'It said the refund was made; no call made one.', line: 4 };
  const doubtful = sample('late');
  const trials = doubtful.trials.map((trial) => ({ ...trial, disputed: [doubt] }));
  const played = { ...results([sample('a'), { ...doubtful, trials }]), target: 0.85 };
  const [before] = refundDesk().iterations.slice(-1);
  const passedRange = { low: 1, high: 2 };
  const iterations =
    before === undefined
      ? []
      : [{ ...before, ...{ passed: 2, total: 2, verdict: 'disputed' as const }, passedRange, results: played }];
  const summary = refundDesk({ iterations });
  const faces = [
    renderStatus(summary, { columns: 200, color: false }).slice(0, 5).join('\n'),
    renderRunMarkdown(summary).split('\n').slice(0, 5).join('\n'),
    renderIterationMarkdown(played).split('\n').slice(0, 5).join('\n'),
    renderJUnit(summary).split('\n').slice(0, 5).join('\n'),
    renderRunHtml(summary, '').split('<h1>')[1]?.slice(0, 900) ?? '',
    JSON.stringify(resultLine(summary)).slice(0, 300),
  ];
  for (const face of faces) expect(face).toContain('DISPUTED');
  const whole = [
    renderStatus(summary, { columns: 200, color: false }).join('\n'),
    renderRunMarkdown(summary),
    renderRunHtml(summary, ''),
    renderJUnit(summary),
  ];
  for (const face of whole) {
    expect(face).toContain('1 to 2 of 2');
    expect(face).toContain('late.1: It said the refund was made; no call made one.');
    expect(face).toMatch(/traces\/late\.1\.jsonl/);
  }
});
