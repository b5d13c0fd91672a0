/** Writing tools beside the boundaries of the approved table, on components that are shipped with nothing. */
import { expect, test } from 'vitest';
import { proveHire } from '../tool-hire.ts';

const EXTEND = "if (hire.state !== 'out') return";
const LATE = '(Date.parse(world.today) - Date.parse(hire.due)) / DAY';

/** What the proof says against the table once this guard stands before another one. */
async function listDisagreements(tool: string, before: string, guard: string): Promise<string[]> {
  const found = await proveHire({ [`tools/${tool}.mjs`]: [before, `${guard}\n  ${before}`] });
  return [...found.problems, ...(found.remarks ?? [])].map(({ code, component, message }) =>
    `${code} ${component} ${message}`.replaceAll(/step \d+: /g, ''),
  );
}

test.each([
  [
    'takes one day too many',
    `if (${LATE} > 1) return { ok: false };`,
    'with days_late 1 and refuses it with 2, where the rules tell 0 from 1',
  ],
  [
    'takes one more than twice',
    'if (hire.extensions > 2) return { ok: false };',
    'with extensions 2 and refuses it with 3, where the rules tell 1 from 2',
  ],
])('a guard that %s is named with both sides', async (_, guard, says) => {
  const found = await listDisagreements('extend_hire', EXTEND, guard);
  expect(found).toEqual([expect.stringContaining('tool-against-table extend_hire tools/extend_hire.mjs')]);
  expect(found[0]).toContain(says);
});

test.each([
  ['stands where the rules turn', `if (${LATE} > 0) return { ok: false };`],
  ['is about something else', `if (${LATE} > 20) return { ok: false };`],
])('a guard that %s is not doubted', async (_, guard) => {
  expect(await listDisagreements('extend_hire', EXTEND, guard)).toEqual([]);
});

test('a guard that refuses beside a boundary, and writes all the same, refuses the submission', async () => {
  const guard = `if (${LATE} > 0) { hire.extensions += 1; return { ok: false }; }`;
  const found = await listDisagreements('extend_hire', EXTEND, guard);
  expect(found).toEqual([expect.stringMatching(/^tool-refusal-writes extend_hire .* with days_late 1, and changes/)]);
});

const OWN_FEE = `const days = Math.round((Date.parse(world.today) - Date.parse(hire.due)) / 86400000);
  if (input.kind === 'late') input.cents = days > 40 ? MOST : Math.min(days * 200, 3000);
  const entry`;

test.each([
  ['4000', ['writes 0/cents 4000 with days_late 60, where the table demands late_fee 3000']],
  // Whom a fee does not concern is never charged: that is left to the subject.
  ['3000', []],
])('a tool that writes by a rule of its own %s writes what the table demands', async (most, says) => {
  const { remarks = [] } = await proveHire({ 'tools/charge.mjs': ['const entry', OWN_FEE.replace('MOST', most)] });
  const found = remarks.filter(({ code }) => code === 'tool-against-table').map(({ message }) => message);
  expect(found).toEqual(says.map((one) => expect.stringContaining(one)));
});
