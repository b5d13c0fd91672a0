import { expect, test } from 'vitest';
import { listCodes, proveHire } from '../tool-hire.ts';

test('a tool that books the same twice is doubted where sister tools refuse to', async () => {
  const guard =
    "  if (world.gebuehren.some(({ termin }) => termin === nummer)) return { ok: false, fehler: 'sie ist schon gebucht' };\n";
  const found = await proveHire({ 'tools/gebuehr_buchen.mjs': [guard, ''] }, undefined, { scenario: 'referrals' });
  expect(listCodes(found)).toContain('tool-does-twice gebuehr_buchen');
  expect(listCodes(await proveHire({}, undefined, { scenario: 'referrals' }))).not.toContain(
    'tool-does-twice gebuehr_buchen',
  );
});
