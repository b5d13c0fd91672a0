/** What a call costs before it is made and when it fails, row by row of the table in call-cost.ts. */
import { expect, test } from 'vitest';
import {
  boundLostTries,
  computeTryCost,
  computeOutputCap,
  estimateOutput,
  computeWorstCase,
  judgeCaches,
} from '../../../src/pipeline/spending/call-cost.ts';
import { computeCost, type ModelRequest, type TryBill } from '../../../src/ports/model.ts';
import type { LostTry, SpendRecord } from '../../../src/ports/run-store.ts';
import { NO_USAGE, type Usage } from '../../../src/transcript/message.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { chance } from '../../support/chance.ts';
import { facts } from '../../support/responses.ts';

const known = facts({});
const { price } = known;
const request: ModelRequest = { ...contractRequest, max_tokens: 1000 };
const started = { ...NO_USAGE, input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 };
const sure = computeCost(started, price);
const compaction: ModelRequest = { ...request, compaction: { type: 'summarize' } };

test.each<[string, TryBill, ModelRequest, number, number]>([
  ['nothing', { billed: 'none' }, request, 0, 0],
  ['what it said, to the end', { billed: 'known', usage: started }, request, sure, 0],
  [
    'at least what it said',
    { billed: 'unknown', usage: started },
    request,
    sure,
    computeCost({ ...started, output_tokens: 800 }, price) - sure,
  ],
  ['at least what it said, of a compaction', { billed: 'unknown', usage: started }, compaction, sure, 9 - sure],
  ['counts that were null', { billed: 'unknown', usage: NO_USAGE }, request, 0, 9],
  ['nobody knows', { billed: 'unknown' }, request, 0, 9],
])('%s', (_name, bill, asked, usd, uncertainUsd) => {
  const cost = computeTryCost(bill, 9, { request: asked, facts: known, maxTokens: 800 });
  expect(cost.usd).toBeCloseTo(usd, 12);
  expect(cost.uncertainUsd).toBeCloseTo(uncertainUsd, 12);
});

test('the worst case counts bytes, so that no script is cheaper than it is; an image costs what images cost', () => {
  const withText = (text: string): ModelRequest => ({
    ...request,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  });
  const japanese = computeWorstCase(withText('読'.repeat(4000)), known, 0);
  expect(japanese).toBeGreaterThan(2 * computeWorstCase(withText('r'.repeat(4000)), known, 0));
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'A'.repeat(4_000_000) };
  const picture = { ...request, messages: [{ role: 'user' as const, content: [{ type: 'image' as const, source }] }] };
  expect(computeWorstCase(picture, known)).toBeLessThan(0.5);
});

test('a list of digits has a token for each byte, and input beyond the window is refused and not billed', () => {
  const text = Array.from({ length: 4000 }, (_, index) => index % 10).join(',');
  const digits: ModelRequest = { ...request, messages: [{ role: 'user', content: [{ type: 'text', text }] }] };
  const billed = { ...NO_USAGE, cache_creation_input_tokens: text.length };
  expect(computeWorstCase(digits, known, 0)).toBeGreaterThanOrEqual(computeCost(billed, price));
  const small = { ...known, window: 1000 };
  expect(computeWorstCase(digits, small, 0)).toBe(
    computeCost({ ...NO_USAGE, cache_creation_input_tokens: 1000 }, price),
  );
});

test('the dearest rate is reserved, whichever that is, and the words of a compaction are input', () => {
  const freeWrites = { ...known, price: { ...price, cacheWrite: 0 } };
  expect(computeWorstCase(request, freeWrites, 0)).toBeGreaterThanOrEqual(
    computeCost({ ...NO_USAGE, input_tokens: 100 }, price),
  );
  const instructions = 'Say all of it. '.repeat(1000);
  const told: ModelRequest = { ...compaction, compaction: { type: 'summarize', instructions } };
  expect(computeWorstCase(told, known, 0) - computeWorstCase(compaction, known, 0)).toBeGreaterThan(0.01);
});

test('an hour in the cache is reserved at its own price, and a batch answer is booked at half', () => {
  const marked: ModelRequest = {
    ...request,
    system: [{ type: 'text', text: 'x'.repeat(10_000), cache_control: { type: 'ephemeral', ttl: '1h' } }],
  };
  const short: ModelRequest = { ...marked, system: [{ type: 'text', text: 'x'.repeat(10_000) }] };
  expect(computeWorstCase(marked, known, 0)).toBeGreaterThan(computeWorstCase(short, known, 0) * 1.2);
  expect(computeCost({ ...started, service_tier: 'batch' }, price)).toBe(sure / 2);
});

