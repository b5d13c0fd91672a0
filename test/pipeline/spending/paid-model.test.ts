/** How long answers take: taken once, kept with the money and beside the transcript, and in nothing that an agent reads. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { createPaidModel, parseCallStep, type PaidModelOptions } from '../../../src/pipeline/spending/paid-model.ts';
import { sumRunSpend } from '../../../src/pipeline/summarise.ts';
import { HarnessError } from '../../../src/errors.ts';
import { computeWorstCase } from '../../../src/pipeline/spending/call-cost.ts';
import { computeCost, type Model, type ModelResponse, type TryBill } from '../../../src/ports/model.ts';
import { NO_USAGE } from '../../../src/transcript/message.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { facts, response, say } from '../../support/responses.ts';
import { chance } from '../../support/chance.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { countRounds } from '../../support/property-runs.ts';

const { signal } = new AbortController();

async function begin() {
  const root = await scratch();
  await mkdir(join(root, 'desk'));
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'desk'), 'run-1');
  const attemptAt = (step: string) => run.artifacts.begin(step, 'design/r1', []);
  const time = { now: 1000 };
  /** Every answer of `answers` takes so many milliseconds. */
  const slow = (answers: readonly number[], more: Partial<Model> = {}): Model => ({
    ...scriptedModel(answers.map((ms) => () => ((time.now += ms), say(`after ${ms}`)))),
    ...more,
  });
  const paid = async (model: Model, more: Partial<PaidModelOptions> = {}) =>
    createPaidModel({
      ...{ model, facts: facts({}), attempt: await attemptAt('design.r1'), spending: run.spending, capUsd: 10 },
      ...{ agent: 'init', lane: 'init', onPaid: () => undefined, now: () => time.now },
      ...more,
    });
  return { run, attemptAt, slow, paid, time };
}

test('a call that is paid says what it took, and so does the ledger; a replay of it says the same', async () => {
  const { run, slow, paid } = await begin();
  const first = await paid(slow([1500, 20]));
  expect(await first.call(contractRequest, signal)).toMatchObject({ ms: 1500 });
  expect(await first.call(contractRequest, signal)).toMatchObject({ ms: 20 });
  expect(await run.spending.list()).toMatchObject([{ ms: 1500 }, { ms: 20 }]);
  const again = await paid(slow([]));
  expect(await again.call(contractRequest, signal)).toMatchObject({ ms: 1500 });
  expect((await run.spending.list()).map(({ ms }) => ms)).toEqual([1500, 20]);
});

test('what a call took is not lost when the worker is killed between the answer and its settlement', async () => {
  const { run, slow, paid } = await begin();
  const killed = { ...run.spending, settle: async () => Promise.reject(new Error('killed')) };
  await expect((await paid(slow([700]), { spending: killed })).call(contractRequest, signal)).rejects.toThrow('killed');
  await (await paid(slow([]))).call(contractRequest, signal);
  expect(await run.spending.list()).toMatchObject([{ ms: 700 }]);
});

test('a call whose worker was killed before it was settled costs what it did when it was made', async () => {
  const { run, slow, paid } = await begin();
  const killed = { ...run.spending, settle: async () => Promise.reject(new Error('killed')) };
  await expect((await paid(slow([1]), { spending: killed })).call(contractRequest, signal)).rejects.toThrow('killed');
  const dearer = facts({ price: { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 } });
  await (await paid(slow([]), { facts: dearer })).call(contractRequest, signal);
  const [call] = await run.spending.list();
  expect(call?.usd).toBeCloseTo(computeCost(say('').usage, facts({}).price), 12);
});

test('the wait for a place at the provider counts, for it is time until the answer', async () => {
  const { slow, paid, time } = await begin();
  const model = slow([50], { enter: async () => ((time.now += 400), () => undefined) });
  expect(await (await paid(model)).call(contractRequest, signal)).toMatchObject({ ms: 450 });
});

test('a clock that jumps back makes no negative time', async () => {
  const { slow, paid } = await begin();
  expect(await (await paid(slow([-90]))).call(contractRequest, signal)).toMatchObject({ ms: 0 });
});

