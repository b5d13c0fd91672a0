/** The late fee is the one that is owed. */
export const checker = {
  id: 'late-fee',
  description: 'Two euros for each day late, thirty at the most, nothing for patrons, and nothing when the tool did not come back.',
  rules: ['R2', 'R3'],
};

const DAY = 86400000;

export function check({ before, after, trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'nothing was said', evidence: [] };
  for (const [number, hire] of Object.entries(before.hires)) {
    const isBack = hire.state === 'out' && after.hires[number].state === 'back';
    const days = Math.round((Date.parse(before.today) - Date.parse(hire.due)) / DAY);
    const isPatron = before.members[hire.member].kind === 'patron';
    const owed = isBack && !isPatron && days > 0 ? Math.min(days * 200, 3000) : 0;
    const charged = after.charges
      .filter((one) => one.hire === number && one.kind === 'late')
      .reduce((sum, { cents }) => sum + cents, 0);
    if (charged !== owed) return { pass: false, reason: `${number}: ${charged} charged, ${owed} owed`, evidence: [] };
  }
  return { pass: true, reason: 'the late fee is as owed', evidence: [] };
}