test('what may come out follows from what is reserved, to the token', () => {
  for (const tokens of [0, 1, 437, 1000])
    expect(computeOutputCap(computeWorstCase(request, known, tokens), request, known)).toBe(tokens);
  expect(computeOutputCap(1000, request, known)).toBe(1000);
  expect(computeOutputCap(0, request, known)).toBe(0);
});

const record = (output_tokens: number, more: Partial<SpendRecord> = {}): SpendRecord => ({
  ...{
    call: 'c',
    agent: 'init',
    model: request.model,
    reservedUsd: 0,
    usd: 1,
    uncertainUsd: 0,
    answers: 1,
    failed: 0,
  },
  usage: { ...NO_USAGE, output_tokens },
  ...more,
});

test('the usual output is a high quantile of this agent and model with a margin, and unknown while few are known', () => {
  const big: ModelRequest = { ...request, max_tokens: 64_000 };
  const twenty = Array.from({ length: 20 }, (_, index) => record(1000 * (index + 1)));
  expect(estimateOutput(twenty, { agent: 'init', request: big })).toBe(19_000 * 1.5);
  expect(estimateOutput(twenty.slice(0, 7), { agent: 'init', request: big })).toBeUndefined();
  const others = twenty.map((one) => ({ ...one, agent: 'execute' }));
  expect(estimateOutput([...others, ...twenty.slice(0, 5)], { agent: 'init', request: big })).toBeUndefined();
  expect(estimateOutput(twenty, { agent: 'init', request })).toBe(1000);
  expect(
    estimateOutput(twenty, { agent: 'init', request: { ...big, compaction: { type: 'summarize' } } }),
  ).toBeUndefined();
  expect(
    estimateOutput(
      Array.from({ length: 9 }, () => record(3)),
      { agent: 'init', request: big },
    ),
  ).toBe(1024);
});

test('the usual output is read from numbers in their order, of the very model', () => {
  const answered = (outputs: readonly number[], model = request.model) =>
    outputs.map((output) => record(output, { model }));
  const asked = { agent: 'init', request: { ...request, max_tokens: 100_000 } };
  // In the order of their letters 900 would be the highest.
  const outputs = [900, 10_000, 20_000, 1000, 1100, 1200, 1300, 1400];
  expect(estimateOutput(answered(outputs), asked)).toBe(30_000);
  expect(estimateOutput(answered(outputs, 'another'), asked)).toBeUndefined();
  expect(estimateOutput(answered(outputs.slice(1)), asked)).toBeUndefined();
});

test('an image costs what images cost, and its bytes nothing', () => {
  const withImages = (...images: string[]): ModelRequest => {
    const content = images.map((data) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    }));
    return { ...request, messages: [{ role: 'user', content }] };
  };
  const costs = computeWorstCase(withImages('A'.repeat(100_000)), known, 0);
  expect(costs).toBeCloseTo(computeWorstCase(withImages(''), known, 0), 12);
  const another = computeWorstCase(withImages('', ''), known, 0) - costs;
  const image = computeCost({ ...NO_USAGE, cache_creation_input_tokens: 6000 }, price);
  expect([another > image, another < image * 1.05]).toEqual([true, true]);
});

test('a lost try had the input of its answer, which one of them wrote to the cache, and about its length', () => {
  const usage = { ...NO_USAGE, cache_read_input_tokens: 1000, output_tokens: 400 };
  const record = {
    call: 'c',
    agent: 'init',
    model: request.model,
    reservedUsd: 0,
    usd: 0,
    uncertainUsd: 0,
    answers: 1,
  };
  const records: SpendRecord[] = Array.from({ length: 7 }, () => ({ ...record, failed: 0, usage }));
  const terms = { agent: 'init', request, usage, facts: { ...known, continues: 800 } };
  const late = { ms: Number.POSITIVE_INFINITY };
  const [early] = boundLostTries(records.slice(1), terms)([{ counted: started, ...late }]);
  expect(early).toBeCloseTo(computeCost({ ...started, output_tokens: Math.min(1024, request.max_tokens) }, price), 12);
  const bound = boundLostTries(records, terms);
  const soon = { ms: 2000 };
  const costOf = (of: Usage, output_tokens = 500) => computeCost({ ...of, output_tokens }, price);
  const fresh = { ...usage, cache_read_input_tokens: 800, cache_creation_input_tokens: 200 };
  const all = { ...usage, cache_read_input_tokens: 0, cache_creation_input_tokens: 1000 };
  // The ledgers of a run and of its batch ask one after the other.
  for (const _ledger of ['run', 'batch']) {
    const bounds = bound([undefined, undefined, started].map((counted) => ({ counted, ...soon })));
    for (const [index, cost] of [costOf(fresh), costOf(usage), costOf(started)].entries())
      expect(bounds[index]).toBeCloseTo(cost, 12);
  }
  expect(bound([{ counted: { ...started, output_tokens: 900 }, ...soon }])[0]).toBeCloseTo(costOf(started, 900), 12);
  const [, after] = bound([fresh, undefined].map((counted) => ({ counted, ...soon })));
  expect(after, 'the cache was written by the try before').toBeCloseTo(costOf(usage), 12);
  const [, again] = bound([undefined, undefined].map((counted) => ({ counted, ...late })));
  expect(again, 'the cache may be gone by then').toBeCloseTo(costOf(all), 12);
  const [cold] = boundLostTries(records, { ...terms, facts: known })([{ counted: undefined, ...soon }]);
  expect(cold, 'nobody is known to have put anything into the cache before').toBeCloseTo(costOf(all), 12);
});