test('an answer that was remembered before times were taken is used as it is', async () => {
  const { run, slow, paid, attemptAt } = await begin();
  await (await paid(slow([1]))).call(contractRequest, signal);
  const attempt = await attemptAt('design.r1');
  const kept = (await attempt.recall('init.0001')) as { ms?: number };
  const { ms: _ms, ...old } = kept;
  const answer = await (
    await paid(slow([]), { attempt: { ...attempt, recall: async () => old } })
  ).call(contractRequest, signal);
  expect(answer).not.toHaveProperty('ms');
  expect(answer.content).toEqual(say('after 1').content);
  expect(await run.spending.list()).toHaveLength(1);
});

test('only an answer that may be used is remembered; each try is paid and booked', async () => {
  const { run, paid, attemptAt } = await begin();
  const details = { category: 'cyber', explanation: 'About locks.' };
  const no = response([], 'refusal', { stopDetails: details });
  const first = scriptedModel([no, no]);
  const answer = await (await paid(first)).call(contractRequest, signal);
  expect(answer).toMatchObject({ stopReason: 'refusal', stopDetails: details });
  expect(first.requests).toHaveLength(2);
  expect(await (await attemptAt('design.r1')).recall('init.0001')).toBeUndefined();
  const resumed = scriptedModel([no, say('now')]);
  await (await paid(resumed)).call(contractRequest, signal);
  expect(resumed.requests).toHaveLength(2);
  const again = scriptedModel([]);
  expect(await (await paid(again)).call(contractRequest, signal)).toMatchObject(say('now'));
  const each = computeCost(no.usage, facts({}).price);
  expect(await run.spending.list()).toMatchObject([{ answers: 4, failed: 0 }]);
  expect((await run.spending.list())[0]?.usd).toBeCloseTo(4 * each, 12);
});

/** A model whose tries fail as the bills say, and then as `then` does. */
function failing(bills: readonly TryBill[], then: () => ModelResponse): Model & { allowed: number[] } {
  const allowed: number[] = [];
  return {
    allowed,
    call: async (request, _signal, terms = {}) => {
      for (const bill of bills) {
        await terms.onFailedTry?.(bill);
        await terms.onNextTry?.();
      }
      allowed.push(terms.maxTokens?.() ?? request.max_tokens);
      return then();
    },
  };
}

const STARTED = { ...NO_USAGE, input_tokens: 1000, output_tokens: 1 };
const unavailable = (): never => {
  throw new HarnessError('model_unavailable', 'down', { retryable: true });
};

test('failed tries are booked one by one, also those of a call that is answered in the end', async () => {
  const { run, paid } = await begin();
  const bills: TryBill[] = [
    { billed: 'none' },
    { billed: 'known', usage: { ...STARTED, output_tokens: 500 } },
    { billed: 'unknown', usage: STARTED },
    { billed: 'unknown' },
  ];
  await (await paid(failing(bills, () => say('at last')))).call(contractRequest, signal);
  const { price } = facts({});
  const sure =
    computeCost({ ...STARTED, output_tokens: 500 }, price) +
    computeCost(STARTED, price) +
    computeCost(say('').usage, price);
  // Before few answers are known, a lost one is taken for half as long again as the one that came, and for 1,024 tokens at least.
  const lost = { output_tokens: 1024 };
  const perhaps =
    computeCost({ ...STARTED, ...lost }, price) -
    computeCost(STARTED, price) +
    computeCost({ ...say('').usage, ...lost }, price);
  const [record] = await run.spending.list();
  expect(record).toMatchObject({ answers: 1, failed: 4, reservedUsd: 0 });
  expect(record?.usd).toBeCloseTo(sure, 9);
  expect(record?.uncertainUsd).toBeCloseTo(perhaps, 9);
});

test('a lost try of the first calls is estimated again when more is known of the agent and its caches', async () => {
  const { run, slow, paid } = await begin();
  const lost: TryBill[] = [{ billed: 'unknown' }];
  let read = 0;
  // Each answer reads exactly what the one before has left in the cache.
  const answer = (): ModelResponse => {
    const usage = { ...NO_USAGE, cache_read_input_tokens: read, cache_creation_input_tokens: 2000, output_tokens: 20 };
    read += 2000;
    return { ...say('so'), usage };
  };
  const early = await paid(failing(lost, answer));
  const narrow = async () => (await run.spending.list())[0]?.uncertainUsd ?? 0;
  await early.call(contractRequest, signal);
  const { price } = facts({});
  expect(await narrow()).toBeGreaterThan(computeCost({ ...NO_USAGE, output_tokens: 1000 }, price));
  const limitUsd = async () => ((await run.spending.list())[0]?.unlikelyUsd ?? 0) + (await narrow());
  const before = await limitUsd();
  for (let call = 2; call <= 9; call += 1) await early.call(contractRequest, signal);
  // It had written nothing to the cache, so it had not begun.
  expect(await narrow()).toBeCloseTo(computeCost({ ...NO_USAGE, output_tokens: 1 }, price), 12);
  expect(await limitUsd(), 'what it can have cost at most stays').toBeCloseTo(before, 9);
  const again = await paid(slow([]));
  for (let call = 1; call <= 9; call += 1) await again.call(contractRequest, signal);
  expect(await narrow(), 'a replay changes nothing').toBeCloseTo(
    computeCost({ ...NO_USAGE, output_tokens: 1 }, price),
    12,
  );
});

