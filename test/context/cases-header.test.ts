/** What stands before the conversation is another than before: a prompt, the tools, the model (T5, T21). A run outlives its program. */
import { expect, test } from 'vitest';
import { checkBreaker, createIncrementalView, shouldCompact, view } from '../../src/context/index.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { createUserMessage } from '../../src/transcript/message.ts';
import { compactBy, faultOf, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

const core = smallCore('two-agent');
const NUMBERS = { policy: 'two-agent', window: 40_000, trigger: 20_000, target: 10_000, hard: 36_000 };

function opens(log: Log, header?: string): Entry {
  const context = header === undefined ? NUMBERS : { ...NUMBERS, header };
  return log.append({
    type: 'message',
    origin: 'harness',
    message: createUserMessage(`task under ${header}`),
    context,
  });
}

function works(log: Log, steps: number, usage = 5000): void {
  for (let n = 1; n <= steps; n += 1) log.step([{ result: 'word '.repeat(50) }], { think: 'hm', usage });
}

const thinking = (log: Log) =>
  view(log.entries).messages.filter(({ content }) => content.some(({ type }) => type === 'thinking')).length;

test('T5: another header takes all thinking before it, begins an epoch, and keeps the thinking of its own', () => {
  const log = createLog();
  opens(log, 'a');
  works(log, 2);
  log.says('done', { think: 'so' });
  const { id } = opens(log, 'b');
  expect(thinking(log)).toBe(0);
  expect(view(log.entries)).toMatchObject({ epoch: id, rewrittenThrough: 6 });
  expect(faultOf(log.entries)).toBeUndefined();
  works(log, 2);
  expect(thinking(log)).toBe(2);
  expect(faultOf(log.entries)).toBeUndefined();
});

test.each([
  ['the same one', ['a', 'a']],
  ['one that is not known', ['a', undefined]],
] as const)('%s changes nothing: the cache holds', (_name, [first, second]) => {
  const log = createLog();
  opens(log, first);
  works(log, 2);
  log.says('done', { think: 'so' });
  const before = view(log.entries);
  opens(log, second);
  const after = view(log.entries);
  expect(after.epoch).toBe('e0');
  expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect(thinking(log)).toBe(3);
});

test('T5: the first header that is known, after answers under one that nobody recorded: it may have been any', () => {
  const log = createLog();
  opens(log);
  works(log, 2);
  log.says('done', { think: 'so' });
  const { id } = opens(log, 'a');
  expect(thinking(log)).toBe(0);
  expect(view(log.entries)).toMatchObject({ epoch: id, rewrittenThrough: 6 });
  works(log, 1);
  expect(thinking(log)).toBe(1);
});

test('T5: a reminder that drops all thinking before it closes the tool loop, and newer thinking is kept', () => {
  const log = createLog();
  opens(log, 'a');
  log.step([{ result: 'r' }], { think: 'hm' });
  const message = createUserMessage('without thinking');
  const { id } = log.append({ type: 'message', origin: 'reminder', message, dropsThinking: true });
  expect(thinking(log)).toBe(0);
  expect(view(log.entries).epoch).toBe(id);
  expect(faultOf(log.entries)).toBeUndefined();
  works(log, 1);
  expect(thinking(log)).toBe(1);
});

test('T5: what is not known in between is not forgotten: the header before it counts', () => {
  const log = createLog();
  opens(log, 'a');
  works(log, 1);
  opens(log);
  works(log, 1);
  opens(log, 'b');
  expect(thinking(log)).toBe(0);
});

test('before the first answer a header is nothing that anything is bound to', () => {
  const log = createLog();
  opens(log, 'a');
  opens(log, 'b');
  expect(view(log.entries)).toMatchObject({ epoch: 'e0', rewrittenThrough: 0 });
  works(log, 1);
  expect(thinking(log)).toBe(1);
});

test('T6: calls that are open where the header changes get an answer, and the turn that opens closes their loop', () => {
  const log = createLog();
  opens(log, 'a');
  log.step([{ result: 'r' }, { id: 'toolu_open' }], { think: 'hm' });
  opens(log, 'b');
  expect(faultOf(log.entries)).toBeUndefined();
  const last = view(log.entries).messages.at(-1);
  expect(last?.content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
});

test('T3: what was billed under another header is neither the size of the context nor a scale for it', () => {
  const log = createLog();
  opens(log, 'a');
  works(log, 3, 30_000);
  expect(shouldCompact(log.entries, core)).toMatchObject({ due: true, source: 'usage' });
  opens(log, 'b');
  const now = shouldCompact(log.entries, core);
  expect(now).toMatchObject({ due: false, source: 'estimate', ratio: 1 });
  works(log, 1, 3000);
  expect(shouldCompact(log.entries, core)).toMatchObject({ source: 'usage' });
  expect(shouldCompact(log.entries, core).ratio).not.toBe(1);
});

test('a follower sees it as a fresh look does', () => {
  const log = createLog();
  const follower = createIncrementalView(core);
  for (const header of ['a', 'a', 'b', undefined, 'a']) {
    opens(log, header);
    expect(follower.view(log.entries)).toEqual(view(log.entries));
    works(log, 2);
    expect(follower.view(log.entries)).toEqual(view(log.entries));
    expect(follower.pressure(log.entries)).toEqual(shouldCompact(log.entries, core));
  }
});

test('T5: a compaction after it does not bring back the thinking that the change took, the API’s own neither', () => {
  const native = smallCore('native');
  const log = createLog();
  opens(log, 'a');
  for (let n = 1; n <= 14; n += 1) log.step([{ result: 'word '.repeat(600) }], { think: 'old' });
  opens(log, 'b');
  log.step([{ result: 'word '.repeat(600) }], { think: 'new' });
  log.step([{ result: 'word '.repeat(600) }], { think: 'new' });
  const { plan, accepted } = compactBy(log, native, ['all well [#e3]']);
  expect(plan).toMatchObject({ type: 'cut', by: 'server' });
  expect(accepted).toMatchObject({ ok: true });
  expect(JSON.stringify(view(log.entries).messages)).not.toContain('"old"');
  expect(faultOf(log.entries)).toBeUndefined();
});

test('T2: a compaction whose first call comes after the change is not called one without gain', () => {
  const log = createLog();
  opens(log, 'a');
  for (let n = 1; n <= 12; n += 1) log.step([{ result: 'word '.repeat(2000) }], { usage: 2000 * n });
  expect(compactBy(log, core, ['x [#e3]']).accepted).toMatchObject({ ok: true });
  opens(log, 'b');
  works(log, 1, 90_000);
  expect(checkBreaker(log.entries, core.policy).state).toBe('closed');
});
