/** Lines of records become calls; an older transcript gives what it knows (S4.6). */
import { expect, test } from 'vitest';
import { refusal } from '../../src/context/index.ts';
import { deriveCallRecords, foldCalls, type CallRecord } from '../../src/transcript/call-record.ts';
import { compact, coreWith, createLog } from '../support/transcripts.ts';

const line = (id: string, more: Partial<CallRecord> = {}): CallRecord => ({
  ...{ version: 1, id, agent: 'init', lane: 'main', purpose: 'answer', model: 'm', decisions: [], rewrites: [] },
  ...more,
});

test('a call is one, however often it was written; a replay says nothing new, and the first time stays', () => {
  const answered = line('a', { at: '2026-11-23T02:00:00Z', outcome: 'answered', ms: 5 });
  const calls = foldCalls([
    line('a', { at: '2026-11-23T01:00:00Z' }),
    answered,
    line('b'),
    line('a', { at: '2026-11-23T03:00:00Z' }),
  ]);
  expect(calls).toEqual([{ ...answered, at: '2026-11-23T01:00:00Z' }, line('b')]);
});

test('a call that failed stays when its step is tried again', () => {
  const failed = line('a', { outcome: 'failed', error: { code: 'x', message: 'y' } });
  expect(foldCalls([line('a'), failed, line('a'), line('a', { outcome: 'answered' })])).toEqual([
    failed,
    line('a', { outcome: 'answered' }),
  ]);
});

test('a transcript from before tells its answers, its compactions and its refusals', () => {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 9; n += 1) log.step([{ result: 'x '.repeat(900) }], { usage: 1000 * n });
  log.append(refusal('schema', 'no closed tag'));
  const made = compact(log, coreWith(), ['fine [#e3]']);
  const calls = deriveCallRecords(log.entries, 'init', { ms: { e2: 70, [made.id]: 9 } });
  expect(calls).toHaveLength(10);
  expect(calls[0]).toMatchObject({ entry: 'e2', ms: 70, outcome: 'answered', agent: 'init' });
  expect(calls.at(-1)?.rewrites).toMatchObject([{ cause: 'schema' }, { entry: made.id, ms: 9 }]);
  expect(calls.at(-1)).not.toHaveProperty('outcome');
});
