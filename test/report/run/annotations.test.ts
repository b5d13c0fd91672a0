/** Annotations of GitHub: escaped, so that no text ends one or begins another, and no more than are shown. */
import { describe, expect, test } from 'vitest';
import { annotationLines, renderAnnotations } from '../../../src/report/run/annotations.ts';
import { failing, results } from '../makers.ts';
import { refundDesk } from '../refund-desk.ts';

const text = (level: 'error' | 'warning', count: number) =>
  Array.from({ length: count }, (_, index) => ({ level, title: `t${index}`, text: 'x' }));

describe('annotations', () => {
  test('escape what would end them or begin another', () => {
    const [line, ...rest] = annotationLines(
      [{ level: 'error', title: 'a:b,c%', text: '50 %\n::warning::evil\r\nend' }],
      'a,b/c:d.yaml',
    );
    expect(rest).toEqual([]);
    expect(line).toBe('::error file=a%2Cb/c%3Ad.yaml,title=a%3Ab%2Cc%25::50 %25%0A::warning::evil%0Aend');
  });

  test('are at most ten of a level, and the last one counts the rest', () => {
    const lines = annotationLines([...text('error', 25), ...text('warning', 10)], undefined);
    expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith('::warning'))).toHaveLength(10);
    expect(lines[9]).toBe('::error title=More::16 more: see the report of the run.');
  });

  test('cut a long text, never half of a pair', () => {
    const [line = ''] = annotationLines([{ level: 'error', title: 't', text: '😀'.repeat(2000) }], undefined);
    expect(line.length).toBeLessThan(1100);
    expect(line.isWellFormed()).toBe(true);
  });

  test('of a run name each failing sample with its layer; a run that waits is a notice and no error', () => {
    const failed = { ...refundDesk(), status: 'failed' as const };
    const lines = renderAnnotations(failed, 'scenarios/refund-desk/scenario.yaml');
    expect(lines[0]).toMatch(
      /^::error file=scenarios\/refund-desk\/scenario\.yaml,title=refund-desk%3A Target not met::/,
    );
    const waiting = { ...refundDesk(), status: 'awaiting_approval' as const };
    expect(renderAnnotations(waiting, undefined).join('\n')).toMatch(
      /::notice title=HITL-1\.r\d waits for a decision::/,
    );
  });

  test('a failing sample of a run that met its target is a warning', () => {
    const summary = refundDesk();
    const [last] = summary.iterations.slice(-1);
    if (last === undefined) throw new Error('the story has iterations');
    const iterations = [{ ...last, results: results([failing('late', 2, { reason: 'no refund' })]) }];
    const lines = renderAnnotations({ ...summary, status: 'succeeded', iterations }, undefined);
    expect(lines).toEqual([
      expect.stringMatching(/^::warning title=late fails in iteration 1 \(cause%3A tools\)::no refund/),
    ]);
  });
});
