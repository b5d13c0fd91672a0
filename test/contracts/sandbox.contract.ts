/** What every sandbox must hold, whatever its walls are made of. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, SandboxSession } from '../../src/ports/sandbox.ts';

const JAVASCRIPT = `
export const tool = { name: 'counter', list: [1, 2] };
export function add(input, world) { world.total += input.by; return { total: world.total }; }
export async function later(text) { await new Promise((done) => setTimeout(done, 5)); return text; }
export function nothing() {}
export function fails() { throw new TypeError('no such order'); }
export function hangs() { for (;;); }
export function waits() { return new Promise(() => setInterval(() => {}, 1000)); }
export function big() { return 'x'.repeat(6_000_000); }
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
import os, time
tool = {'name': 'counter', 'list': [1, 2]}
def add(input, world):
    world['total'] += input['by']
    return {'total': world['total']}
def later(text): return text
def fails(): raise TypeError('no such order')
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
  { languageAlone = false } = {},
): void {
  const { ending, text: whole, broken, fails } = LANGUAGES[language];
  // Where there are neither timers nor files, a promise is all that can be waited for.
  const text = languageAlone
    ? whole.replace('setTimeout(done, 5)', 'done()').replace(/return new Promise.*1000\)\);/, WAITS)
    : whole;
  const module = `tools/counter${ending}`;

  describe(`sandbox contract: ${name}, ${language}`, () => {
    let dir: string;
    let session: SandboxSession;
    const signal = new AbortController().signal;
    const call = (export_: string, args: unknown[] = [], timeoutMs = 5000) =>
      session.call(module, export_, args, timeoutMs, signal);

    beforeAll(async () => {
      dir = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-contract-')));
      mkdirSync(join(dir, 'tools'));
      mkdirSync(join(dir, 'samples'));
      writeFileSync(join(dir, module), text);
      writeFileSync(join(dir, `tools/broken${ending}`), broken);
      writeFileSync(join(dir, 'samples/base.json'), '{"own":true}');
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
        const outcome = await session.call(path, 'run', [], 5000, signal);
        expect(outcome, path).toMatchObject({ ok: false, kind: 'bad_module' });
      }
    });

    test('names the line of a file that cannot be read', async () => {
      const outcome = await session.call(`tools/broken${ending}`, 'run', [], 5000, signal);
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
      expect(await call('later', ['x'.repeat(6_000_000)])).toMatchObject({ ok: false, kind: 'too_large' });
    });

    test('rejects with the reason of an abort, and answers the next call', async () => {
      const controller = new AbortController();
      const hanging = session.call(module, 'hangs', [], 10_000, controller.signal);
      controller.abort(new Error('enough'));
      await expect(hanging).rejects.toThrow('enough');
      const late = session.call(module, 'tool', [], 5000, controller.signal);
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
      test('lets the code read its own folder and nothing else', async () => {
        const own = await call('here');
        const folder = own.ok ? String(own.value) : '';
        expect(await call('read', [`${folder}/../samples/base.json`])).toMatchObject({
          ok: true,
          value: '{"own":true}',
        });
        expect(await call('read', ['/etc/passwd'])).toMatchObject({ ok: false, kind: 'threw' });
        expect(await call('read', [import.meta.filename])).toMatchObject({ ok: false, kind: 'threw' });
      });

    test('a closed session answers nothing', async () => {
      const other = await (await open()).open(dir);
      expect(await other.call(module, 'tool', [], 5000, signal)).toMatchObject({ ok: true });
      await other.close();
      await expect(other.call(module, 'tool', [], 5000, signal)).rejects.toThrow('closed');
    });
  });
}
