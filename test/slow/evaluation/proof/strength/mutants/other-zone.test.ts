import { expect, test } from 'vitest';
import { GUARD_UNREACHED } from '../../../../../../src/scenario/proof-strength.ts';
import { proveHire } from '../../../../../evaluation/proof/tool-hire.ts';

const NO_MUTANTS = { seconds: 60, mutantsEach: 0 };
const listFindings = async (...edits: Parameters<typeof proveHire>): Promise<string[]> =>
  ((await proveHire(...edits)).strength?.findings ?? [])
    .filter(({ code }) => code !== GUARD_UNREACHED)
    .map(({ code, component }) => `${code} ${component}`);

test('a tool that counts from local midnight is doubted, though the sandbox has the time of UTC', async () => {
  const edit: [string, string] = [
    'Date.parse(world.today) - Date.parse(hire.due)',
    'new Date(`${world.today}T00:00`).getTime() - Date.parse(hire.due)',
  ];
  expect(await listFindings({ 'tools/read_hire.mjs': edit }, NO_MUTANTS)).toEqual(['reads-local-time read_hire']);
});

test('local time that is read and written alike is the same everywhere', async () => {
  const edit: [string, string] = [
    'Math.round((Date.parse(world.today) - Date.parse(hire.due)) / DAY)',
    `((one, other) => Math.round((new Date(one.getFullYear(), one.getMonth(), one.getDate()) - new Date(other.getFullYear(), other.getMonth(), other.getDate())) / DAY))(new Date(\`\${world.today}T00:00\`), new Date(\`\${hire.due}T00:00\`))`,
  ];
  expect(await listFindings({ 'tools/read_hire.mjs': edit }, NO_MUTANTS)).toEqual([]);
});

test('a checker whose verdict hangs on the order of keys is doubted', async () => {
  const edit: [string, string] = [
    'after.ueberweisungen[sample.case_of.ueberweisung]',
    'Object.values(after.ueberweisungen)[0]',
  ];
  const found = await listFindings({ 'checkers/fach-passt.mjs': edit }, NO_MUTANTS, { scenario: 'referrals' });
  expect(found).toContain('checker-key-order fach-passt');
});
