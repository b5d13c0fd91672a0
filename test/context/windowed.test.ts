/** The mechanisms of the message window (S3): pairs, first task and system, repaired calls, images as pointers. */
import { describe, expect, test } from 'vitest';
import { Policy, shouldCompact, view } from '../../src/context/index.ts';
import { getText } from '../../src/transcript/message.ts';
import { compactBy, faultOf, shippedPolicy, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';
import { imageOf, paddedPng } from '../support/images.ts';

const core = smallCore('windowed');
const shown = (log: Log) => JSON.stringify(view(log.entries).messages);

function steps(log: Log, count: number, from = 0): void {
  for (let n = from; n < from + count; n += 1) log.step([{ input: { n }, result: `result ${n}` }]);
}

describe('the window (S3.2, S3.4)', () => {
  test('is 10 to 100 messages, 40 unless said otherwise', () => {
    expect(shippedPolicy('windowed').trigger.messages).toBe(40);
    const with_ = (messages: number) =>
      Policy.safeParse({ ...core.policy, trigger: { ...core.policy.trigger, messages } }).success;
    expect([with_(9), with_(10), with_(100), with_(101)]).toEqual([false, true, true, false]);
  });

  test('cuts whole units, keeps order, the first task, and what the system said in between', () => {
    const log = createLog();
    log.human('the first task');
    steps(log, 5);
    log.append({
      type: 'message',
      origin: 'harness',
      message: { role: 'system', content: [{ type: 'text', text: 'Speak German from now on.' }] },
    });
    steps(log, 18, 5);
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: true, because: 'messages' });
    expect(compactBy(log, core, ['x [#e1]']).accepted).toMatchObject({ ok: true });
    const text = view(log.entries).messages.map(getText).join('\n');
    expect(text).toContain('the first task');
    expect(text).toMatch(/<system_messages>\nSpeak German from now on\. \[#e12\]\n<\/system_messages>/);
    expect(view(log.entries).messages.length).toBeLessThanOrEqual(24);
    const order = [...shown(log).matchAll(/"content":"result (\d+)"/g)].map(([, n]) => Number(n));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order.at(-1)).toBe(22);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('without a model what leaves is named, and nothing is asked (the source as it was)', () => {
    const bare = smallCore('windowed', { summary: { by: 'code' } });
    const log = createLog();
    log.human('the first task');
    steps(log, 25);
    const { plan } = compactBy(log, bare, ['never asked [#e1]']);
    expect(plan).toMatchObject({ by: 'code' });
    expect(shown(log)).toContain('Older parts of this conversation are left out');
    expect(shown(log)).toContain('the first task');
    expect(shown(log)).not.toContain('never asked');
  });

  test('one unit with more messages than the window stays whole', () => {
    const log = createLog();
    for (let n = 0; n < 60; n += 1) log.human(`message ${n}`);
    compactBy(log, core, ['x [#e1]']);
    expect(faultOf(log.entries)).toBeUndefined();
    expect(shown(log)).toContain('message 59');
  });
});

test('a system message between a call and its result waits for the result', () => {
  const log = createLog();
  log.human('go');
  log.step([{ id: 'a' }]);
  log.append({
    type: 'message',
    origin: 'harness',
    message: { role: 'system', content: [{ type: 'text', text: 'Mind the tone.' }] },
  });
  log.append({
    type: 'message',
    origin: 'tools',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] },
  });
  log.says('done');
  log.human('next');
  expect(faultOf(log.entries)).toBeUndefined();
  const kinds = view(log.entries).messages.map(({ content }) => content.map(({ type }) => type).join(' '));
  expect(kinds).toEqual(['text', 'tool_use', 'tool_result text', 'text', 'text']);
  expect(shown(log)).toContain('Mind the tone.');
});

test('an unanswered call is repaired with a result of the same words every time; its siblings survive (S3.3)', () => {
  const log = createLog();
  log.human('go');
  log.step([{ id: 'answered', result: 'fine' }, { id: 'never' }]);
  log.human('never mind');
  const once = shown(log);
  steps(log, 25);
  expect(shown(log).startsWith(once.slice(0, -1))).toBe(true);
  compactBy(log, core, ['x [#e1]']);
  expect(faultOf(log.entries)).toBeUndefined();
});

describe('images (S3.10)', () => {
  const image = imageOf(paddedPng());

  test('become pointers at the next rewrite, with type, size and where to find them; the transcript keeps them', () => {
    const log = createLog();
    log.human('go');
    log.step([{ id: 'shot', result: [{ type: 'text', text: 'a screen' }, image] }]);
    log.append({
      type: 'message',
      origin: 'human',
      message: { role: 'user', content: [image, { type: 'text', text: 'and this one?' }] },
    });
    steps(log, 12);
    log.says('done');
    log.human('more');
    const wide = smallCore('windowed', {
      passes: ['point-to-images'],
      trigger: { tokens: 6000, reserve: 100, messages: undefined },
    });
    const { plan, accepted } = compactBy(log, wide, ['x [#e1]']);
    expect(plan).toMatchObject({ type: 'cut', by: 'code', coversThrough: '' });
    expect(accepted).toMatchObject({ ok: true });
    expect(shown(log)).not.toContain('iVBOR');
    expect(shown(log)).toContain(`[image image/png, ${paddedPng().length} bytes, shown before: recall e3]`);
    expect(shown(log)).toContain('and this one?');
    expect(JSON.stringify(log.entries)).toContain('iVBOR');
    expect(shouldCompact(log.entries, wide).load.images).toBe(0);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('the latest can stay', () => {
    const log = createLog();
    log.human('go');
    for (let n = 0; n < 4; n += 1) log.step([{ result: [image] }]);
    const keeping = smallCore('windowed', {
      passes: [{ pass: 'point-to-images', keep: 1 }],
      trigger: { tokens: 5000, reserve: 100 },
      target: { ratio: 0.9 },
    });
    expect(compactBy(log, keeping, ['x [#e1]']).accepted).toMatchObject({ ok: true });
    expect(shouldCompact(log.entries, keeping).load.images).toBe(1);
  });
});
