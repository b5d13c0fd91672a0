/** docs/internals/compaction-cases.md T5 - T10, T23, T24, T26 - T32: what is sent is valid, fits, and costs what it must. */
import { describe, expect, test } from 'vitest';
import {
  acceptSummary,
  chunksOf,
  planCompaction,
  readPart,
  shouldCompact,
  summaryRequest,
  view,
} from '../../src/context/index.ts';
import { computeCost } from '../../src/ports/model.ts';
import { estimateText } from '../../src/transcript/tokens.ts';
import { estimateBytes } from '../../src/transcript/bytes.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { getText } from '../../src/transcript/message.ts';
import { answerFor, compactBy, faultOf, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { facts } from '../support/responses.ts';
import { busyLog, createLog, cutOf, usageOf } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';
import { imageOf, paddedPng } from '../support/images.ts';

const shown = (log: Log) => JSON.stringify(view(log.entries).messages);
const image = (bytes = 300) => imageOf(paddedPng((bytes * 3) / 4));

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name, {}, { model: { systemMessages: true } });
  const told = ['the first file is odd [#e3]'];

  test('T5, Y9: no thinking stands behind a prefix that it was not made on; all of a region or none', () => {
    const log = busyLog(20, 1200);
    compactBy(log, core, told);
    const { messages, rewrittenThrough } = view(log.entries);
    const thinking = messages.flatMap(({ content }, place) =>
      content.some(({ type }) => type === 'thinking') ? [place] : [],
    );
    // Behind the API's own summary the kept thinking is as good as before; nowhere else is any left.
    expect(thinking.every((place) => place >= rewrittenThrough)).toBe(true);
    expect(thinking.length > 0).toBe(name === 'native');
    log.step([{ result: 'new' }], { think: 'afterwards' });
    expect(faultOf(log.entries)).toBeUndefined();
    expect(shown(log)).toContain('afterwards');
  });

  test('T6: parallel calls, text beside results, a result without its call: never an orphan', () => {
    const log = busyLog(8, 1200);
    log.step([{ id: 'a', result: 'x '.repeat(800) }, { id: 'b', result: 'y' }, { id: 'c' }], { say: 'three at once' });
    log.append({
      type: 'message',
      origin: 'human',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'stop, and look here' },
          { type: 'tool_result', tool_use_id: 'zz', content: 'whose?' },
        ],
      },
    });
    for (let n = 0; n < 6; n += 1) {
      log.step([{ result: 'r '.repeat(900) }, { result: 's' }]);
      compactBy(log, core, told);
      expect(faultOf(log.entries)).toBeUndefined();
    }
    expect(shown(log)).toContain('stop, and look here');
  });

  test('T7, S2.6: while a call is open nothing is compacted, and the call is not lost', () => {
    const log = busyLog(14);
    log.step([{ id: 'open_1', result: 'x' }, { id: 'open_2' }]);
    expect(planCompaction(log.entries, core, { reason: 'threshold' })).toEqual({ type: 'defer', calls: ['open_2'] });
    expect(shown(log)).toContain('open_2');
  });

  test('T8: a result that is recorded twice is shown once, before and after', () => {
    const log = busyLog(12, 1200);
    log.step([{ id: 'once', result: 'first' }]);
    log.append({
      type: 'message',
      origin: 'tools',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'once', content: 'twice told' }] },
    });
    expect(faultOf(log.entries)).toBeUndefined();
    compactBy(log, core, told);
    expect(faultOf(log.entries)).toBeUndefined();
    expect(shown(log)).not.toContain('twice told');
  });

  test('T9: half a surrogate pair is never sent, wherever a text is cut', () => {
    for (let shift = 0; shift < 3; shift += 1) {
      const log = createLog();
      log.user(`${'a'.repeat(shift)}${'🙂'.repeat(4000)}\uD83D`);
      for (let n = 0; n < 8; n += 1)
        log.step([
          {
            input: { content: `${'b'.repeat(shift)}${'🎉'.repeat(300)}` },
            result: `${'c'.repeat(shift + n)}${'🙂'.repeat(900)}\uDE00`,
          },
        ]);
      log.says(`${'d'.repeat(shift)}${'🙂\n'.repeat(200)}`);
      log.human('go on');
      compactBy(log, core, undefined);
      expect(faultOf(log.entries)).toBeUndefined();
      expect(shown(log).isWellFormed()).toBe(true);
    }
  });

  test('T10: the first message is the user’s or the API’s block, the last never the model’s', () => {
    const log = busyLog(12, 1200);
    log.says('All done.');
    compactBy(log, core, told);
    const { messages } = view(log.entries);
    expect(messages[0]?.role === 'user' || messages[0]?.content[0]?.type === 'compaction').toBe(true);
    expect(messages.at(-1)?.role).not.toBe('assistant');
    log.human('and now?');
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('T24: bytes and images are limits of their own, whatever the tokens say', () => {
    const wide = { trigger: { tokens: 900_000, bytes: 200_000, images: 8 }, keep: { maxTokens: 300_000 } };
    const roomy = smallCore(name, wide, { budget: { window: 1_000_000 } });
    const log = busyLog(3, 100);
    for (let n = 0; n < 12; n += 1) {
      log.step([{ result: [image(), { type: 'text', text: `screen ${n}` }] }]);
      log.says(`Seen ${n}.`);
      log.human('next');
    }
    // Forty messages are too many for `windowed` before the images are.
    expect(shouldCompact(log.entries, roomy)).toMatchObject({
      due: true,
      because: name === 'windowed' ? 'messages' : 'images',
    });
    expect(compactBy(log, roomy, told).accepted).toMatchObject({ ok: true });
    expect(shouldCompact(log.entries, roomy).due).toBe(false);
    const heavy = busyLog(3, 100);
    for (let n = 0; n < 4; n += 1) heavy.step([{ result: [image(80_000)] }]);
    expect(shouldCompact(heavy.entries, roomy)).toMatchObject({ due: true, because: 'bytes' });
    expect(compactBy(heavy, roomy, told).accepted).toMatchObject({ ok: true });
    expect(shouldCompact(heavy.entries, roomy).due).toBe(false);
  });

  test('T27: replacement patterns in what was said change nothing', () => {
    const log = createLog();
    const hostile = "$& $` $' $$ {{facts}} {{lines}} {{body}}";
    log.user(hostile);
    for (let n = 0; n < 12; n += 1) log.step([{ result: `${hostile} `.repeat(300) }]);
    compactBy(log, core, [`it said ${hostile} [#e1]`]);
    expect(faultOf(log.entries)).toBeUndefined();
    expect(view(log.entries).messages.map(getText).join('\n')).toContain(hostile);
  });

  test('T31: a crash before the entry is appended leaves the old view; what is on disk gives the same view again', () => {
    const log = busyLog(14, 1200);
    const old = view(log.entries);
    compactBy(log, core, told);
    expect(view(log.entries.slice(0, -1))).toEqual(old);
    expect(view(JSON.parse(JSON.stringify(log.entries)) as Log['entries'])).toEqual(view(log.entries));
  });

  test('T32: what was said while the summary was being written stays in the view', () => {
    const log = busyLog(14, 1200);
    const plan = planCompaction(log.entries, core, { reason: 'threshold' });
    if (plan.type !== 'cut' || plan.by === 'code') return;
    log.human('one more thing: mind the taxes');
    log.step([{ result: 'late result' }]);
    const made = acceptSummary(log.entries, core, { ...plan, by: 'model' }, answerFor(core, told));
    if (!made.ok) throw new Error(made.detail);
    log.append(made.entry);
    expect(faultOf(log.entries)).toBeUndefined();
    for (const text of ['mind the taxes', 'late result']) expect(shown(log)).toContain(text);
  });
});

