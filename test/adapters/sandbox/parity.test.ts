/** The same component gives the same results in JavaScript, TypeScript and Python. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pureFirst } from '../../../src/adapters/quickjs/quickjs-or-process.ts';
import { openBubblewrap } from '../../../src/adapters/sandbox/open-sandbox.ts';
import type { SandboxOutcome, OpenSandbox } from '../../../src/ports/sandbox.ts';
import { scratch } from '../../support/scratch.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const JAVASCRIPT = `
export function run(input, world) {
  world.last = input.value;
  world.seen.push(input.value);
  if (input.amount > world.limit) throw new RangeError('over the limit');
  world.total += input.amount;
  return { value: input.value, total: world.total, share: input.amount / 4, names: Object.keys(world).sort() };
}
`;
const PYTHON = `
class RangeError(Exception): pass

def run(input, world):
    world['last'] = input['value']
    world['seen'].append(input['value'])
    if input['amount'] > world['limit']:
        raise RangeError('over the limit')
    world['total'] += input['amount']
    return {'value': input['value'], 'total': world['total'], 'share': input['amount'] / 4, 'names': sorted(world)}
`;

const { signal } = new AbortController();
const bubblewrap = await openBubblewrap().catch(() => undefined);

describe.skipIf(bubblewrap === undefined && process.env['CI'] === undefined)('one component in three languages', () => {
  const open = async (files: Record<string, string>): Promise<OpenSandbox> => {
    const dir = await scratch();
    mkdirSync(join(dir, 'tools'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'tools', name), text);
    const session = await pureFirst(bubblewrap ?? (await openBubblewrap())).open(dir);
    onTestFinished(() => session.close());
    return session;
  };
  /** Without the place, which names the file. */
  const bare = (outcome: SandboxOutcome) =>
    outcome.ok ? outcome : { ...outcome, message: outcome.message.split(' (')[0] };

  test('answers, changed worlds and failures are the same for any JSON: integers, floats, all of unicode, any nesting', async () => {
    const typed = JAVASCRIPT.replace('input, world', 'input: any, world: any');
    const session = await open({ 'a.mjs': JAVASCRIPT, 'b.ts': typed, 'c.py': PYTHON });
    const ask = (path: string, args: unknown[]): Promise<SandboxOutcome> =>
      session.call({ module: path, name: 'run', args, timeoutMs: 5000 }, new AbortController().signal);
    const text = fc.string({ unit: anyCharacter, maxLength: 20 });
    const value = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 });
    const amount = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());
    const property = fc.asyncProperty(value, amount, amount, text, async (anything, first, limit, key) => {
      const world = { seen: [anything], total: 1, limit, [`k${key}`]: anything };
      const args = [{ value: anything, amount: first }, world];
      const [javascript, typescript, python] = await Promise.all(
        ['a.mjs', 'b.ts', 'c.py'].map((name) => ask(`tools/${name}`, args)),
      );
      if (javascript === undefined || typescript === undefined || python === undefined) throw new Error('unreachable');
      expect(bare(typescript)).toEqual(bare(javascript));
      expect(plain(bare(python))).toEqual(plain(bare(javascript)));
    });
    await fc.assert(property, propertyRuns(80));
  });

  test('the clock stands still at the same instant, so that nothing can answer by the time of day', async () => {
    const session = await open({
      'a.mjs': 'export const run = () => [Date.now() / 1000, new Date().toISOString().slice(0, 19)];',
      'b.py':
        'import datetime, time\ndef run():\n    return [int(time.time()), datetime.datetime.utcnow().isoformat()]\n',
    });
    const [javascript, python] = await Promise.all(
      ['a.mjs', 'b.py'].map((name) =>
        session.call({ module: `tools/${name}`, name: 'run', args: [], timeoutMs: 5000 }, signal),
      ),
    );
    expect(javascript).toMatchObject({ ok: true, value: [1767225600, '2026-01-01T00:00:00'] });
    expect(python).toEqual(javascript);
  });

  test('dates are what they are elsewhere: of one class, compared, counted and parsed', async () => {
    const text = `
import datetime
def run(day):
    made, parsed = datetime.datetime(2020, 2, 29, 12), datetime.datetime.fromisoformat(day)
    kinds = [isinstance(made, datetime.date), isinstance(parsed.date(), datetime.date), isinstance(made.date(), datetime.datetime)]
    return kinds + [(parsed - made).days, parsed > made, (made + datetime.timedelta(days=1)).isoformat(), parsed.strftime('%d.%m.%Y')]
`;
    const session = await open({ 'a.py': text });
    const outcome = await session.call(
      { module: 'tools/a.py', name: 'run', args: ['2020-03-10T00:00:00'], timeoutMs: 5000 },
      signal,
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: [true, true, false, 9, true, '2020-03-01T12:00:00', '10.03.2020'],
    });
  });

  test('several are asked twice with arguments that travel once, each on a copy of its own; long texts stand in all their places', async () => {
    const long = 'ä'.repeat(5000);
    const args = [{ says: [long, 'short'], final: long, events: [{ type: 'says', text: long }], world: { n: 1 } }];
    const session = await open({
      'a.mjs':
        'export const run = (ctx) => { ctx.world.n += 1; return [ctx.world.n, ctx.final === ctx.says[0], ctx.events[0].text.length, ctx.says.length]; }',
      'b.py':
        "def run(ctx):\n    ctx['world']['n'] += 1\n    return [ctx['world']['n'], ctx['final'] == ctx['says'][0], len(ctx['events'][0]['text']), len(ctx['says'])]\n",
    });
    const modules = ['tools/a.mjs', 'tools/b.py', 'tools/a.mjs', 'tools/none.py'];
    const answers = await session.askAll({ modules, name: 'run', args, times: 2, timeoutMs: 5000 }, signal);
    const seen = { ok: true, value: [2, true, 5000, 2], args: [] };
    expect(answers.slice(0, 3)).toEqual([
      [seen, seen],
      [seen, seen],
      [seen, seen],
    ]);
    expect(answers[3]).toMatchObject([{ ok: false, kind: 'bad_module' }]);
    expect(args[0]?.final).toBe(long);
  });

  test('one that spends its process, or ends it, does not keep the others from answering, nor itself from a second answer', async () => {
    const session = await open({
      'spent.mjs': 'export const run = () => { Object.prototype.polluted = 1; return 1; }',
      'dead.mjs': 'export const run = () => process.exit(1);',
      'fine.mjs': 'export const run = () => ({}).polluted ?? "clean";',
    });
    const modules = ['spent', 'dead', 'fine'].map((name) => `tools/${name}.mjs`);
    const [spent, dead, fine] = await session.askAll(
      { modules, name: 'run', args: [], times: 2, timeoutMs: 5000 },
      signal,
    );
    expect(spent).toMatchObject([{ value: 1 }, { value: 1 }]);
    expect(dead).toMatchObject([{ ok: false, kind: 'crashed' }]);
    expect(fine).toMatchObject([{ value: 'clean' }, { value: 'clean' }]);
  });

  test('a closed session opens no room that was never asked before', async () => {
    const session = await open({ 'a.mjs': 'export const run = () => 1;' });
    await session.close();
    await expect(
      session.call({ module: 'tools/a.mjs', name: 'run', args: [], timeoutMs: 5000 }, signal),
    ).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
    const inquiry = { modules: ['tools/a.mjs'], name: 'run', args: [], times: 2 };
    await expect(session.askAll({ ...inquiry, timeoutMs: 5000 }, signal)).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
  });

  test('arguments that a function leaves as they are come back as they were given', async () => {
    const session = await open({
      'look.mjs': 'export const run = (input, world) => world.items.length;',
      'look.py': "def run(input, world):\n    return len(world['items'])\n",
      'add.mjs': 'export const run = (input, world) => world.items.push(4);',
    });
    const world = { items: [1, 2, 'ü'] };
    const ask = (name: string) =>
      session.call({ module: `tools/${name}`, name: 'run', args: [{}, world], timeoutMs: 5000 }, signal);
    expect(await ask('look.mjs')).toEqual({ ok: true, value: 3, args: [{}, world] });
    expect(await ask('look.py')).toEqual({ ok: true, value: 3, args: [{}, world] });
    expect(await ask('add.mjs')).toEqual({ ok: true, value: 4, args: [{}, { items: [1, 2, 'ü', 4] }] });
    expect(world.items).toHaveLength(3);
  });

  test('the order of a set is the same in every process, so that a replay in another one is the same', async () => {
    const text = "def run():\n    return list({'pear', 'plum', 'fig', 'apple', 'quince', 'lime'})\n";
    const answers: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const session = await open({ 's.py': text });
      answers.push(
        await session.call(
          { module: 'tools/s.py', name: 'run', args: [], timeoutMs: 5000 },
          new AbortController().signal,
        ),
      );
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

/** Python tells -0.0 from 0 where JSON.stringify does not; both are written as they are read back. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
