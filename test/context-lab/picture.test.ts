/** The picture of a context holds what the view holds: every message by kind and age, the cut, and the way there. */
import { deriveCallRecords } from '../../src/transcript/call-record.ts';
import { expect, test } from 'vitest';
import {
  answerTimes,
  cacheReadShare,
  contextHistory,
  estimateError,
  billedInput,
} from '../../src/context-lab/history.ts';
import { drawContext } from '../../src/context-lab/picture.ts';
import { itemEntry } from '../../src/context/index.ts';
import { refusal } from '../../src/context/plan/circuit-breaker.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { view } from '../../src/context/view/view.ts';
import { compact, coreWith, createLog } from '../support/transcripts.ts';

function workLog() {
  const log = createLog();
  log.human('Build it.');
  for (let n = 1; n <= 8; n += 1)
    log.step([{ tool: 'read', input: { file_path: `f${n}` }, result: `file ${n} `.repeat(800) }], {
      think: `thought ${n}`,
      usage: 1000 + n * 2000,
    });
  return log;
}

test('before any compaction every message is a row, the newest has age 0, nothing is cut', () => {
  const log = workLog();
  const { rows, cut, kinds, tokens, fixed } = drawContext(log.entries);
  expect(rows.map(({ age }) => age)).toEqual(rows.map((_, place) => rows.length - 1 - place));
  expect(rows[0]).toMatchObject({ entry: 'e1', role: 'user', rewritten: false, label: 'Build it.' });
  expect(rows[1]?.parts.map(({ kind }) => kind)).toEqual(['thinking', 'call']);
  expect(rows.at(-1)).toMatchObject({ label: '1 result', parts: [{ kind: 'result' }] });
  expect(kinds[0]?.kind).toBe('result');
  expect(cut).toBeUndefined();
  expect(fixed).toBe(3000 - estimateMessages(view(log.entries.slice(0, 1)).messages));
  expect(tokens).toBeGreaterThan(fixed);
});

test('after a compaction facts and summary stand first, the kept steps are rewritten, the cut says what is gone', () => {
  const log = workLog();
  const made = compact(log, coreWith(), ['all well [#e3]']);
  log.step([{ result: 'new' }], { usage: 4000 });
  const { rows, cut, history } = drawContext(log.entries);
  expect(rows[0]).toMatchObject({ entry: made.id, rewritten: true, parts: [{ kind: 'facts' }] });
  expect(rows[1]).toMatchObject({ entry: made.id, role: 'assistant', parts: [{ kind: 'summary' }] });
  expect(rows.at(-1)?.rewritten).toBe(false);
  expect(rows.some(({ rewritten, parts }) => rewritten && parts.some(({ kind }) => kind === 'thinking'))).toBe(false);
  expect(cut).toMatchObject({ entry: made.id, coversThrough: made.coversThrough });
  expect(cut?.covered).toBeGreaterThan(5);
  expect(history.compactions).toMatchObject([{ entry: made.id, afterCalls: 8 }]);
  expect(history.calls.map(({ epoch }) => epoch)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test('every answer and every compaction has its time, where one was taken', () => {
  const log = workLog();
  const made = compact(log, coreWith(), ['all well [#e3]']);
  const { calls, compactions } = contextHistory(
    deriveCallRecords(log.entries, 'init', { ms: { e2: 1500, e4: 40, [made.id]: 9, e3: 7 } }),
  );
  expect(calls.map(({ durationMs }) => durationMs)).toEqual([1500, 40, ...Array<undefined>(6).fill(undefined)]);
  expect(compactions).toMatchObject([{ durationMs: 9 }]);
  expect(
    answerTimes(contextHistory(deriveCallRecords(log.entries, 'init', { ms: { e2: 40, e4: 1500 } }))),
  ).toMatchObject({
    ms: 1540,
    longest: { entry: 'e4' },
  });
  expect(answerTimes(contextHistory(deriveCallRecords(log.entries, 'init')))).toBeUndefined();
});

test('the history counts what was read from the cache over all calls, and keeps refusals', () => {
  const log = workLog();
  log.append(refusal('schema', 'no closed tag'));
  const call = log.entries.find((entry) => entry.type === 'message' && entry.response !== undefined);
  if (call?.type !== 'message' || call.response === undefined) throw new Error('no call');
  call.response.usage = {
    input_tokens: 100,
    cache_read_input_tokens: 700,
    cache_creation_input_tokens: 200,
    output_tokens: 5,
  };
  const history = contextHistory(deriveCallRecords(log.entries, 'init'));
  expect(billedInput(history.calls[0] ?? { entry: '', epoch: 0, read: 0, written: 0, fresh: 0, output: 0 })).toBe(1000);
  const rest = history.calls.slice(1).reduce((sum, one) => sum + billedInput(one), 0);
  expect(cacheReadShare(history)).toBeCloseTo(700 / (1000 + rest));
  expect(history.refusals).toEqual([{ entry: 'e18', afterCalls: 8, cause: 'schema', detail: 'no closed tag' }]);
  expect(cacheReadShare(contextHistory([]))).toBeUndefined();
});

test('a call tells what it was expected to have, and the history how far that was from what was billed', () => {
  const log = workLog();
  const expected = [0.9, 1.5, 1].map((share, place) => {
    const entry = log.entries.filter((one) => one.type === 'message' && one.origin === 'model')[place];
    if (entry?.type !== 'message' || entry.response === undefined) throw new Error('no answer');
    entry.response.estimated = Math.round(entry.response.usage.input_tokens * share);
    return entry.response.estimated;
  });
  const history = contextHistory(deriveCallRecords(log.entries, 'init'));
  expect(history.calls.slice(0, 4).map(({ estimated }) => estimated)).toEqual([...expected, undefined]);
  expect(estimateError(history)).toBeCloseTo(0.1, 2);
  expect(estimateError(contextHistory(deriveCallRecords(workLog().entries, 'init')))).toBeUndefined();
});

test('times are told by the entry of their compaction, and only there', () => {
  const log = workLog();
  const { id } = compact(log, coreWith(), ['x [#e1]']);
  expect(
    contextHistory(deriveCallRecords(log.entries, 'init', { ms: { [id]: 1500, e1: 7 } })).compactions[0],
  ).toMatchObject({
    entry: id,
    durationMs: 1500,
  });
  expect(contextHistory(deriveCallRecords(log.entries, 'init')).compactions[0]).not.toHaveProperty('durationMs');
});

test('typed items and changes are those of the agent’s own lane, as its context is (S2.1, S2.8)', () => {
  const log = workLog();
  log.append({ type: 'layer', name: 'subagent_strategy', text: 'delegate what is long' });
  log.append(itemEntry('recap', 'todo'));
  const own = drawContext(log.entries);
  const lane = { ...log.human('a task'), lane: 'subagent-0a0b0c0d' };
  const { rows, items, changes, history } = drawContext([...log.entries.slice(0, -1), lane]);
  expect({ rows, items, changes, history }).toEqual({
    ...{ rows: own.rows, items: own.items, changes: own.changes, history: own.history },
  });
  expect(items.map(({ type, segment, count }) => `${type} ${segment} ${count}`)).toEqual([
    'tool_result conversation 16',
    'user_message conversation 1',
    'recap conversation 1',
    'subagent_strategy header 1',
  ]);
  expect(changes.map(({ type }) => type)).toEqual(['layer_changed', 'item_added']);
});
