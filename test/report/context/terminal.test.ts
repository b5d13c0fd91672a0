/** The terminal picture of a context: every kind, the cut, the epochs and the receipts, in any width, whatever the text. */
import { deriveCallRecords } from '../../../src/transcript/call-record.ts';
import { describe, expect, test } from 'vitest';
import { itemEntry } from '../../../src/context/index.ts';
import { refusal } from '../../../src/context/plan/circuit-breaker.ts';
import { drawContext } from '../../../src/context-lab/picture.ts';
import { renderContext } from '../../../src/report/context/terminal.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { compact, coreWith, createLog } from '../../support/transcripts.ts';

test('types of items, and what the harness added, each change in a sentence (S2.1, S2.8)', () => {
  const log = createLog();
  log.human('Build it.');
  for (let n = 0; n < 15; n += 1) log.append(itemEntry('recap', `todo ${n}`));
  log.append({ type: 'layer', name: 'subagent_strategy', text: 'delegate what is long' });
  const lines = renderContext(drawContext(log.entries), { agent: 'init' }, { columns: 160, color: false });
  expect(lines.join('\n')).toMatch(/by type: 15 recap \d+, 1 user_message \d+, 1 subagent_strategy \d+ \(header\)/);
  expect(lines.slice(lines.indexOf('Added by the harness'))).toEqual(
    expect.arrayContaining([
      '  … 4 earlier changes',
      '  e16 recap is added',
      '  e17 from here on the part “subagent strategy” of the system prompt is new',
    ]),
  );
});

function picture(steps: number, say = 'work') {
  const log = createLog();
  log.human('Build \u001b[31mit\u001b[0m \u202e now.');
  for (let n = 1; n <= steps; n += 1) log.step([{ result: 'x '.repeat(900) }], { say, usage: 2000 + 900 * n });
  compact(log, coreWith(), ['so far so good']);
  log.append(refusal('schema', 'the answer holds no closed tag'));
  for (let n = 1; n <= 3; n += 1) log.step([{ tool: 'grep', result: '中文 '.repeat(50) }], { usage: 3000 });
  return drawContext(log.entries);
}

test('with `trigger: auto` a receipt says how early it was, and why', () => {
  const log = createLog();
  log.human('Read all of it.');
  const core = coreWith(
    { trigger: { ratio: undefined, tokens: 200_000, reserve: 2000, auto: true } },
    { window: 260_000 },
  );
  for (let n = 0; n < 60; n += 1) log.step([{ result: 'x y z '.repeat(500) }]);
  compact(log, core, ['so far so good']);
  const lines = renderContext(drawContext(log.entries), { agent: 'init' }, { columns: 240, color: false });
  expect(lines.join('\n')).toMatch(/trigger auto: [\d.]+k of at most 200(?:\.0)?k \([\d.]+k a step\)/);
});

describe.each([30, 80, 200])('%i columns', (columns) => {
  const lines = renderContext(picture(40), { agent: 'init', window: 200_000 }, { columns, color: false });

  test('no row is wider than the terminal', () => {
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
  });

  test('no character of the transcript acts on the terminal', () => {
    expect(lines.join('\n')).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  });
});

test('it tells size, cache, kinds, cut, epochs, receipts and refusals', () => {
  const text = renderContext(picture(12), { agent: 'init', window: 200_000 }, { columns: 160, color: false }).join(
    '\n',
  );
  for (const part of [
    'of a window of 200.0k',
    'of all input read from the cache',
    'carried facts',
    'summary',
    '✂ e26 replaces everything through',
    'a new epoch',
    'threshold:',
    'steps summarised through',
    'cached tokens given up',
    'refused, the old view stayed: schema',
    'grep',
  ])
    expect(text).toContain(part);
  expect(text.split('\n').find((line) => line.includes('└'))).toContain('┴');
});

test('it tells how long the answers took, and which took longest', () => {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 3; n += 1) log.step([{ result: 'short' }], { usage: 2000 });
  const lines = renderContext(
    drawContext(log.entries, deriveCallRecords(log.entries, 'a', { ms: { e2: 1000, e4: 61_000 } })),
    { agent: 'a' },
    { columns: 140, color: false },
  );
  expect(lines[0]).toContain('3 calls in 1 min 02 s, the longest 1 min 01 s (e4)');
});

test('the middle of a long view is one row that says how much it is', () => {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 60; n += 1) log.step([{ result: 'short' }]);
  const lines = renderContext(drawContext(log.entries), { agent: 'a' }, { columns: 100, color: false });
  expect(lines.join('\n')).toMatch(/… 97 messages, [\d.]+k tokens/);
  expect(lines.length).toBeLessThan(50);
  expect(lines.join('\n')).toContain('no call was billed');
});

describe('the policy with which the agent ran (S4.6)', () => {
  const drawn = (trigger: number, times = {}) => {
    const context = { policy: 'layered', window: 30_000, trigger, target: 4000, hard: 28_000 };
    const log = createLog();
    log.append({
      ...{ type: 'message', origin: 'human', context },
      message: { role: 'user', content: [{ type: 'text', text: 'go' }] },
    });
    for (let n = 1; n <= 20; n += 1) log.step([{ result: 'x '.repeat(900) }], { usage: 2000 + 900 * n });
    compact(log, coreWith(), ['so far so good']);
    return renderContext(
      drawContext(log.entries, deriveCallRecords(log.entries, 'init', { ms: times })),
      { agent: 'init', window: context.window },
      { columns: 160, color: false },
    );
  };

  test('is told with its trigger and its target, and the trigger is a line in the picture', () => {
    const text = drawn(8000).join('\n');
    expect(text).toContain('policy layered: compacts above 8.0k, to 4.0k or less');
    expect(text).toContain('╌ above 8.0k it compacts');
    expect(text.split('\n').filter((line) => line.includes('┤') && line.includes('╌'))).toHaveLength(1);
  });

  test('a trigger that no call came near is no line', () => {
    expect(drawn(50_000).join('\n')).not.toContain('╌');
  });

  test('a receipt tells its time where it is known, its break-even, and how long it will hold', () => {
    const text = drawn(8000, { e42: 4210 }).join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('took 4.2 s');
    expect(text).toMatch(/pays back after [\d.]+ calls · the next one is expected after [\d.]+/);
    expect(drawn(8000).join(' ')).not.toContain('took');
  });

  test('a transcript from before is told as such', () => {
    const text = renderContext(picture(12), { agent: 'init' }, { columns: 160, color: false }).join('\n');
    expect(text).toContain('policy two-agent, its numbers were not recorded');
  });
});
