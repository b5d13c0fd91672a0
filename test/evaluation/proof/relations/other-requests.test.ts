import { expect, test } from 'vitest';
import { listCodes, proveHire } from '../tool-hire.ts';

const scenario = 'lost-luggage';

test('a reading tool is tried in each kind of request, and a tool that pays a closed record again is doubted', async () => {
  const found = await proveHire(
    {
      'tools/consultar_maleta.mjs': ['dias >= 21', 'dias > 21'],
      'tools/indemnizar.mjs': ["maleta.estado !== 'perdida'", "maleta.estado === 'hallada'"],
    },
    undefined,
    { scenario },
  );
  expect(listCodes(found)).toContain('tool-against-table consultar_maleta');
  expect(listCodes(found)).toContain('tool-does-twice indemnizar');
});

test('a tool that writes wrongly is to blame, and no rule that only the table judges', async () => {
  const wrong: [string, string] = ['&& !oro ? 1500 : 0', '&& oro ? 1500 : 0'];
  const { problems } = await proveHire({ 'tools/enviar_maleta.mjs': wrong }, undefined, { scenario });
  expect(problems[0]).toMatchObject({ layer: 2, component: 'enviar_maleta' });
  expect(problems.map(({ code }) => code)).not.toContain('rule-without-checker');
});

test('a checker that reads calls is not doubted for an end that the calls do not have', async () => {
  const { problems, remarks = [] } = await proveHire({}, undefined, { scenario });
  expect(problems).toEqual([]);
  expect(remarks.map(({ code }) => code)).not.toContain('checker-misses-demand');
});
