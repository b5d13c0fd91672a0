import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFileSpending } from '../../../src/adapters/files/file-spending.ts';
import { scratch } from '../../support/scratch.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const PRICE = { input: 1, output: 10, cacheWrite: 1, cacheRead: 0 };
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100_000 };
const call = (name: string, worstUsd = 1) => ({ call: name, agent: 'init', model: 'm', worstUsd });

test('writes one file for each reservation, settlement and release', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('c1', 2), 5);
  await spending.settle('c1', USAGE, { price: PRICE });
  await spending.reserve(call('c2'), 5);
  await spending.release('c2');
  const texts = await Promise.all(
    (await readdir(join(dir, 'spend'))).toSorted().map((name) => readFile(join(dir, 'spend', name), 'utf8')),
  );
  const by = { place: expect.any(String), pid: process.pid, at: expect.any(String) };
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
    { version: 1, type: 'reserved', call: 'c1', agent: 'init', model: 'm', usd: 2, by },
    { version: 1, type: 'settled', call: 'c1', usd: 1, usage: USAGE },
    { version: 1, type: 'reserved', call: 'c2', agent: 'init', model: 'm', usd: 1, by },
    { version: 1, type: 'released', call: 'c2' },
  ]);
});

test('writes nothing when the cap would be passed', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('c1', 4), 5);
  await expect(spending.reserve(call('c2', 1.01), 5)).rejects.toMatchObject({
    message: expect.stringContaining('--raise'),
  });
  expect(await readdir(join(dir, 'spend'))).toEqual(['000000.json']);
  await spending.reserve(call('c2', 1), 5);
});

test('meets a cap exactly, though cents are no binary fractions', async () => {
  const spending = openFileSpending(await scratch());
  for (let index = 0; index < 3; index += 1) await spending.reserve(call(`c${index}`, 0.1), 0.3);
});

test('an answer that does not say what it used costs at most what was reserved for it', async () => {
  const spending = openFileSpending(await scratch());
  await spending.reserve(call('c1', 2), 2);
  // Its request allowed more output than the money did.
  await spending.settle('c1', USAGE, { price: PRICE, uncertainUsd: 30 });
  expect(await spending.list()).toMatchObject([{ reservedUsd: 0, usd: 1, uncertainUsd: 1 }]);
});

/** Of one call: `lostUsd` says after its answer what a try cost that was booked as `bookedUsd`. */
async function bookLostTry(bookedUsd: number, lostUsd: number, capUsd: number) {
  const spending = openFileSpending(await scratch());
  const lost = await spending.reserve(call('c1', 4), 20);
  await spending.fail('c1', { nth: lost.nth, usd: 0.5, uncertainUsd: bookedUsd - 0.5 });
  await spending.reserve(call('other', 2), 20);
  const { nth } = await spending.reserve(call('c1', 4), 20);
  await spending.settle('c1', USAGE, { price: PRICE, nth, capUsd, lostUsd: () => [lostUsd] });
  const again = async (usd: number) => {
    await spending.settle('c1', USAGE, { price: PRICE, nth, capUsd, lostUsd: () => [usd] });
    return uncertain();
  };
  const uncertain = async () => (await spending.list())[0]?.uncertainUsd;
  return { uncertainUsd: await uncertain(), again };
}

test('an answer that is longer than thought makes the tries lost before it dearer: up to what was reserved, and to the cap', async () => {
  expect(await bookLostTry(1, 3, 20)).toMatchObject({ uncertainUsd: 2.5 });
  expect(await bookLostTry(1, 9, 20), 'what was reserved').toMatchObject({ uncertainUsd: 3.5 });
  // 1 for its answer, 2 for the other call, and 1 that was booked.
  expect(await bookLostTry(1, 3, 4.5), 'the cap').toMatchObject({ uncertainUsd: 1 });
  expect(await bookLostTry(1, 3, 0.5), 'no money left').toMatchObject({ uncertainUsd: 0.5 });
  expect(await bookLostTry(3, 1, 0.5), 'narrowed').toMatchObject({ uncertainUsd: 0.5 });
});

