/** The report shows every agent's context over time: a column a call, a line a compaction, all of it told in words too. */
import { deriveCallRecords } from '../../../src/transcript/call-record.ts';
import { expect, test } from 'vitest';
import { contextHistory } from '../../../src/context-lab/history.ts';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { RunSummary } from '../../../src/report/run/run-summary.ts';
import { compact, coreWith, createLog } from '../../support/transcripts.ts';
import { refundDesk } from '../refund-desk.ts';

function history(calls: number) {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= calls; n += 1) {
    log.step([{ result: 'x '.repeat(900) }], { usage: 1000 + 500 * n });
    if (n === 12) compact(log, coreWith(), ['fine']);
  }
  return contextHistory(deriveCallRecords(log.entries, 'init'));
}

test('a column for every call, a numbered line for every compaction, receipts to unfold', () => {
  const summary = refundDesk({ contexts: [{ agent: 'init', history: history(20) }] });
  expect(RunSummary.parse(summary).contexts).toHaveLength(1);
  const page = renderRunHtml(summary, '');
  expect(page).toContain('Contexts over time');
  expect(page.match(/<rect class="c-fresh"/g)).toHaveLength(20);
  expect(page.match(/<line class="c-mark"/g)).toHaveLength(1);
  expect(page).toContain('20 calls, 1 compaction.');
  expect(page).toContain('steps summarised through');
});

test('thousands of calls stay some hundred columns, and agents have pictures of their own', () => {
  const long = history(20);
  const calls = Array.from({ length: 5000 }, (_, place) => ({
    ...(long.calls[place % 20] ?? long.calls[0]!),
    entry: `e${place}`,
  }));
  const page = renderRunHtml(
    refundDesk({
      contexts: [
        { agent: 'init', history: { ...long, calls } },
        { agent: 'execute', history: long },
      ],
    }),
    '',
  );
  expect(page.match(/<rect class="c-fresh"/g)?.length).toBeLessThan(350);
  expect(page).toContain('id="context-0-title"');
  expect(page).toContain('id="context-1-title"');
});

test('names from a transcript cannot leave their place', () => {
  const evil = '"><script>alert(1)</script>';
  const hostile = { ...history(13), model: evil };
  const page = renderRunHtml(refundDesk({ contexts: [{ agent: evil, history: hostile }] }), '');
  expect(page).not.toContain('<script');
});

test('a run without calls has no such section', () => {
  expect(renderRunHtml(refundDesk(), '')).not.toContain('Contexts over time');
});
