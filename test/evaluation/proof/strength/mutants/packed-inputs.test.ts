/** Packed inputs are the very inputs, each place parsed once; a checker that writes into its input is not given them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { componentInput } from '../../../../../src/evaluation/proof/strength/mutants/component-input.ts';
import { javaScriptModule } from '../../../../../src/evaluation/proof/strength/mutants/javascript-mutants-module.ts';
import { mutateJavaScript } from '../../../../../src/evaluation/proof/strength/mutants/mutate-javascript.ts';
import { packInputs } from '../../../../../src/evaluation/proof/strength/mutants/packed-inputs.ts';
import { scratch } from '../../../../support/scratch.ts';

const world = { orders: { a: { paid: 3 }, b: { paid: 4 } }, notes: [], today: '2026-03-01' };
const inputs = [5, 6].map((paid) => {
  const after = { ...world, orders: { ...world.orders, b: { paid } } };
  return componentInput([{ before: world, after, trace: { calls: [{ step: 1 }], says: ['ok'] } }]);
});

type TryAll = (given: unknown, ids: number[], name: string) => { original: string[]; mutants: unknown[] } | null;

async function importTryAll(body: string): Promise<{ tryAll: TryAll; ids: number[] }> {
  const found = mutateJavaScript(`export function check(input) { ${body} }`, 'checkers/c.mjs');
  const file = join(await scratch(), 'module.mjs');
  await writeFile(file, (found && javaScriptModule(found, found.mutants)) ?? '');
  const { tryAll } = (await import(pathToFileURL(file).href)) as { tryAll: TryAll };
  return { tryAll, ids: (found?.mutants ?? []).map((_, index) => index + 1) };
}

test('mutants are told apart on packed inputs as on those that are parsed for each call', async () => {
  const body =
    'const { before, after } = input; return { pass: before.orders.a !== after.orders.a && after.orders.b.paid > 5 && JSON.stringify(input).length > 9, reason: JSON.stringify(input) };';
  const { tryAll, ids } = await importTryAll(body);
  const packed = tryAll(JSON.parse(JSON.stringify(packInputs(inputs))), ids, 'check');
  expect(packed).toEqual(
    tryAll(
      inputs.map(({ text }) => text),
      ids,
      'check',
    ),
  );
  expect(packed?.original).toEqual(['false', 'true']);
});

test('what two inputs share at one place is written once', () => {
  const { parts, roots } = packInputs(inputs);
  const values = parts.map(({ value }) => JSON.stringify(value));
  expect(values.filter((text) => text === '"2026-03-01"')).toHaveLength(2);
  expect(values.filter((text) => text === '3' || text === '{"paid":3}')).not.toHaveLength(0);
  expect(roots).toHaveLength(2);
});

test('a checker that writes into its input is asked again with inputs of its own', async () => {
  const { tryAll, ids } = await importTryAll('input.seen = 1; return { pass: input.seen === 1 };');
  expect(tryAll(packInputs(inputs), ids, 'check')).toBeNull();
  expect(
    tryAll(
      inputs.map(({ text }) => text),
      ids,
      'check',
    )?.original,
  ).toEqual(['true', 'true']);
});