test('several lost tries share what the cap leaves', async () => {
  const spending = openFileSpending(await scratch());
  for (let n = 0; n < 2; n += 1) {
    const { nth } = await spending.reserve(call('c1', 4), 20);
    await spending.fail('c1', { nth, usd: 0.5, uncertainUsd: 0.5 });
  }
  const { nth } = await spending.reserve(call('c1', 4), 20);
  // 1 for its answer and 2 that were booked leave 1.5.
  await spending.settle('c1', USAGE, { price: PRICE, nth, capUsd: 4.5, lostUsd: () => [3, 3] });
  expect(await spending.list()).toMatchObject([{ usd: 2, uncertainUsd: 2.5 }]);
});

test('what was settled once is only made narrower', async () => {
  const { again } = await bookLostTry(1, 2, 20);
  expect(await again(3)).toBe(1.5);
  expect(await again(1)).toBe(0.5);
});

test('a call that is made again was cut off before: what that try cost is uncertain, and counts', async () => {
  const spending = openFileSpending(await scratch());
  await spending.reserve(call('c1', 2), 5);
  expect(await spending.reserve(call('c1', 2), 5)).toEqual({ nth: 1, usd: 2 });
  expect(await spending.list()).toMatchObject([{ call: 'c1', reservedUsd: 2, usd: 0, uncertainUsd: 2, failed: 1 }]);
  await expect(spending.reserve(call('c2', 1.01), 5)).rejects.toMatchObject({
    message: expect.stringContaining(
      '$0.00 of $5.00 are spent, up to $2.00 more may have been (failed calls) and $2.00 are reserved',
    ),
  });
  // The process was only thought to be dead: its settlement replaces the guess.
  await spending.settle('c1', USAGE, { price: PRICE, nth: 0 });
  await spending.settle('c1', USAGE, { price: PRICE, nth: 1 });
  expect(await spending.list()).toMatchObject([{ reservedUsd: 0, usd: 2, uncertainUsd: 0, answers: 2, failed: 0 }]);
});

test('a try that an earlier version made in a message batch may have cost all when the call is made again', async () => {
  const dir = await scratch();
  await openFileSpending(dir).reserve(call('c1', 2), 5);
  const line = join(dir, 'spend/000000.json');
  await writeFile(line, (await readFile(line, 'utf8')).replace('"usd":2', '"usd":2,"batch":true'));
  const later = openFileSpending(dir);
  await later.reserve(call('c1', 2), 9);
  expect(await later.list()).toMatchObject([{ call: 'c1', reservedUsd: 2, uncertainUsd: 2 }]);
});

test('a failed try is booked for what it surely cost, and held against the cap for what it may have cost', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  const { nth } = await spending.reserve(call('c1', 3), 5);
  await spending.fail('c1', { nth, usd: 0.5, uncertainUsd: 1.5, usage: USAGE });
  await spending.fail('c1', { nth, usd: 9, uncertainUsd: 9 });
  expect(await openFileSpending(dir).list()).toMatchObject([
    { reservedUsd: 0, usd: 0.5, uncertainUsd: 1.5, answers: 0, failed: 1 },
  ]);
  await expect(spending.reserve(call('c2', 3.01), 5)).rejects.toMatchObject({
    details: { spentUsd: 0.5, uncertainUsd: 1.5, reservedUsd: 0, capUsd: 5, nextUsd: 3.01 },
  });
  await spending.reserve(call('c2', 3), 5);
});

test('what does not fit waits for what others have reserved, and is refused when nobody at work holds anything', async () => {
  const dir = await scratch();
  const [one, two] = [openFileSpending(dir), openFileSpending(dir)];
  await one.reserve(call('c1', 4), 5);
  const held: number[] = [];
  const wait = { signal: new AbortController().signal, onWait: (usd: number) => void held.push(usd) };
  const waiting = two.reserve(call('c2', 4), 5, wait);
  await expect.poll(() => held.length).toBeGreaterThan(1);
  await one.settle('c1', USAGE, { price: PRICE });
  expect(await waiting).toEqual({ nth: 0, usd: 4 });
  expect(held[0]).toBe(4);
  await two.settle('c2', { ...USAGE, output_tokens: 400_000 }, { price: PRICE });
  await expect(one.reserve(call('c3', 1), 5, wait)).rejects.toMatchObject({ code: 'budget_exceeded' });
});

