/** What every sandbox must hold, whatever its walls are made of. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, OpenSandbox } from '../../src/ports/sandbox.ts';

const JAVASCRIPT = `
export const tool = { name: 'counter', list: [1, 2] };
export function add(input, world) { world.total += input.by; return { total: world.total }; }
export async function later(text) { await new Promise((done) => setTimeout(done, 5)); return text; }
export function nothing() {}
export function fails() { throw new TypeError('no such order'); }
export function hangs() { for (;;); }
export function sum(input, world) { return Object.values(world.items).reduce((all, { n, tags }) => all + n + tags.length, 0); }
export function edit(input, world) {
  world.items.k7.n = -1;
  delete world.items.k8;
  world.items['a/b~c'] = { n: 1, tags: [null] };
  world.items.k9.tags.push('ü');
  world.list.shift();
  input.seen = true;
  return 'done';
}
export function spoil(input, world) {
  for (const item of Object.values(world.items)) { item.n = 0; item.tags.length = 0; }
  Object.freeze(world);
  return Object.keys(world.items).length;
}
export function check({ before, after }) {
  const seen = [before.items.k7.n, after.items.k7.n];
  before.items.k7.n = after.items.k7.n = 99;
  return seen;
}
export function whole(ctx) {
  const { sample, ...rest } = structuredClone(ctx);
  ctx.after = 'mine';
  return [Object.keys(ctx), JSON.stringify(rest).length, rest.before.items.k7.n === ctx.before.items.k7.n, ctx.after];
}
export function replaces(input, world) { world.list = { not: 'a list' }; world.items = null; return 'done'; }
export function rate(input, world) { world.items.k7.none = 0 / 0; return 'done'; }
export function waits() { return new Promise(() => setInterval(() => {}, 1000)); }
export function big() { return 'x'.repeat(26_000_000); }
export function deep() { let node = 1; for (let i = 0; i < 1000; i += 1) node = [node]; return node; }
export function huge() { return 10n; }
export async function read(path) { return (await import('node:fs')).readFileSync(path, 'utf8'); }
export function here() { return import.meta.dirname; }
export function notANumber() { return { rate: 0 / 0 }; }
export function inCircle() { const a = []; a.push(a); return a; }
export function tooLarge() { return { n: Infinity }; }
`;

const WAITS = 'const again = () => Promise.resolve().then(again); return again();';

const PYTHON = `
import json, os, time
tool = {'name': 'counter', 'list': [1, 2]}
def add(input, world):
    world['total'] += input['by']
    return {'total': world['total']}
def later(text): return text
def fails(): raise TypeError('no such order')
def sum(input, world):
    all = 0
    for item in world['items'].values(): all += item['n'] + len(item['tags'])
    return all
def edit(input, world):
    world['items']['k7']['n'] = -1
    del world['items']['k8']
    world['items']['a/b~c'] = {'n': 1, 'tags': [None]}
    world['items']['k9']['tags'].append('ü')
    world['list'].pop(0)
    input['seen'] = True
    return 'done'
def spoil(input, world):
    for item in world['items'].values():
        item['n'] = 0
        item['tags'].clear()
    return len(world['items'])
def check(ctx):
    seen = [ctx['before']['items']['k7']['n'], ctx['after']['items']['k7']['n']]
    ctx['before']['items']['k7']['n'] = ctx['after']['items']['k7']['n'] = 99
    return seen
def whole(ctx):
    rest = {key: value for key, value in ctx.items() if key != 'sample'}
    length = len(json.dumps(rest, separators=(',', ':'), ensure_ascii=False))
    ctx['after'] = 'mine'
    return [list(ctx), length, True, ctx['after']]
def replaces(input, world):
    world['list'] = {'not': 'a list'}
    world['items'] = None
    return 'done'
def rate(input, world):
    world['items']['k7']['none'] = float('nan')
    return 'done'
def hangs():
    while True: pass
def waits(): time.sleep(3600)
def big(): return 'x' * 6_000_000
def deep():
    node = 1
    for _ in range(1000): node = [node]
    return node
def huge(): return {1, 2}
def read(path):
    with open(path) as file: return file.read()
def here(): return os.path.dirname(__file__)
def notANumber(): return {'rate': float('nan')}
def inCircle():
    a = []
    a.append(a)
    return a
def tooLarge(): return {'n': 10 ** 400}
`;

/** More than is sent along with each call. */
const BASE = {
  items: Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`k${n}`, { n, tags: ['grün', null], text: 'x'.repeat(200), rate: n / 8 }]),
  ),
  list: ['first', 'second', { third: null }],
};

