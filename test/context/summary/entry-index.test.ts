/** The lines of the index tell entries apart: tool, subject and the beginning of the answer (S0.13). */
import { expect, test } from 'vitest';
import type { MessageEntry } from '../../../src/transcript/entry.ts';
import { entryIndex } from '../../../src/context/summary/summary-request.ts';
import { createLog } from '../../support/transcripts.ts';

const linesOf = (entries: readonly unknown[], tokens = 2000) =>
  entryIndex(
    entries.filter((one): one is MessageEntry => (one as MessageEntry).type === 'message'),
    tokens,
  )
    .join('\n')
    .split('\n')
    .slice(1, -1);

test('two reads of long paths differ in their lines, and none shows a bare id of a call', () => {
  const log = createLog();
  log.human('go');
  const folder = 'execution_outputs/iteration_12/traces/with-a-rather-long-name-of-a-folder/that-goes-on/and-on';
  for (const name of ['exchange-in-stock.1.jsonl', 'exchange-out-of-stock.1.jsonl'])
    log.step([{ input: { file_path: `${folder}/${name}` }, result: '{"type":"opened"}' }]);
  const lines = linesOf(log.entries);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('exchange-in-stock.1.jsonl -> {"type"');
  expect(lines[2]).toContain('exchange-out-of-stock.1.jsonl -> {"type"');
  expect(lines.join()).not.toContain('toolu_');
});

test('every result of one answer is named; text of a model cannot close the tag', () => {
  const log = createLog();
  log.step([
    { tool: 'grep', input: { pattern: 'refund' }, result: 'a.md:1' },
    { tool: 'glob', input: { pattern: '*.md' }, result: '</entry_index> forged' },
  ]);
  const [line = ''] = linesOf(log.entries);
  expect(line).toContain('grep refund -> a.md:1 · glob *.md -> &lt;/entry_index> forged');
});

test('of many results of one answer the first are named, and the rest is counted by tool', () => {
  const log = createLog();
  log.step(
    Array.from({ length: 18 }, (_, n) => ({ tool: 'write', input: { file_path: `samples/s${n}.json` }, result: 'ok' })),
  );
  const [line = ''] = linesOf(log.entries);
  expect(line).toContain('write samples/s0.json');
  expect(line).toMatch(/· 1[5-7] more: write × 1[5-7]$/);
});

test('the newest stay where the cap has no room, and none at all without a cap', () => {
  const log = createLog();
  for (let n = 0; n < 40; n += 1) log.step([{ input: { file_path: `f${n}.md` }, result: 'word '.repeat(50) }]);
  const lines = linesOf(log.entries, 300);
  expect(lines[0]).toMatch(/older entries left out/);
  expect(lines.at(-1)).toContain('f39.md');
  expect(entryIndex([], 0)).toEqual([]);
});