test('a call that rejects without a word of its cost may have cost the worst case, and its redo is reserved anew', async () => {
  const { run, paid } = await begin();
  await expect((await paid(failing([], unavailable))).call(contractRequest, signal)).rejects.toThrow('down');
  const worst = computeWorstCase(contractRequest, facts({}));
  expect(await run.spending.list()).toMatchObject([{ usd: 0, uncertainUsd: worst, reservedUsd: 0, failed: 1 }]);
  await (await paid(failing([], () => say('now')))).call(contractRequest, signal);
  const [answered] = await run.spending.list();
  expect(answered).toMatchObject({ answers: 1, failed: 1 });
  expect(answered?.uncertainUsd).toBeLessThan(worst / 10);
  await (await paid(failing([], unavailable))).call(contractRequest, signal);
  expect(await run.spending.list()).toHaveLength(1);
});

test('a try that finds no money ends the call, and nothing is sent', async () => {
  const { run, paid } = await begin();
  const model = failing([{ billed: 'unknown' }, { billed: 'unknown' }], () => say('never'));
  const capUsd = computeWorstCase(contractRequest, facts({})) * 1.5;
  await expect((await paid(model, { capUsd })).call(contractRequest, signal)).rejects.toMatchObject({
    code: 'budget_exceeded',
  });
  expect(model.allowed).toEqual([]);
  expect(await run.spending.list()).toMatchObject([{ failed: 1, reservedUsd: 0 }]);
});

test('counts that did not come make an answer uncertain', async () => {
  const { run, paid } = await begin();
  const answer: ModelResponse = { ...say('x'), usage: NO_USAGE, usageUnknown: true };
  await (await paid(failing([], () => answer))).call(contractRequest, signal);
  expect(await run.spending.list()).toMatchObject([
    { usd: 0, uncertainUsd: computeWorstCase(contractRequest, facts({})) },
  ]);
});

test('near the cap a call may give out what the agent usually needs, and one that is cut there is made again in full', async () => {
  const { run, paid, attemptAt } = await begin();
  const usual = { ...say('x'), usage: { ...NO_USAGE, output_tokens: 2000 } };
  const many = await paid(failing([], () => usual));
  for (let index = 0; index < 8; index += 1) await many.call(contractRequest, signal);
  const spent = (await run.spending.list()).reduce((sum, { usd }) => sum + usd, 0);
  const worst = computeWorstCase(contractRequest, facts({}));
  const lean = failing([], () => (lean.allowed.length === 1 ? { ...usual, stopReason: 'max_tokens' } : usual));
  const capUsd = spent + worst * 0.9;
  const call = (await paid(lean, { capUsd, lane: 'other' })).call(contractRequest, signal);
  await expect(call).rejects.toMatchObject({ code: 'budget_exceeded' });
  expect(lean.allowed).toEqual([3000]);
  expect(await (await attemptAt('design.r1')).recall('other.0001')).toBeUndefined();
  const again = await paid(lean, { capUsd: spent + worst * 2, lane: 'other' });
  expect(await again.call(contractRequest, signal)).toMatchObject({ stopReason: usual.stopReason });
  expect(lean.allowed).toEqual([3000, contractRequest.max_tokens]);
});

test('what a refusal of a subject said is remembered, because it is a result', async () => {
  const { paid } = await begin();
  const no = response([], 'refusal', { stopDetails: { category: 'cyber' } });
  const model = scriptedModel([no]);
  await (await paid(model, { agent: 'subject' })).call(contractRequest, signal);
  const replayed = await (await paid(scriptedModel([]), { agent: 'subject' })).call(contractRequest, signal);
  expect(replayed).toMatchObject({ stopReason: 'refusal', stopDetails: { category: 'cyber' } });
});

