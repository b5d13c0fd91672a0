/** Guards of tools that no path comes to are named by file and line, and asked for. */
import { expect, test } from 'vitest';
import { USUAL_BUDGET } from '../../../../../../src/evaluation/proof/strength/measure-strength.ts';
import { GUARD_UNREACHED } from '../../../../../../src/scenario/proof-strength.ts';
import { proveHire } from '../../../../../evaluation/proof/tool-hire.ts';

async function listGuards(
  edits: Parameters<typeof proveHire>[0],
  budget: typeof USUAL_BUDGET,
): Promise<Record<string, string>> {
  const { strength } = await proveHire(edits, budget, { scenario: 'referrals' });
  const found = strength?.findings.filter(({ code }) => code === GUARD_UNREACHED) ?? [];
  return Object.fromEntries(found.map(({ component, message }) => [component, message]));
}

test('whole guards, and single conditions of those that a path does come to', async () => {
  const found = await listGuards({}, { ...USUAL_BUDGET, mutantsEach: 3 });
  expect(found['gebuehr_buchen']).toMatch(
    /^tools\/gebuehr_buchen\.mjs: no path .*line 17: `world\.termine\[nummer\] === undefined`; line 18: `input\.cent > 10000`/,
  );
  expect(found['ueberweisung_lesen']).toContain('line 20: `schein === undefined || schein.patient');
  expect(found['ueberweisung_lesen']).toContain('is enough');
  // Its only guard is who has identified himself, which examples show.
  expect(found).not.toHaveProperty('termine_suchen');
});

test('a path that comes to the guard settles it, whatever few mutants are tried', async () => {
  const example: [string, string] = [
    "examples: [{ input: { termin: 'T-11', cent: 2500 }, world: 'freitag.json' }]",
    "examples: [{ input: { termin: 'T-11', cent: 2500 }, world: { ...WORLD } }, { input: { termin: 'T-11', cent: 10001 }, world: { ...WORLD } }]",
  ];
  const world =
    "{ sitzung: { patient: 'P-401', versuche: 1 }, jetzt: '', heute: '', patienten: {}, ueberweisungen: {}, termine: { 'T-11': { fach: 'kardiologie', beginn: '', tag: '', patient: 'P-401' } }, gebuehren: [], vermerke: [] }";
  const edits = {
    'tools/gebuehr_buchen.mjs': [example[0], example[1].replaceAll('{ ...WORLD }', world)] as [string, string],
  };
  const now = await listGuards(edits, { ...USUAL_BUDGET, mutantsEach: 0 });
  expect(now['gebuehr_buchen']).toContain('line 18: `input.cent > 10000` at its boundary');
});
