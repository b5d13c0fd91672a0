/** One line in the book, at the end, and true. */
export const checker = {
  id: 'one-line',
  description: 'There is one line, it was written last, and it says what was done.',
  rules: ['R7'],
};

export function check({ before, after, trace }) {
  if (after.book.length !== 1) return { pass: false, reason: `${after.book.length} lines`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'log_contact') return { pass: false, reason: 'it was not written last', evidence: [] };
  const changed = (test) => Object.keys(before.hires).some((number) => test(before.hires[number], after.hires[number]));
  const isBack = changed((was, is) => was.state !== is.state);
  const isLonger = changed((was, is) => was.due !== is.due);
  const { outcome } = after.book[0];
  const right = isBack ? ['returned'] : isLonger ? ['extended'] : after.session.member === null ? ['not_identified'] : ['refused', 'declined'];
  return { pass: right.includes(outcome), reason: `${outcome} is in the book, and ${right.join(' or ')} would be true`, evidence: [] };
}
