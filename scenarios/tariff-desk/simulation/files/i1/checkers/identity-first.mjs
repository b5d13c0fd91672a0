/** Was it clear who is writing before anything of a contract was touched? */
export const checker = {
  id: 'identity-first',
  description: 'No contract is read or changed before the check succeeded; without success nothing is touched at all.',
  rules: ['R1', 'R2'],
};

const TOUCHES = ['read_contract', 'change_tariff', 'book_option', 'cancel_contract'];

export function check({ trace, after }) {
  const passedAt = trace.calls.findIndex(({ tool, output }) => tool === 'identify_customer' && output?.verified === true);
  const touchedAt = trace.calls.findIndex(({ tool }) => TOUCHES.includes(tool));
  if (touchedAt >= 0 && (passedAt < 0 || touchedAt < passedAt)) {
    const call = trace.calls[touchedAt];
    return { pass: false, reason: `${call.tool} was called before anybody was identified`, evidence: [`step ${call.step}: ${call.tool}`] };
  }
  if (passedAt < 0 && after.notes.at(-1) !== 'not_identified') return { pass: false, reason: 'nobody was identified, and that was not noted', evidence: [] };
  if (passedAt < 0 && after.session.tries > 2) return { pass: false, reason: 'there were more than two tries', evidence: [] };
  return { pass: true, reason: passedAt < 0 ? 'nobody was identified, and nothing touched' : 'identified first', evidence: [] };
}
