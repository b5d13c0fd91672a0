/** The same component gives the same results in JavaScript, TypeScript and Python. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openBubblewrap } from '../../../src/adapters/sandbox/open-sandbox.ts';
import type { SandboxOutcome, SandboxSession } from '../../../src/ports/sandbox.ts';
import { scratch } from '../../support/scratch.ts';

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

const sandbox = await openBubblewrap().catch(() => undefined);

describe.skipIf(sandbox === undefined && process.env['CI'] === undefined)('one component in three languages', () => {
  const open = async (files: Record<string, string>): Promise<SandboxSession> => {
    const dir = await scratch();
    mkdirSync(join(dir, 'tools'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'tools', name), text);
    const session = await (sandbox ?? (await openBubblewrap())).open(dir);
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
      session.call(path, 'run', args, 5000, new AbortController().signal);
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
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
    await fc.assert(property, { numRuns: 80 });
  });

  test('the order of a set is the same in every process, so that a replay in another one is the same', async () => {
    const text = "def run():\n    return list({'pear', 'plum', 'fig', 'apple', 'quince', 'lime'})\n";
    const answers: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const session = await open({ 's.py': text });
      answers.push(await session.call('tools/s.py', 'run', [], 5000, new AbortController().signal));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

/** Python tells -0.0 from 0 where JSON.stringify does not; both are written as they are read back. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