test('a wait ends with its signal, and nobody waits for a process that died', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('c1', 4), 5);
  const stop = new AbortController();
  const waiting = spending.reserve(call('c2', 4), 5, {
    signal: stop.signal,
    onWait: () => stop.abort(new Error('stop')),
  });
  await expect(waiting).rejects.toThrow('stop');
  const path = join(dir, 'spend/000000.json');
  const dead = (await readFile(path, 'utf8')).replace(/"pid":\d+/, '"pid":999999999');
  await writeFile(path, dead);
  const { signal } = new AbortController();
  await expect(openFileSpending(dir).reserve(call('c2', 4), 5, { signal })).rejects.toThrow('$4.00 are reserved');
});

test('where the worst case does not fit, the least that is of use is reserved', async () => {
  const spending = openFileSpending(await scratch());
  expect(await spending.reserve({ ...call('c1', 4), leastUsd: 1 }, 5)).toEqual({ nth: 0, usd: 4 });
  expect(await spending.reserve({ ...call('c2', 4), leastUsd: 1 }, 5)).toEqual({ nth: 0, usd: 1 });
  await expect(spending.reserve({ ...call('c3', 4), leastUsd: 1 }, 5)).rejects.toMatchObject({
    details: { nextUsd: 1 },
  });
});

test('a settlement counts though its reservation is gone', async () => {
  const spending = openFileSpending(await scratch());
  await spending.reserve(call('c1'), 5);
  await spending.release('c1');
  expect(await spending.settle('c1', USAGE, { price: PRICE })).toBe(1);
  await spending.settle('never-reserved', USAGE, { price: PRICE });
  expect((await spending.list()).map(({ call: name, usd, agent }) => [name, usd, agent])).toEqual([
    ['c1', 1, 'init'],
    ['never-reserved', 1, 'unknown'],
  ]);
});

test('a worst case that is no amount is refused', async () => {
  const spending = openFileSpending(await scratch());
  for (const worst of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    await expect(spending.reserve(call('c1', worst), 5)).rejects.toMatchObject({ code: 'infrastructure' });
  }
});

test('names the file that is broken or missing', async () => {
  const dir = await scratch();
  for (let index = 0; index < 3; index += 1) await openFileSpending(dir).reserve(call(`c${index}`), 5);
  await writeFile(join(dir, 'spend/000001.json'), '{"version":1,"type":"settled","call":"c0","usd":-5}');
  await expect(openFileSpending(dir).list()).rejects.toMatchObject({
    code: 'data_corrupt',
    details: { file: 'spend/000001.json' },
  });
  await rm(join(dir, 'spend/000001.json'));
  await expect(openFileSpending(dir).list()).rejects.toMatchObject({
    code: 'data_corrupt',
    message: expect.stringContaining('spend/000001.json is missing'),
  });
});

test('call names may be anything: they are never paths', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('../../etc/passwd'), 5);
  await spending.reserve(call('__proto__'), 5);
  expect((await spending.list()).map((record) => record.call)).toEqual(['../../etc/passwd', '__proto__']);
  expect(await readdir(join(dir, 'spend'))).toEqual(['000000.json', '000001.json']);
});

test('what is settled stays settled, whatever a later line says', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('c1'), 5);
  await spending.settle('c1', USAGE, { price: PRICE });
  await writeFile(join(dir, 'spend/000002.json'), '{"version":1,"type":"released","call":"c1"}');
  await writeFile(
    join(dir, 'spend/000003.json'),
    '{"version":1,"type":"reserved","call":"c1","agent":"x","model":"m","usd":9}',
  );
  expect(await openFileSpending(dir).list()).toMatchObject([{ call: 'c1', agent: 'init', usd: 1 }]);
});

test('what many want at the same time is written together, and each gets its own answer', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  const asked = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => spending.reserve(call(`c${index}`), 30)),
  );
  // The cap holds in the middle of a batch too.
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
  expect(asked.slice(30).every((one) => one.status === 'rejected' && one.reason.code === 'budget_exceeded')).toBe(true);
  expect((await readdir(join(dir, 'spend'))).length).toBeLessThan(10);
  const again = await openFileSpending(dir).list();
  expect(again.map(({ call: name }) => name)).toEqual(Array.from({ length: 30 }, (_, index) => `c${index}`));
});

