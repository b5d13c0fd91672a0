import { expect, test } from 'vitest';
import { listCodes, proveHire } from './tool-hire.ts';

const scenario = 'lost-luggage';
const NOTHING = '  const consultadas = new Set();\n';
const CHANGES = "['abonar_gastos', 'indemnizar', 'enviar_maleta']";

test.each([
  [
    'after the change',
    NOTHING,
    "const consultadas = new Set(trace.calls.filter(({ tool }) => tool === 'consultar_maleta').map(numero));",
  ],
  ['about another record', '!consultadas.has(numero(call))', 'consultadas.size === 0'],
  ['refused', ' && call.output?.ok === true', ''],
  ['not before one of the tools', CHANGES, "['abonar_gastos', 'indemnizar']"],
])('a checker that demands a look-up, and takes one that is %s, is doubted', async (_, from, to) => {
  const edits = { 'checkers/consulta-antes.mjs': [from, to] as [string, string] };
  expect(listCodes(await proveHire(edits, undefined, { scenario }))).toContain('checker-ignores-order consulta-antes');
});

test('a checker that minds where the look-up stands is not doubted', async () => {
  const codes = listCodes(await proveHire({}, undefined, { scenario }));
  expect(codes.filter((code) => code.startsWith('checker-ignores-order'))).toEqual([]);
});
