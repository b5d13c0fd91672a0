/** Questions of a proof that are asked again, in one session and in the next, with a component that was changed in between. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pureFirst } from '../../../src/adapters/quickjs/quickjs-or-process.ts';
import { rememberAnswers } from '../../../src/evaluation/proof/remember-answers.ts';
import type { OpenSandbox } from '../../../src/ports/sandbox.ts';

const signal = new AbortController().signal;
const timeoutMs = 5000;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tandem-answers-'));
  await mkdir(join(dir, 'tools'));
});
afterAll(() => rm(dir, { recursive: true }));

/** A real session on the folder, and how many answers it was really asked for. */
async function openCounted(): Promise<{ session: OpenSandbox; asked: () => number; close: () => Promise<void> }> {
  const real = await pureFirst(undefined).open(dir);
  let count = 0;
  const session = rememberAnswers({
    ...real,
    call: (call, within) => {
      count += 1;
      return real.call(call, within);
    },
    askAll: (inquiry, within) => {
      count += inquiry.modules.length * inquiry.times;
      return real.askAll(inquiry, within);
    },
  });
  return { session, asked: () => count, close: () => real.close() };
}

const writeTool = (name: string, body: string): Promise<void> =>
  writeFile(join(dir, `tools/${name}.mjs`), `export function run(world) { ${body} }\n`);

describe('a session that remembers answers', () => {
  test('asks until two answers agree, and gives copies of what was left after that', async () => {
    await writeTool('add', 'world.n += 1; return world.n;');
    const { session, asked, close } = await openCounted();
    const call = { module: 'tools/add.mjs', name: 'run', timeoutMs };
    for (let time = 0; time < 4; time += 1) {
      const world = { n: 1 };
      const answer = await session.call({ ...call, args: [world] }, signal);
      expect(answer).toMatchObject({ ok: true, value: 2, args: [{ n: 2 }] });
      expect(world).toEqual({ n: 1 });
      if (answer.ok) (answer.args[0] as { n: number }).n = 99;
    }
    expect(asked()).toBe(2);
    expect(await session.call({ ...call, args: [{ n: 5 }] }, signal)).toMatchObject({ value: 6 });
    expect(asked()).toBe(3);
    await close();
  });

  test('two answers to one inquiry are enough; only those not known are asked', async () => {
    await writeTool('one', 'return 1;');
    await writeTool('two', 'return 2;');
    const { session, asked, close } = await openCounted();
    const inquiry = { name: 'run', args: [{ of: 'both' }], times: 2, timeoutMs };
    await session.askAll({ ...inquiry, modules: ['tools/two.mjs'] }, signal);
    const answers = await session.askAll({ ...inquiry, modules: ['tools/one.mjs', 'tools/two.mjs'] }, signal);
    expect(answers.map((found) => found.map((one) => one.ok && one.value))).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(asked()).toBe(4);
    await close();
  });

  test('a changed module is asked anew in the next session; one that stayed is not', async () => {
    await writeTool('fee', 'return 10;');
    await writeTool('name', "return 'a';");
    const modules = ['tools/fee.mjs', 'tools/name.mjs'];
    const inquiry = { modules, name: 'run', args: [{ of: 'change' }], times: 2, timeoutMs };
    const first = await openCounted();
    await first.session.askAll(inquiry, signal);
    await first.close();
    await writeTool('fee', 'return 12;');
    const second = await openCounted();
    const [fee] = await second.session.askAll(inquiry, signal);
    expect(fee).toMatchObject([{ value: 12 }, { value: 12 }]);
    expect(second.asked()).toBe(2);
    await second.close();
  });

  test('answers that differ are never remembered, and neither is a call that ran out of time', async () => {
    await writeTool('chance', 'return Math.random();');
    await writeTool('loop', 'for (;;);');
    const { session, asked, close } = await openCounted();
    const modules = ['tools/chance.mjs'];
    const inquiry = { modules, name: 'run', args: [{}], times: 2, timeoutMs };
    const values = new Set<unknown>();
    for (let time = 0; time < 2; time += 1)
      for (const answer of (await session.askAll(inquiry, signal)).flat()) values.add(answer.ok && answer.value);
    expect(values.size).toBe(4);
    expect(asked()).toBe(4);
    const before = asked();
    for (let time = 0; time < 3; time += 1) {
      const call = { module: 'tools/loop.mjs', name: 'run', args: [{}], timeoutMs: 50 };
      expect(await session.call(call, signal)).toMatchObject({ ok: false, kind: 'timeout' });
    }
    expect(asked()).toBe(before + 3);
    await close();
  });

  test('answers that differed once are asked for each time, also when two agree later', async () => {
    const values = [1, 2, 2, 2];
    const session = rememberAnswers({
      call: async () => ({ ok: true, value: values.shift(), args: [] }),
      askAll: async () => [],
      digestModule: async () => 'a component that counts',
      close: async () => undefined,
    });
    for (let time = 0; time < 4; time += 1)
      await session.call({ module: 'tools/count.mjs', name: 'run', args: [], timeoutMs }, signal);
    expect(values).toEqual([]);
  });

  test('a component that answers otherwise once in a hundred calls is seen, and trusted for nothing from then on', async () => {
    let calls = 0;
    const session = rememberAnswers({
      call: async () => ({ ok: true, value: ++calls % 100 === 0, args: [] }),
      askAll: async ({ times }) => [
        Array.from({ length: times }, () => ({ ok: true as const, value: ++calls % 100 === 0, args: [] })),
      ],
      digestModule: async () => 'a component that is odd now and then',
      close: async () => undefined,
    });
    const ask = (question: number) =>
      session.askAll({ modules: ['checkers/odd.mjs'], name: 'check', args: [question], times: 2, timeoutMs }, signal);
    const unlike: number[] = [];
    for (let question = 0; question < 75; question += 1) {
      const [[one, other] = []] = await ask(question);
      if (JSON.stringify(one) !== JSON.stringify(other)) unlike.push(question);
    }
    expect(unlike).toEqual([49]);
    const before = calls;
    await ask(0);
    expect(calls).toBe(before + 2);
  });

  test('an abort is heard though the answer is known', async () => {
    await writeTool('same', 'return 0;');
    const { session, close } = await openCounted();
    const inquiry = { modules: ['tools/same.mjs'], name: 'run', args: [{ of: 'abort' }], times: 2, timeoutMs };
    await session.askAll(inquiry, signal);
    await expect(session.askAll(inquiry, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await close();
  });
});
