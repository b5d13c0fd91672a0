/** Mutants of JavaScript and TypeScript, and the module that tries them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { javaScriptModule } from '../../../../../src/evaluation/proof/strength/mutants/javascript-mutants-module.ts';
import { mutateJavaScript } from '../../../../../src/evaluation/proof/strength/mutants/mutate-javascript.ts';
import { scratch } from '../../../../support/scratch.ts';

const TOOL = `
const EXAMPLE = { days: 31 };
export const tool = { name: 'pay', examples: [{ input: {}, world: EXAMPLE }], maximum: 30 };
const LIMIT = 30;
export function run(input, world) {
  if (input.days > LIMIT || input.name === 'closed') return { ok: false };
  world.paid = due(input.price, input.shipping);
  return { ok: !world.locked, text: \`paid \${world.paid}\` };
}
function due(price, shipping) {
  return price + shipping;
}
`;

const changes = (source: string, path = 'tools/pay.mjs'): string[] =>
  (mutateJavaScript(source, path)?.mutants ?? []).map(
    ({ kind, line, was, now }) => `${kind} ${line}: ${was} -> ${now}`,
  );

type TryAll = (inputs: string[], ids: number[], name: string) => { original: string[]; mutants: (number | string)[] };

async function tryAll(source: string): Promise<TryAll> {
  const found = mutateJavaScript(source, 'tools/pay.mjs');
  const text = found && javaScriptModule(found, found.mutants);
  const file = join(await scratch(), 'module.mjs');
  await writeFile(file, text ?? '');
  const module = (await import(pathToFileURL(file).href)) as { tryAll: TryAll };
  return module.tryAll;
}

describe('mutants of JavaScript', () => {
  test('are of every kind: conditions, boundaries, fields, arguments, branches and constants', () => {
    expect(changes(TOOL)).toEqual(
      expect.arrayContaining([
        'shift-boundary 4: 30 -> (31)',
        "drop-condition 6: input.days > LIMIT || input.name === 'closed' -> (true)",
        "drop-condition 6: input.days > LIMIT || input.name === 'closed' -> (input.days > LIMIT)",
        'shift-boundary 6: input.days > LIMIT -> (input.days) >= (LIMIT)',
        'swap-field 6: days -> name',
        'change-constant 6: \'closed\' -> "closed~"',
        'empty-branch 6: return { ok: false }; -> {}',
        'empty-branch 7: world.paid = due(input.price, input.shipping); -> ;',
        'ignore-argument 7: input.price -> undefined',
        'drop-condition 8: !world.locked -> (world.locked)',
        'shift-boundary 11: price + shipping -> (price) - (shipping)',
      ]),
    );
  });

  test('leave the spec alone, what only the spec names, and words in templates', () => {
    expect(changes(TOOL).filter((one) => /^\S+ [23]:/.test(one))).toEqual([]);
    expect(changes(TOOL).filter((one) => one.includes('${'))).toEqual([]);
  });

  test('come in the same order every time, and are the same for TypeScript', () => {
    const typed = TOOL.replace('(input, world)', '(input: Record<string, any>, world: any): unknown');
    expect(changes(typed, 'tools/pay.ts')).toEqual(changes(TOOL));
  });

  test('are not made of what cannot be parsed', () => {
    expect(mutateJavaScript('export function run( {', 'tools/pay.mjs')).toBeUndefined();
  });

  test('are all tried by one module: each is itself alone, and the first difference is named', async () => {
    const run = await tryAll(TOOL);
    const { mutants = [] } = mutateJavaScript(TOOL, 'tools/pay.mjs') ?? {};
    const ids = mutants.map((_, index) => index + 1);
    const far = JSON.stringify([{ days: 3, price: 5, shipping: 2 }, {}]);
    const edge = JSON.stringify([{ days: 30, price: 5, shipping: 2 }, {}]);
    const tried = (inputs: string[]) => {
      const { mutants: outcomes } = run(inputs, ids, 'run');
      return new Map(mutants.map(({ line, was, now }, index) => [`${line}: ${was} -> ${now}`, outcomes[index]]));
    };
    expect(tried([far]).get('11: price + shipping -> (price) - (shipping)')).toBe(0);
    expect(tried([far]).get('6: input.days > LIMIT -> (input.days) >= (LIMIT)')).toBe('same');
    expect(tried([far, edge]).get('6: input.days > LIMIT -> (input.days) >= (LIMIT)')).toBe(1);
    expect(run([far, edge], [], 'run').original).toEqual(['ok', 'ok']);
  });

  test('of a checker that differ in words alone are no difference in a verdict', async () => {
    const source = `export const checker = {};
export function check({ days }) {
  const late = days > 30;
  if (days === 40) return { pass: false, reason: 'far-too-late' };
  return { pass: !late, reason: late ? 'late' : 'fine' };
}`;
    const run = await tryAll(source);
    const { mutants = [] } = mutateJavaScript(source, 'checkers/late.mjs') ?? {};
    const emptied = mutants.findIndex(({ kind }) => kind === 'empty-branch') + 1;
    const outcome = run([JSON.stringify([{ days: 40 }])], [emptied], 'check');
    expect(outcome).toEqual({ original: ['false'], mutants: ['words'] });
  });
});