test('T5: thinking that one rewrite took does not come back with the API’s own summary', () => {
  const log = busyLog(14, 1200);
  compactBy(log, smallCore('two-agent'), ['x [#e3]']);
  log.step([{ result: 'new '.repeat(40) }], { think: 'afterwards' });
  const native = smallCore('native', { keep: { steps: 3, maxTokens: 9000 } });
  const { plan, accepted } = compactBy(log, native, ['x [#e3]']);
  expect(plan).toMatchObject({ by: 'server', stepsKept: 3 });
  expect(accepted).toMatchObject({ ok: true });
  const thoughts = view(log.entries).messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'thinking'),
  );
  expect(thoughts).toMatchObject([{ thinking: 'afterwards' }]);
});

test('T10: a system section with nothing kept behind it stands with the user, so that anybody may speak next', () => {
  const core = smallCore('layered', {}, { model: { systemMessages: true } });
  const log = busyLog(6, 1200);
  log.step([{ tool: 'write', input: { file_path: 'a', content: 'text '.repeat(20_000) }, result: 'ok' }]);
  const { accepted } = compactBy(log, core, undefined);
  expect(accepted).toMatchObject({ ok: true, entry: { place: 'system', receipt: { stepsKept: 0 } } });
  expect(view(log.entries).messages.map(({ role }) => role)).toEqual(['user']);
  log.human('and now?');
  expect(faultOf(log.entries)).toBeUndefined();
});

