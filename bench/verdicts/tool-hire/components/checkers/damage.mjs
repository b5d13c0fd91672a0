/** Damage costs the deposit, and the tool goes where it belongs. */
export const checker = {
  id: 'damage',
  description: 'A damaged tool costs its deposit once and goes to repair; another one is free again and costs none.',
  rules: ['R6'],
};

export function check({ sample, before, after }) {
  const { hire: number, tool } = sample.case_of;
  const isDamaged = sample.case?.damaged === true;
  const isBack = after.hires[number].state === 'back';
  const charged = after.charges.filter((one) => one.hire === number && one.kind === 'damage').map(({ cents }) => cents);
  const owed = isBack && isDamaged ? [before.tools[tool].deposit_cents] : [];
  if (charged.length !== owed.length || charged[0] !== owed[0]) return { pass: false, reason: `deposit: ${charged.join() || 0} charged, ${owed.join() || 0} owed`, evidence: [] };
  const state = isBack ? (isDamaged ? 'repair' : 'free') : 'lent';
  const pass = after.tools[tool].state === state;
  return { pass, reason: `${tool} is ${after.tools[tool].state}, and ${state} would be right`, evidence: [] };
}