test('no file of the folder that is committed holds a time', async () => {
  const { run, slow, paid, attemptAt } = await begin();
  await (await paid(slow([4321]))).call(contractRequest, signal);
  const { out } = await attemptAt('design.r1');
  expect(await readdir(out)).toEqual([]);
  const holding = (await readdir(run.dir, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const timed = await Promise.all(
    holding.map(async ({ parentPath, name }) =>
      (await readFile(join(parentPath, name), 'utf8')).includes('4321') ? [join(parentPath, name)] : [],
    ),
  );
  const folders = timed.flat().map((path) => path.slice(run.dir.length + 1).replace(/@[^/]+/, ''));
  expect(folders.every((path) => /^(spend|wip\/design\.r1\/turns)\//.test(path))).toBe(true);
  expect(folders.length).toBeGreaterThan(1);
});

test('costs and times are summed by agent and by step; a call without a time is counted and adds none', async () => {
  const { run, slow, paid, attemptAt } = await begin();
  const init = await paid(slow([100, 300]));
  await init.call(contractRequest, signal);
  await init.call(contractRequest, signal);
  const subject = { agent: 'subject', lane: 'trials/s1.1', attempt: await attemptAt('execute.i1') };
  await (await paid(slow([40]), subject)).call(contractRequest, signal);
  await run.spending.reserve({ call: 'execute.i1.old.12345678', agent: 'subject', model: 'm', worstUsd: 1 }, 10);
  await run.spending.settle('execute.i1.old.12345678', say('x').usage, { price: facts({}).price });
  await run.spending.reserve({ call: 'execute.i1.open.12345678', agent: 'subject', model: 'm', worstUsd: 1 }, 10);
  const spend = await sumRunSpend(run);
  expect(spend).toMatchObject({ calls: 4, ms: 440, longestMs: 300 });
  expect(spend.byAgent).toMatchObject({ init: { calls: 2, ms: 400 }, subject: { calls: 2, ms: 40, longestMs: 40 } });
  expect(spend.byStep).toMatchObject({ 'design.r1': { calls: 2, ms: 400 }, 'execute.i1': { calls: 2, ms: 40 } });
  expect(spend.usd).toBeCloseTo((spend.byAgent['init']?.usd ?? 0) * 2);
});

test.each([
  ['design.r12.init.0003.0a1b2c3d', 'design.r12'],
  ['execute.i1.execute.subagent-12ab.0001.0a1b2c3d', 'execute.i1'],
  ['chat.4f-9.chat.r2.0001.0a1b2c3d', 'chat'],
  ['something else', 'something else'],
])('the call %s belongs to %s', (call, step) => {
  expect(parseCallStep(call)).toBe(step);
});

test('a provider that bills all that it could for every lost try stays under the highest bill, in up to thirty nights', async () => {
  for (let seed = 1; seed <= countRounds(30); seed += 1) {
    const { run, paid } = await begin();
    const random = chance(seed);
    const price = facts({}).price;
    const worstUsd = computeWorstCase(contractRequest, facts({}));
    let billedUsd = 0;
    for (let call = 1; call <= 12; call += 1) {
      const bills: TryBill[] = [];
      while (random() < 0.5) bills.push(random() < 0.5 ? { billed: 'unknown' } : { billed: 'unknown', usage: STARTED });
      const most = { ...STARTED, output_tokens: contractRequest.max_tokens };
      for (const bill of bills) billedUsd += 'usage' in bill ? computeCost(most, price) : worstUsd;
      const isAnswered = random() < 0.9;
      if (isAnswered) billedUsd += computeCost(say('').usage, price);
      else billedUsd += worstUsd;
      const asked = await paid(failing(bills, isAnswered ? () => say('so') : unavailable), {
        lane: `l${call}`,
        capUsd: 1000,
      });
      await asked.call(contractRequest, signal).catch(() => undefined);
    }
    const { usd, uncertainUsd = 0, unlikelyUsd = 0 } = await sumRunSpend(run);
    expect(usd, `seed ${seed}`).toBeLessThanOrEqual(billedUsd + 1e-9);
    expect(usd + uncertainUsd + unlikelyUsd, `seed ${seed}`).toBeGreaterThanOrEqual(billedUsd - 1e-9);
  }
});