/** The same component in each language, and the line that fails in it. */
const LANGUAGES = {
  javascript: { ending: '.mjs', text: JAVASCRIPT, broken: 'export const x = 1;\nexport const tool = {;', fails: 6 },
  typescript: { ending: '.ts', text: JAVASCRIPT, broken: 'export const x = 1;\nexport const tool: = {};', fails: 6 },
  python: { ending: '.py', text: PYTHON, broken: 'x = 1\ndef run(:', fails: 8 },
};

export function sandboxContract(
  name: string,
  open: () => Promise<Sandbox>,
  language: keyof typeof LANGUAGES = 'javascript',
  { languageAlone = false, hasFiles = true } = {},
): void {
  const { ending, text: whole, broken, fails } = LANGUAGES[language];
  // Where there are neither timers nor files, a promise is all that can be waited for.
  const text = languageAlone
    ? whole.replace('setTimeout(done, 5)', 'done()').replace(/return new Promise.*1000\)\);/, WAITS)
    : whole;
  const module = `tools/counter${ending}`;

  describe(`sandbox contract: ${name}, ${language}`, () => {
    let dir: string;
    let session: OpenSandbox;
    const signal = new AbortController().signal;
    const call = (export_: string, args: unknown[] = [], timeoutMs = 5000) =>
      session.call({ module, name: export_, args, timeoutMs }, signal);

    beforeAll(async () => {
      dir = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-contract-')));
      mkdirSync(join(dir, 'tools'));
      mkdirSync(join(dir, 'samples'));
      writeFileSync(join(dir, module), text);
      writeFileSync(join(dir, `tools/broken${ending}`), broken);
      writeFileSync(join(dir, 'samples/base.json'), '{"gold":true}');
      writeFileSync(join(dir, `tools/other${ending}`), 'another component');
      session = await (await open()).open(dir);
    });
    afterAll(async () => {
      await session.close();
      rmSync(dir, { recursive: true });
    });

    test('returns an export that is no function as it is', async () => {
      expect(await call('tool')).toEqual({ ok: true, value: { name: 'counter', list: [1, 2] }, args: [] });
    });

    test('returns the arguments as the function left them, and leaves those of the caller alone', async () => {
      const world = { total: 1 };
      const outcome = await call('add', [{ by: 2 }, world]);
      expect(outcome).toEqual({ ok: true, value: { total: 3 }, args: [{ by: 2 }, { total: 3 }] });
      expect(world).toEqual({ total: 1 });
    });

    describe('a large value that many calls share', () => {
      const on = (export_: string, world: object, input: object = {}) =>
        session.call(
          {
            module,
            name: export_,
            args: { args: [input, world], shared: [{ at: ['1'], base: BASE }] },
            timeoutMs: 5000,
          },
          signal,
        );
      const whole = JSON.stringify(BASE);
      const total = Object.values(BASE.items).reduce((all, { n, tags }) => all + n + tags.length, 0);

      test('is seen whole, and comes back as it was given when nothing was done to it', async () => {
        const outcome = await on('sum', BASE);
        expect(outcome).toMatchObject({ ok: true, value: total });
        expect(outcome.ok && outcome.args[1]).toBe(BASE);
      });

      test('is seen with what is other in it; what a function does to it and to the rest comes back as if all had been sent', async () => {
        const world = { ...BASE, items: { ...BASE.items, k7: { n: 1000, tags: [] } } };
        expect(await on('sum', world)).toMatchObject({ ok: true, value: total + 1000 - 7 - 2 });
        const [shared, plain] = [await on('edit', world), await call('edit', [{}, world])];
        expect(shared).toEqual(plain);
        expect(shared).toMatchObject({ ok: true, args: [{ seen: true }, { list: ['second', { third: null }] }] });
        expect(await on('replaces', world)).toEqual(await call('replaces', [{}, world]));
        expect(JSON.stringify(BASE)).toBe(whole);
      });

      test('is fresh for every call, whatever the one before did to its copy', async () => {
        expect(await on('spoil', BASE)).toMatchObject({ ok: true, value: 500 });
        expect(await on('sum', BASE)).toMatchObject({ ok: true, value: total });
        const after = { ...BASE, items: { ...BASE.items, k7: { n: 8, tags: [] } } };
        const shared = ['before', 'after'].map((key) => ({ at: ['0', key], base: BASE }));
        const args = { args: [{ before: BASE, after }], shared };
        const asked = { modules: [module], name: 'check', args, times: 2 };
        const [outcomes] = await session.askAll({ ...asked, timeoutMs: 5000 }, signal);
        expect(outcomes).toMatchObject([{ value: [7, 8] }, { value: [7, 8] }]);
        // However it is looked at, it is an object as any other.
        const seen = { sample: {}, before: BASE, after: BASE };
        const [[first] = []] = await session.askAll(
          { modules: [module], name: 'whole', args: { args: [seen], shared }, times: 1, timeoutMs: 5000 },
          signal,
        );
        const { length } = JSON.stringify({ before: BASE, after: BASE });
        expect(first).toMatchObject({ value: [['sample', 'before', 'after'], expect.any(Number), true, 'mine'] });
        const tolerance = language === 'python' ? 0.02 * length : 0;
        expect(Math.abs(Number((first as { value: unknown[] }).value[1]) - length)).toBeLessThanOrEqual(tolerance);
      });

      test('is refused when it was left with a number that JSON cannot hold', async () => {
        expect(await on('rate', BASE)).toMatchObject({
          ok: false,
          kind: 'threw',
          message: expect.stringContaining('JSON'),
        });
        expect(await on('sum', BASE)).toMatchObject({ ok: true, value: total });
      });

      test('has a size from which on it is refused, with both numbers', async () => {
        const huge = { items: {}, text: 'x'.repeat(16 * 1024 * 1024) };
        const given = { args: [{}, huge], shared: [{ at: ['1'], base: huge }] };
        expect(await session.call({ module, name: 'sum', args: given, timeoutMs: 5000 }, signal)).toMatchObject({
          ok: false,
          kind: 'too_large',
          message: expect.stringMatching(/a world has 1677\d+ characters; at most 16777216 are sent/),
        });
      });
    });

    test('waits for a promise, and tells an answer of nothing from null', async () => {
      expect(await call('later', ['done'])).toEqual({ ok: true, value: 'done', args: ['done'] });
      if (language !== 'python') expect(await call('nothing')).toMatchObject({ ok: true, value: undefined });
    });

    test('says how the code failed and never throws for it', async () => {
      expect(await call('fails')).toEqual({
        ok: false,
        kind: 'threw',
        message: `TypeError: no such order (${module}:${fails})`,
      });
      expect(await call('huge')).toMatchObject({ ok: false, kind: 'threw' });
      expect(await call('absent')).toMatchObject({ ok: false, kind: 'bad_module' });
      for (const path of [
        `tools/none${ending}`,
        `tools/broken${ending}`,
        `../x${ending}`,
        `/etc/x${ending}`,
        `tools/../../x${ending}`,
        'a.js',
      ]) {
        const outcome = await session.call({ module: path, name: 'run', args: [], timeoutMs: 5000 }, signal);
        expect(outcome, path).toMatchObject({ ok: false, kind: 'bad_module' });
      }
    });

    test('names the line of a file that cannot be read', async () => {
      const outcome = await session.call(
        { module: `tools/broken${ending}`, name: 'run', args: [], timeoutMs: 5000 },
        signal,
      );
      expect(outcome.ok ? '' : outcome.message).toMatch(new RegExp(`broken${ending}:2`));
    });

    test('refuses what JSON cannot hold instead of sending something else', async () => {
      for (const name_ of ['notANumber', 'inCircle', 'tooLarge']) {
        const outcome = await call(name_);
        expect(outcome, name_).toMatchObject({ ok: false });
        expect(['threw', 'too_large']).toContain(outcome.ok ? '' : outcome.kind);
      }
    });

    test('ends a call at its time, and answers the next one', async () => {
      const startedAt = performance.now();
      expect(await call('hangs', [], 200)).toMatchObject({ ok: false, kind: 'timeout' });
      expect(await call('waits', [], 200)).toMatchObject({ ok: false, kind: 'timeout' });
      expect(performance.now() - startedAt).toBeLessThan(5000);
      expect(await call('add', [{ by: 1 }, { total: 0 }])).toMatchObject({ ok: true });
    });

    test('refuses answers and arguments that are too large or too deep', async () => {
      expect(await call('big')).toMatchObject({ ok: false, kind: 'too_large' });
      expect(await call('deep')).toMatchObject({ ok: false, kind: 'too_large' });
      expect(await call('later', ['x'.repeat(26_000_000)])).toMatchObject({ ok: false, kind: 'too_large' });
    });

    test('rejects with the reason of an abort, and answers the next call', async () => {
      const controller = new AbortController();
      const hanging = session.call({ module, name: 'hangs', args: [], timeoutMs: 10_000 }, controller.signal);
      controller.abort(new Error('enough'));
      await expect(hanging).rejects.toThrow('enough');
      const late = session.call({ module, name: 'tool', args: [], timeoutMs: 5000 }, controller.signal);
      await expect(late).rejects.toThrow('enough');
      expect(await call('later', ['again'])).toMatchObject({ ok: true, value: 'again' });
    });

    test('gives each of many calls at once its own answer', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, by) => call('add', [{ by }, { total: 0 }])));
      expect(outcomes.map((outcome) => outcome.ok && outcome.value)).toEqual(
        Array.from({ length: 20 }, (_, total) => ({ total })),
      );
    });

    // Where there is nothing but the language, no code can ask for a file.
    if (!languageAlone)
      test('lets the code read itself at most, and neither samples nor other components nor anything else', async () => {
        const own = await call('here');
        const folder = own.ok ? String(own.value) : '';
        const self = await call('read', [`${folder}/counter${ending}`]);
        // The text of a component in Python comes with the question: no file of it is there.
        if (language === 'python' || !hasFiles) expect(self).toMatchObject({ ok: false, kind: 'threw' });
        else expect(self).toMatchObject({ ok: true, value: text });
        for (const path of ['../samples/base.json', `other${ending}`])
          expect(await call('read', [`${folder}/${path}`]), path).toMatchObject({ ok: false, kind: 'threw' });
        expect(await call('read', ['/etc/passwd'])).toMatchObject({ ok: false, kind: 'threw' });
        expect(await call('read', [import.meta.filename])).toMatchObject({ ok: false, kind: 'threw' });
      });

    test('a closed session answers nothing', async () => {
      const other = await (await open()).open(dir);
      expect(await other.call({ module, name: 'tool', args: [], timeoutMs: 5000 }, signal)).toMatchObject({ ok: true });
      await other.close();
      await expect(other.call({ module, name: 'tool', args: [], timeoutMs: 5000 }, signal)).rejects.toThrow('closed');
    });
  });
}
