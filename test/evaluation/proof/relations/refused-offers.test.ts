import { expect, test } from 'vitest';
import { listCodes, proveHire } from '../tool-hire.ts';

test.each([
  ['taken', 'termin.fach === input.fach && termin.patient === null', 'termin.fach === input.fach'],
  ['over', '    .filter(({ in_minuten }) => in_minuten > 0)\n', ''],
])('a tool that lists what is %s, which booking refuses, is doubted', async (_, from, to) => {
  const { remarks = [] } = await proveHire({ 'tools/termine_suchen.mjs': [from, to] }, undefined, {
    scenario: 'referrals',
  });
  const found = remarks.filter(({ code }) => code === 'tool-offers-refused');
  expect(found).toMatchObject([{ layer: 2, component: 'termine_suchen' }]);
  expect(found[0]?.message).toMatch(/^tools\/termine_suchen\.mjs: .* lists T-\d+, which termin_buchen refuses/);
});

test('what is listed and can be had says nothing', async () => {
  expect(listCodes(await proveHire({}, undefined, { scenario: 'referrals' }))).not.toContain(
    'tool-offers-refused termine_suchen',
  );
});