test('two workers that write together never lose or double a line', async () => {
  const dir = await scratch();
  const [one, two] = [openFileSpending(dir), openFileSpending(dir)];
  const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
  await Promise.all(
    names.flatMap((name, index) => {
      const mine = index % 2 === 0 ? one : two;
      return [mine.reserve(call(name), 100).then(() => mine.settle(name, USAGE, { price: PRICE })), mine.list()];
    }),
  );
  for (const spending of [one, two, openFileSpending(dir)]) {
    const records = await spending.list();
    expect(records.map(({ call: name }) => name).toSorted()).toEqual(names.toSorted());
    expect(records.every(({ usd }) => usd === 1)).toBe(true);
  }
});

test('a reservation that is written off counts in full, once, until somebody knows better', async () => {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  await spending.reserve(call('c1', 2), 5);
  expect(await spending.writeOff('c1')).toBe(2);
  expect([await spending.writeOff('c1'), await spending.writeOff('never')]).toEqual([undefined, undefined]);
  expect(await openFileSpending(dir).list()).toMatchObject([
    { call: 'c1', reservedUsd: 0, usd: 0, uncertainUsd: 2, failed: 1 },
  ]);
  await spending.release('c1');
  await expect(spending.reserve(call('c2', 3.01), 5)).rejects.toMatchObject({
    message: expect.stringContaining('up to $2.00 more may have been (failed calls) and $0.00 are reserved'),
  });
  await spending.reserve(call('c2', 3), 5);
  // The process was only thought to be dead.
  expect(await spending.settle('c1', USAGE, { price: PRICE })).toBe(1);
  const [first] = await openFileSpending(dir).list();
  expect([first?.usd, first?.uncertainUsd]).toEqual([1, 0]);
  expect(await spending.settle('c1', { ...USAGE, output_tokens: 7 }, { price: PRICE })).toBe(1);
});

test('whoever reserves, fails, settles or dies: sure, uncertain and reserved money never pass the cap together', async () => {
  const outcome = fc.constantFrom('settle', 'fail', 'unknown', 'die');
  const calls = fc.array(
    fc.record({ worst: fc.integer({ min: 1, max: 40 }), share: fc.double({ min: 0, max: 1, noNaN: true }), outcome }),
    {
      minLength: 6,
      maxLength: 14,
    },
  );
  await fc.assert(
    fc.asyncProperty(calls, async (script) => {
      const dir = await scratch();
      const workers = [openFileSpending(dir), openFileSpending(dir)];
      const capUsd = 100;
      const wait = { signal: AbortSignal.timeout(10_000) };
      const one = async ({ worst, share, outcome: how }: (typeof script)[number], index: number): Promise<void> => {
        const spending = workers[index % 2];
        const name = `c${index}`;
        const asked = { ...call(name, worst), leastUsd: worst / 2 };
        // Nobody waits for the dead, who in this process would seem alive.
        const mayWait = script.every((other) => other.outcome !== 'die');
        const reserved = await spending?.reserve(asked, capUsd, mayWait ? wait : undefined).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'budget_exceeded' });
        });
        if (!reserved) return;
        const { nth, usd } = reserved;
        const output_tokens = Math.floor(usd * share * 100_000);
        if (how === 'settle') await spending?.settle(name, { ...USAGE, output_tokens }, { price: PRICE, nth });
        if (how === 'fail') await spending?.fail(name, { nth, usd: usd * share, uncertainUsd: usd * (1 - share) });
        if (how === 'unknown') await spending?.fail(name, { nth, usd: 0, uncertainUsd: usd });
        const records = await openFileSpending(dir).list();
        const all = records.reduce((sum, record) => sum + record.usd + record.uncertainUsd + record.reservedUsd, 0);
        expect(all).toBeLessThanOrEqual(capUsd + 1e-6);
      };
      await Promise.all(script.map(one));
    }),
    propertyRuns(12),
  );
});
