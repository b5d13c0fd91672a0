import { expect, test } from 'vitest';
import { listCodes, proveHire } from '../tool-hire.ts';

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

test('a reading tool that tells what the table demands is not doubted', async () => {
  expect(listCodes(await proveHire())).toEqual([]);
});