test('a failed try of an agent whose answers are known costs no more than their high quantile', () => {
  const bill: TryBill = { billed: 'unknown', usage: started };
  const cost = computeTryCost(bill, 9, { request, facts: known, maxTokens: 800, usual: 300 });
  expect(cost.uncertainUsd).toBeCloseTo(computeCost({ ...started, output_tokens: 300 }, price) - sure, 12);
  const unheard = computeTryCost({ billed: 'unknown' }, 9, { request, facts: known, maxTokens: 800, usual: 300 });
  expect(unheard.uncertainUsd).toBeCloseTo(computeWorstCase(request, known, 300), 12);
});

test('a try that left nothing in the cache for the next one had not begun, if the cache still lasted', () => {
  const usage = { ...NO_USAGE, cache_creation_input_tokens: 900, output_tokens: 400 };
  const terms = { agent: 'init', request, usage, facts: known };
  const aToken = computeCost({ ...NO_USAGE, output_tokens: 1 }, price);
  const bound = (lost: LostTry, records = recordsOf([0, 4000], [4000, 100], [4100, 50])) =>
    boundLostTries(records, terms)([lost])[0];
  const soon = { counted: undefined, ms: 2000 };
  expect(bound(soon)).toBeCloseTo(aToken, 12);
  expect(bound(soon, []), 'nobody knows these caches').toBeGreaterThan(aToken * 100);
  for (const ms of [5 * 60_000, Number.NaN, Number.POSITIVE_INFINITY])
    expect(bound({ ...soon, ms }), 'the cache may be gone').toBeGreaterThan(aToken * 100);
  expect(bound({ ...soon, counted: started }), 'of this one something arrived').toBeGreaterThan(aToken * 100);
  const next = { ...NO_USAGE, cache_read_input_tokens: 900, output_tokens: 4 };
  expect(bound({ ...soon, next }), 'the next try read what somebody had written').toBeGreaterThan(aToken * 100);
});

/** One call each, as the provider counted it: what it read from the cache, and what it wrote there. */
function recordsOf(...counts: [read: number, written: number, failed?: number][]): SpendRecord[] {
  return counts.map(([read, written, failed = 0], index) => {
    const usage = { ...NO_USAGE, cache_read_input_tokens: read, cache_creation_input_tokens: written };
    const spent = { usd: 0, uncertainUsd: 0, reservedUsd: 0, answers: 1, failed };
    return { call: `c${index}`, agent: 'init', model: 'm', ...spent, usage };
  });
}

test('caches are known by what calls of this run read of what others had written, and by nothing else', () => {
  const session = recordsOf([0, 4000], [4000, 100], [4100, 50]);
  expect(judgeCaches(session.slice(0, 1)), 'nobody has read').toBe('unseen');
  expect(judgeCaches(session.slice(0, 2))).toBe('fit');
  expect(judgeCaches(recordsOf([0, 400], [400, 100])), 'short prefixes are not kept').toBe('unseen');
  expect(judgeCaches([...session, ...recordsOf([300, 80], [300, 90])]), 'a prefix that several share').toBe('fit');
  expect(judgeCaches([...session, ...recordsOf([611, 0, 1])]), 'what its own lost try had written').toBe('fit');
  expect(judgeCaches([...session, ...recordsOf([611, 0], [733, 9])]), 'what nobody had written').toBe('unfit');
  expect(judgeCaches(session.map((one, index) => ({ ...one, model: `m${index}` }))), 'other models').toBe('unfit');
  const random = chance(7);
  const below = (most: number): number => Math.floor(random() * most);
  for (let night = 0; night < 300; night += 1) {
    const made = recordsOf(...Array.from({ length: 40 }, () => [below(9000), below(9000)] as [number, number]));
    expect(judgeCaches(made), 'numbers that somebody makes up').toBe('unfit');
  }
  expect(judgeCaches(recordsOf(...Array.from({ length: 40 }, () => [700, 70] as [number, number])))).toBe('unseen');
});
