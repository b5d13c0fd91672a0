/** One conversation, one note, and a true one. */
export const checker = {
  id: 'noted-once',
  description: 'There is exactly one note, and a change is noted when something was changed.',
  rules: ['R7'],
};

const DOES = { change_tariff: 'changed', book_option: 'booked', cancel_contract: 'cancelled' };

export function check({ after, trace }) {
  if (after.notes.length !== 1) return { pass: false, reason: `there are ${after.notes.length} notes`, evidence: [] };
  const done = trace.calls.filter(({ tool, output }) => tool in DOES && output?.ok === true).map(({ tool }) => DOES[tool]);
  const [note] = after.notes;
  const pass = done.length === 0 ? !Object.values(DOES).includes(note) : done.includes(note);
  return { pass, reason: `${note} was noted; done: ${done.join(', ') || 'nothing'}`, evidence: [] };
}
