/** What QuickJS has not is refused by name; what needs more goes elsewhere or nowhere. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { needsMore } from '../../../src/adapters/quickjs/quickjs-or-process.ts';
import { openQuickjs } from '../../../src/adapters/quickjs/open-quickjs.ts';
import { pureFirst, pureFirstIn } from '../../../src/adapters/quickjs/quickjs-or-process.ts';
import { openBareProcess } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { scratch } from '../../support/scratch.ts';
import { ask, CHECKER, sessionOn } from './session-on.ts';

const run = promisify(execFile);
const { signal } = new AbortController();

describe('quickjs', () => {
  test('a thread that waits for the next session keeps no process', async () => {
    const dir = await scratch();
    await mkdir(join(dir, 'checkers'));
    await writeFile(join(dir, 'checkers', 'c.mjs'), CHECKER);
    const program = `
      const { openQuickjs } = await import(${JSON.stringify(import.meta.resolve('../../../src/adapters/quickjs/open-quickjs.ts'))});
      const session = await openQuickjs().open(${JSON.stringify(dir)});
      const call = { module: 'checkers/c.mjs', name: 'checker', args: [], timeoutMs: 5000 };
      console.log((await session.call(call, new AbortController().signal)).value.id);
      await session.close();`;
    // The limit ends a process that would wait for ever.
    const ran = await run(process.execPath, ['--input-type=module', '--eval', program], { timeout: 20_000 });
    expect(ran.stdout).toBe('c\n');
  });

  test('what is not there is refused by name, not answered otherwise', async () => {
    const refused = {
      'process.env': 'process is not there in QuickJS',
      'fetch("http://127.0.0.1")': 'fetch is not there',
      '"a".localeCompare("b")': 'localeCompare is not there',
      '(12).toLocaleString("de")': 'toLocaleString is not there',
      'new Intl.NumberFormat()': 'Intl is not there',
      'import("node:fs")': '"node:fs" cannot be imported',
      'import("./other.mjs")': 'cannot be imported',
      '(() => {}).constructor("return process.env")()': 'process is not there',
    };
    const outcomes = await ask(
      Object.keys(refused).map((code) => `return await ${code};`),
      5000,
    );
    expect(outcomes).toMatchObject(
      Object.values(refused).map((says) => ({ ok: false, kind: 'threw', message: expect.stringContaining(says) })),
    );
  });

  test('a clock that is set back or ahead makes no answer late', async () => {
    const { now } = Date;
    for (const stepMs of [-60_000, 60_000]) {
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + stepMs);
      const outcomes = await ask(['return 1;', 'for (;;);'], 200).finally(() => clock.mockRestore());
      expect(outcomes).toMatchObject([{ value: 1 }, { kind: 'timeout', message: 'no answer within 200 ms' }]);
    }
  });

  test('what one call leaves behind does not reach the next', async () => {
    const text = `
      export const spoil = () => { globalThis.left = 1; Array.prototype.map = null; JSON.stringify = () => '"forged"'; return 'done'; };
      let calls = 0;
      export const look = () => [typeof globalThis.left, typeof [].map, calls += 1];`;
    const session = await sessionOn({ 'c.mjs': text });
    const call = (name: string) => session.call({ module: 'checkers/c.mjs', name, args: [], timeoutMs: 5000 }, signal);
    expect(await call('spoil')).toMatchObject({ value: 'done' });
    for (let time = 0; time < 2; time += 1)
      expect(await call('look')).toMatchObject({ value: ['undefined', 'function', 1] });
  });

  test('a thread that serves the next session knows nothing of the one before, and reads its files anew', async () => {
    const sandbox = openQuickjs();
    const call = { module: 'checkers/c.mjs', name: 'f', args: [], timeoutMs: 5000 };
    const text = (own: string) =>
      `export const f = () => { const was = globalThis.left; globalThis.left = '${own}'; return [was ?? null, '${own}']; };`;
    for (const own of ['one', 'two', 'three']) {
      const session = await sessionOn({ 'c.mjs': text(own) }, sandbox);
      expect(await session.call(call, signal)).toMatchObject({ value: [null, own] });
      await session.close();
    }
    const endless = await sessionOn({ 'c.mjs': 'export const f = () => { for (;;); };' }, sandbox);
    expect(await endless.call({ ...call, timeoutMs: 50 }, signal)).toMatchObject({ ok: false, kind: 'timeout' });
    await endless.close();
    const after = await sessionOn({ 'c.mjs': text('four') }, sandbox);
    expect(await after.call(call, signal)).toMatchObject({ value: [null, 'four'] });
  });

  test('a module is loaded once, and each call begins with what it was then; one that draws while it loads draws anew', async () => {
    const counts = (name: string): string => `let calls = 0;
const seen = [];
export function check() { calls += 1; seen.push('x'.repeat(100_000)); return { name: '${name}', calls, seen: seen.length, at: Math.random() }; }`;
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}.mjs`, counts(`c${at}`)] as const));
    const draws = `const drawn = Math.random();\nexport function check() { return drawn; }`;
    const session = await sessionOn({ ...many, 'draws.mjs': draws });
    const modules = Object.keys(many).map((name) => `checkers/${name}`);
    const inquiry = { modules, name: 'check', args: [], times: 2, timeoutMs: 5000 };
    const rounds = [await session.askAll(inquiry, signal), await session.askAll(inquiry, signal)];
    const values = rounds.flat(2).map((one) => (one.ok ? (one.value as Record<string, unknown>) : {}));
    const names = Object.keys(many).flatMap((name) => [name, name].map((one) => one.slice(0, -4)));
    expect(values.map((one) => [one['name'], one['calls'], one['seen']])).toEqual(
      [...names, ...names].map((name) => [name, 1, 1]),
    );
    // Chance stays chance, when the module is loaded and when it is called.
    expect(new Set(values.map((one) => one['at'])).size).toBe(values.length);
    const [drawn] = await session.askAll({ ...inquiry, modules: ['checkers/draws.mjs'], times: 5 }, signal);
    expect(new Set(drawn?.map((one) => one.ok && one.value)).size).toBe(5);
  });

  test('the clock stands still at the same moment as elsewhere, whatever the zone of the machine', async () => {
    const text = 'export const check = () => [Date.now(), +new Date(), new Date("2026-07-01T00:00:00").toISOString()];';
    const session = await sessionOn({ 'c.mjs': text });
    const midnight = Date.UTC(2026, 0, 1);
    expect(
      await session.call({ module: 'checkers/c.mjs', name: 'check', args: [], timeoutMs: 5000 }, signal),
    ).toMatchObject({
      value: [midnight, midnight, '2026-07-01T00:00:00.000Z'],
    });
  });

  test('a long text that stands at two places of the arguments stands at both', async () => {
    const session = await sessionOn({
      'c.mjs': 'export const check = (a, b) => [a.text === b.list[0], a.text.length, b.short];',
    });
    const text = 'x'.repeat(2000);
    const args = [{ text }, { list: [text], short: 'y' }];
    expect(
      await session.call({ module: 'checkers/c.mjs', name: 'check', args, timeoutMs: 5000 }, signal),
    ).toMatchObject({
      value: [true, 2000, 'y'],
    });
  });

  test('questions that wait for the engine go to it in one message, and one that hangs takes no answer from the others', async () => {
    const files = {
      'adds.mjs':
        'export const check = (n) => { globalThis.was = (globalThis.was ?? 0) + 1; return n + globalThis.was; };',
      'hangs.mjs': 'export const check = () => { for (;;); };',
    };
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    onTestFinished(() => sent.mockRestore());
    const session = await sessionOn(files, pureFirst(openBareProcess()));
    const ask = (name: string, n: number) =>
      session.askAll({ modules: [`checkers/${name}.mjs`], name: 'check', args: [n], times: 2, timeoutMs: 300 }, signal);
    await ask('adds', 0);
    sent.mockClear();
    const sound = await Promise.all(Array.from({ length: 12 }, (_, n) => ask('adds', n)));
    expect(sent.mock.calls.length).toBeLessThanOrEqual(2);
    expect(sound).toMatchObject(Array.from({ length: 12 }, (_, n) => [[{ value: n + 1 }, { value: n + 1 }]]));
    const mixed = await Promise.all([ask('adds', 1), ask('hangs', 0), ask('adds', 2), ask('adds', 3)]);
    expect(mixed.map(([answers]) => answers?.at(-1))).toMatchObject([
      { value: 2 },
      { kind: 'timeout' },
      { value: 3 },
      { value: 4 },
    ]);
  });

  test('questions that want one answer and such that want two wait together, and each gets its own number', async () => {
    const session = await sessionOn({ 'c.mjs': 'export const f = (number) => number;' });
    const question = { module: 'checkers/c.mjs', modules: ['checkers/c.mjs'], name: 'f', timeoutMs: 5000 };
    const answers = await Promise.all([
      session.call({ ...question, args: [0] }, signal),
      session.call({ ...question, args: [1] }, signal),
      session.askAll({ ...question, args: [2], times: 2 }, signal),
      session.call({ ...question, args: [3] }, signal),
    ]);
    expect(answers).toMatchObject([{ value: 0 }, { value: 1 }, [[{ value: 2 }, { value: 2 }]], { value: 3 }]);
    expect(answers[2]?.[0]).toHaveLength(2);
  });

  test('a question to several modules is one message, and one that hangs, breaks or does not load takes no answer from the others', async () => {
    const answering = (code: string) => `export const check = (text) => { ${code} };`;
    const files = {
      'a.mjs': answering('return text + "a";'),
      'hangs.mjs': answering('for (;;);'),
      'b.mjs': answering('return text + "b";'),
      'throws.mjs': answering('throw new Error(text);'),
      'broken.mjs': 'export const check = (;',
      'c.mjs': answering('globalThis.was = (globalThis.was ?? 0) + 1; return globalThis.was;'),
    };
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    onTestFinished(() => sent.mockRestore());
    const session = await sessionOn(files, pureFirst(openBareProcess()));
    const asked = async (...names: string[]) => {
      const before = sent.mock.calls.length;
      const modules = names.map((name) => `checkers/${name}.mjs`);
      const answers = await session.askAll({ modules, name: 'check', args: ['x'], times: 2, timeoutMs: 300 }, signal);
      return { answers, messages: sent.mock.calls.length - before };
    };
    const sound = await asked('a', 'b', 'c', 'throws');
    expect(sound.messages).toBe(1);
    expect(sound.answers.map(([one]) => one)).toMatchObject([
      { value: 'xa' },
      { value: 'xb' },
      { value: 1 },
      { kind: 'threw' },
    ]);
    expect(sound.answers.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    const mixed = await asked('a', 'hangs', 'b', 'broken', 'c');
    expect(mixed.answers.map((answers) => answers.at(-1))).toMatchObject([
      { value: 'xa' },
      { kind: 'timeout', message: 'no answer within 600 ms' },
      { value: 'xb' },
      { kind: 'bad_module', message: expect.stringContaining('SyntaxError') },
      { value: 1 },
    ]);
  });

  test('a copy has every key, also one that is called like the prototype', async () => {
    const copied = 'return JSON.stringify(structuredClone(JSON.parse(\'{"__proto__":null,"a":1}\')));';
    expect(await ask([copied], 5000)).toMatchObject([{ ok: true, value: '{"__proto__":null,"a":1}' }]);
  });

  test('Python is refused in one sentence', async () => {
    const session = await sessionOn({ 'c.py': 'def check(): pass' });
    await expect(
      session.call({ module: 'checkers/c.py', name: 'check', args: [], timeoutMs: 5000 }, signal),
    ).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
  });
});

describe('what needs more than the language', () => {
  test.each([
    ['import fs from "node:fs";', '1: import fs from "node:fs";'],
    ['const a = 1;\nexport { b } from "./b.mjs";', '2: export { b } from'],
    ['\n\n  await sleep(setTimeout(x));', '3: setTimeout('],
    ['list.sort((a, b) => a.localeCompare(b));', '1: .localeCompare('],
    ['const now = process.hrtime();', '1: process.'],
  ])('%s', (source, place) => {
    expect(needsMore(source)?.startsWith(place.slice(0, 14))).toBe(true);
  });

  test.each([
    'export const important = 1;',
    'const processed = list.map(fetchAll);',
    'import type { A } from "./a.ts";',
    CHECKER,
  ])('not %s', (source) => expect(needsMore(source)).toBeUndefined());

  const FILES = {
    'pure.mjs': 'export const check = () => "pure";',
    'timed.mjs': 'export const check = () => new Promise((done) => setTimeout(done, 1, typeof process.pid));',
  };

  test('goes to the other sandbox where there is one', async () => {
    const both = pureFirst(openBareProcess());
    expect(both.kind).toBe('quickjs, and child-process for what needs more');
    const session = await sessionOn(FILES, both);
    const inquiry = { modules: ['checkers/timed.mjs', 'checkers/pure.mjs'], name: 'check', args: [], times: 2 };
    const [timed, pure] = await session.askAll({ ...inquiry, timeoutMs: 5000 }, signal);
    expect(timed).toMatchObject([{ value: 'number' }, { value: 'number' }]);
    expect(pure).toMatchObject([{ value: 'pure' }, { value: 'pure' }]);
  });

  test('opens the other sandbox of a folder when a component needs it, and not before', async () => {
    const dir = await scratch();
    await mkdir(join(dir, 'checkers'));
    await writeFile(join(dir, 'checkers/pure.mjs'), FILES['pure.mjs']);
    const openRest = vi.fn(() => Promise.resolve(openBareProcess()));
    const sandbox = pureFirstIn(dir, openRest);
    const session = await sandbox.open(dir);
    const call = (name: string) =>
      session.call({ module: `checkers/${name}`, name: 'check', args: [], timeoutMs: 5000 }, signal);
    expect(await call('pure.mjs')).toMatchObject({ value: 'pure' });
    expect([sandbox.kind, sandbox.gaps, openRest.mock.calls.length]).toEqual(['quickjs', [], 0]);
    await writeFile(join(dir, 'checkers/timed.mjs'), FILES['timed.mjs']);
    expect(await call('timed.mjs')).toMatchObject({ value: 'number' });
    expect(sandbox.kind).toBe('quickjs, and child-process for what needs more');
    expect(sandbox.gaps.join()).toContain('with your rights');
    await session.close();
    pureFirstIn(dir, openRest);
    expect(openRest).toHaveBeenCalledTimes(2);
  });

  test('and is refused with file, line and what to do where there is none', async () => {
    const session = await sessionOn({ ...FILES, 'p.py': '' }, pureFirst(undefined));
    const call = (name: string) =>
      session.call({ module: `checkers/${name}`, name: 'check', args: [], timeoutMs: 5000 }, signal);
    expect(await call('pure.mjs')).toMatchObject({ value: 'pure' });
    expect(await call('timed.mjs')).toMatchObject({
      ok: false,
      kind: 'bad_module',
      message: expect.stringMatching(/^checkers\/timed\.mjs:1: .*install bubblewrap/),
    });
    expect(await call('p.py')).toMatchObject({ ok: false, message: expect.stringContaining('Python needs more') });
  });
});
