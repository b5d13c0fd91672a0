/** A loan is made longer when it may be, and not otherwise. */
export const checker = {
  id: 'another-week',
  description: 'Made a week longer when not late, at most once before, and not reserved; else not.',
  rules: ['R4'],
};

export function check({ sample, before, after }) {
  const number = sample.case_of.hire;
  const hire = before.hires[number];
  const may = hire.due >= before.today && hire.extensions < 2 && !before.tools[hire.tool].reserved;
  const done = after.hires[number].extensions - hire.extensions;
  const pass = done === (may ? 1 : 0);
  return { pass, reason: `${number} was made longer ${done} times, ${may ? 'once' : 'not at all'} would be right`, evidence: [] };
}
