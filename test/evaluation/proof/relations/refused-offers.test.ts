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

test('a tool that takes what is listed no more is doubted, and named itself', async () => {
  const past = '  if (Date.parse(termin.beginn) <= Date.parse(world.jetzt)) return';
  const edits = { 'tools/termin_buchen.mjs': [past, '  if (false) return'] as [string, string] };
  const { remarks = [] } = await proveHire(edits, undefined, { scenario: 'referrals' });
  const found = remarks.find(({ component }) => component === 'termin_buchen');
  expect(found).toMatchObject({ layer: 2, code: 'tool-guard-missing' });
  expect(found?.message).toMatch(/it takes what termine_suchen offers no more: .* at \/termine\/T-\d+\/beginn$/);
});

test('what is listed and can be had says nothing', async () => {
  const codes = listCodes(await proveHire({}, undefined, { scenario: 'referrals' }));
  expect(codes).not.toContain('tool-offers-refused termine_suchen');
  expect(codes).not.toContain('tool-guard-missing termin_buchen');
});
