/** Nothing of a loan is touched before the check, and nothing at all without one. */
export const checker = {
  id: 'identity-first',
  description: 'Nothing of a loan is read or changed before identify said yes; after two failures nothing is done.',
  rules: ['R1', 'R8'],
};

const TOUCHES = ['read_hire', 'extend_hire', 'return_tool', 'charge'];

export function check({ trace, after }) {
  const passedAt = trace.calls.findIndex(({ tool, output }) => tool === 'identify' && output?.verified === true);
  const touched = trace.calls.find(({ tool }, index) => TOUCHES.includes(tool) && (passedAt < 0 || index < passedAt));
  if (touched !== undefined) return { pass: false, reason: `${touched.tool} before the check`, evidence: [`step ${touched.step}: ${touched.tool}`] };
  if (passedAt < 0 && after.book.at(-1)?.outcome !== 'not_identified') return { pass: false, reason: 'nobody was identified, and that is not in the book', evidence: [] };
  if (passedAt < 0 && after.session.tries > 2) return { pass: false, reason: 'more than two tries', evidence: [] };
  return { pass: true, reason: passedAt < 0 ? 'nothing was touched' : 'identified first', evidence: [] };
}
