import { expect, test } from 'vitest';
import { buildArguments, followPath } from '../../../src/adapters/sandbox/cached-values.mts';
import { packTexts } from '../../../src/adapters/sandbox/shared-texts.ts';

const long = 'x'.repeat(10_000);

test('a long text stands once in what travels, with the places where it is wanted too; what was given is left as it was', () => {
  const args = [{ says: ['short', long], final: long, events: [{ text: 'short' }, { text: long }] }, long];
  const before = JSON.stringify(args);
  const { args: packed, same } = packTexts(args);
  expect(JSON.stringify(packed).length).toBeLessThan(long.length + 200);
  expect(same.map(([to, from]) => [to.join('/'), from.join('/')])).toEqual([
    ['0/final', '0/says/1'],
    ['0/events/1/text', '0/says/1'],
    ['1', '0/says/1'],
  ]);
  expect(followPath(packed, ['0', 'says', '1'], 3)).toBe(long);
  expect(JSON.stringify(args)).toBe(before);
});

test('the answer of a call, which a trace holds twice, travels once', () => {
  const output = { rows: [{ id: 1 }] };
  const args = [{ trace: { calls: [{ output }], events: [{ type: 'call', output }] } }];
  const { args: packed, same } = packTexts(args);
  expect(same.map(([to, from]) => [to.join('/'), from.join('/')])).toEqual([
    ['0/trace/events/0/output', '0/trace/calls/0/output'],
  ]);
  const [built] = buildArguments({
    args: JSON.parse(JSON.stringify(packed)) as unknown[],
    same: [...same].map(([to, from]) => [[...to], [...from]]),
  });
  expect(built).toEqual(args[0]);
  // A checker that changes the one finds the other as it was.
  const { trace } = built as (typeof args)[number];
  expect(trace.calls[0]?.output).not.toBe(trace.events[0]?.output);
});

test('short texts and texts that stand once travel as they are', () => {
  const args = [{ one: 'short', two: 'short', three: long }, null, 7];
  expect(packTexts(args)).toEqual({ args, same: [] });
});
