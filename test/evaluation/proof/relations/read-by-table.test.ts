import { expect, test } from 'vitest';
import { listCodes, proveHire, type Edits } from '../tool-hire.ts';

test.each([
  ['forgets whom a fee does not concern', "member.kind === 'patron' ? 0 : ", ''],
  ['forgets the limit of a fee', 'Math.min(daysLate * 200, 3000)', 'daysLate * 200'],
])('a reading tool that %s disagrees with the table', async (_, from, to) => {
  const found = await proveHire({ 'tools/read_hire.mjs': [from, to] });
  expect(listCodes(found)).toEqual(['tool-against-table read_hire']);
  expect(found.remarks?.[0]?.message).toMatch(
    /answers late_fee_cents \d+ with \w+ \w+, where the table demands late_fee \d+/,
  );
});

test('a reading tool that tells another amount than is due, or no on the last day of yes, disagrees with the table', async () => {
  const edits: Edits = {
    'tools/termin_lesen.mjs': ['? 2500 : 0', '? 3000 : 0'],
    'tools/ueberweisung_lesen.mjs': ['alter <= 90', 'alter < 90'],
  };
  const { remarks = [] } = await proveHire(edits, undefined, { scenario: 'referrals' });
  const found = remarks.filter(({ code }) => code === 'tool-against-table');
  expect(found.map(({ component }) => component).toSorted()).toEqual(['termin_lesen', 'ueberweisung_lesen']);
  for (const says of ['absage_kostet_cent 3000 with tage_bis 1', 'gilt false with alter 90'])
    expect(found.some(({ message }) => message.includes(`answers ${says}, where the table demands`))).toBe(true);
});

test('a reading tool that tells an amount in another unit is not doubted', async () => {
  const edits = { 'tools/termin_lesen.mjs': ['? 2500 : 0', '? 25 : 0'] as [string, string] };
  expect(listCodes(await proveHire(edits, undefined, { scenario: 'referrals' }))).not.toContain(
    'tool-against-table termin_lesen',
  );
});

test('a reading tool that tells what the table demands is not doubted', async () => {
  expect(listCodes(await proveHire())).toEqual([]);
});