describe('the summary call', () => {
  const core = smallCore('two-agent');

  test('T23: what does not fit is shortened, then made in parts, and only then left to code', () => {
    const log = busyLog(3, 600);
    log.step([{ result: 'a huge file '.repeat(9000) }]);
    expect(summaryRequest(log.entries, core, cutOf(log.entries, core))).toMatchObject({ shape: 'shortened' });
    const huge = busyLog(3, 600);
    for (let n = 0; n < 5; n += 1)
      huge.step([{ tool: 'write', input: { file_path: `f${n}`, content: `text ${n} `.repeat(12_000) }, result: 'ok' }]);
    const cut = cutOf(huge.entries, core);
    expect(summaryRequest(huge.entries, core, cut)).toBeUndefined();
    const chunks = chunksOf(huge.entries, core, cut);
    if (chunks === undefined) throw new Error('no parts');
    expect(chunks.parts).toBeGreaterThan(1);
    let before: string | undefined;
    for (let part = 0; part < chunks.parts; part += 1) {
      const { messages, maxTokens } = chunks.request(part, before);
      expect(findFault(messages, { boundThinking: true, prefill: false })).toBeUndefined();
      const tokens = messages.reduce((sum, message) => sum + estimateText(getText(message)), 0);
      expect(tokens + maxTokens).toBeLessThan(core.budget.window);
      before = readPart(getText(answerFor(core, [`part ${part} was read [#e3]`])), core);
      expect(before).toContain(`part ${part}`);
    }
    expect(chunks.request(1, before).messages.map(getText).join()).toContain('was read');
  });

  test('T23: a window that holds not even a part leaves no request at all', () => {
    const log = busyLog(12);
    const tiny = { ...core, budget: { ...core.budget, window: 8000 } };
    expect(chunksOf(log.entries, tiny, cutOf(log.entries, core))).toBeUndefined();
  });

  test('T29, T14: it is the live request with one message more, so it reads the cache and sees all that leaves', () => {
    for (const name of ['two-agent', 'layered', 'selective', 'budgeted'] as const) {
      const setup = smallCore(name);
      const log = busyLog(16, 1200);
      log.entries.splice(0, 0);
      const plan = planCompaction(log.entries, setup, { reason: 'threshold' });
      if (plan.type !== 'cut') throw new Error(plan.type);
      if (plan.by === 'code') continue;
      const request = summaryRequest(log.entries, setup, plan);
      expect(request?.shape).toBe('live');
      expect(request?.messages.slice(0, -1)).toEqual(view(log.entries).messages);
      for (let n = 1; n <= 16; n += 1) expect(JSON.stringify(request?.messages)).toContain(`src/file-${n}.ts`);
    }
  });
});

describe('usage and cost', () => {
  test('T30: what the server compacted is billed besides the totals, and is no part of the context’s size', () => {
    const iteration = { type: 'compaction', ...usageOf(100_000, 2000) };
    const usage = { ...usageOf(10_000, 500), iterations: [iteration, { type: 'message', ...usageOf(10_000, 500) }] };
    const { price } = facts();
    expect(computeCost(usage, price)).toBeCloseTo(
      computeCost(usageOf(10_000, 500), price) + computeCost(usageOf(100_000, 2000), price),
      9,
    );
    const log = busyLog(2);
    log.step([{ result: 'r' }], { usage: 9000 });
    const asked = log.entries.at(-2);
    if (asked?.type === 'message' && asked.response !== undefined)
      asked.response.usage = { ...usage, input_tokens: 9000 };
    expect(shouldCompact(log.entries, smallCore('two-agent')).total).toBeLessThan(9800);
  });

  test('T24: bytes are those of the body, images and scripts included', () => {
    expect(estimateBytes({ content: [image(1000)] })).toBeGreaterThanOrEqual(1000);
    const han = '汉字'.repeat(500);
    expect(estimateBytes({ content: [{ type: 'text', text: han }] })).toBeGreaterThanOrEqual(Buffer.byteLength(han));
    expect(estimateBytes({ content: [{ type: 'text', text: '🙂'.repeat(100) }] })).toBeGreaterThanOrEqual(400);
  });
});
