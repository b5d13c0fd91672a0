/** Guards of a Python tool as the bench lists them, and which of them no call comes to. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNodePermission } from '../../../../../src/adapters/sandbox/open-sandbox.ts';
import { getAnswerMemory } from '../../../../../src/evaluation/proof/answer-memory.ts';
import { findUnreachedGuards } from '../../../../../src/evaluation/proof/strength/doubts/unreached-guards.ts';
import { componentInput } from '../../../../../src/evaluation/proof/strength/mutants/component-input.ts';
import { openMutantBench } from '../../../../../src/evaluation/proof/strength/mutants/mutant-bench.ts';
import { tryMutants } from '../../../../../src/evaluation/proof/strength/mutants/try-mutants.ts';
import { scratch } from '../../../../support/scratch.ts';

const TOOL = `tool = {'name': 'lend'}

def run(input, world):
    book = world['books'].get(input['book'])
    if book is None:
        raise KeyError('no such book')
    if book['lent'] or book['held'] is True:
        return {'ok': False, 'why': 'not here'}
    if input['days'] > 28:
        world['tries'] += 1
        return {'ok': False, 'why': 'too long'}
    if input['days'] > 14:
        world['long'] = True
    book['lent'] = True
    return {'ok': True, 'days': input['days']}
`;

const FREE = { lent: false, held: false };
const lend = (days: number, book: object = FREE) =>
  componentInput([
    { book: 'B1', days },
    { books: { B1: book }, tries: 0, long: false },
  ]);
const { signal } = new AbortController();

/** The guards of the tool to which none of these calls comes, as a proof names them. */
async function listUnreached(inputs: ReturnType<typeof lend>[], most = 0): Promise<string[]> {
  const dir = await scratch();
  await mkdir(join(dir, 'tools'));
  await writeFile(join(dir, 'tools/lend.py'), TOOL);
  const sandbox = await openNodePermission({ allowUnsandboxed: true });
  const memory = getAnswerMemory(sandbox);
  const paths = new Map([['tools/lend', 'tools/lend.py']]);
  const bench = await openMutantBench({ dir, sandbox, paths, most, memory, signal });
  try {
    const module = await bench.moduleOf('tools', 'lend');
    if (module === undefined) throw new Error('the tool is not mutated');
    const trying = { session: bench.session, memory, signal, isTimeUp: () => false };
    const mutants = await tryMutants({ ...trying, module, name: 'run', inputs });
    const tried = { folder: 'tools' as const, name: 'lend', rules: [], path: 'tools/lend.py', mutants };
    const [found] = findUnreachedGuards([tried]);
    return found?.message.match(/line \d+: .*?(?=; line|\. Let)/g) ?? [];
  } finally {
    await bench.close();
  }
}

test('whole guards, parts of those that a call comes to, and boundaries, by line', async () => {
  expect(await listUnreached([lend(7)])).toEqual([
    'line 5: `book is None`',
    "line 7: `book['lent'] or book['held'] is True`",
    "line 9: `input['days'] > 28`",
  ]);
  expect(await listUnreached([lend(7), lend(7, { ...FREE, lent: true }), lend(40)], 80)).toEqual([
    'line 5: `book is None`',
    "line 7: `book['lent'] or book['held'] is True`, of which `book['lent']` is enough",
    "line 9: `input['days'] > 28` at its boundary",
  ]);
});

test('a guard that calls come to, part by part and at its boundary, is reached', async () => {
  const held = { lent: false, held: true };
  const [first, ...others] = await listUnreached([lend(28), lend(29), lend(7, { ...FREE, lent: true }), lend(7, held)]);
  expect([first, others]).toEqual(['line 5: `book is None`', []]);
});
