/** Does the note say what happened? That there is one, and only one, the table reads. */
export const checker = {
  id: 'note-true',
  description: 'A change is noted where something was changed, and only there.',
  rules: ['R7'],
};

const DOES = { change_tariff: 'changed', book_option: 'booked', cancel_contract: 'cancelled' };

export function check({ after, trace }) {
  const done = trace.calls.filter(({ tool, output }) => tool in DOES && output?.ok === true).map(({ tool }) => DOES[tool]);
  const note = after.notes.at(-1) ?? 'nothing';
  const pass = done.length > 0 ? done.includes(note) : ![...Object.values(DOES), 'nothing'].includes(note);
  return { pass, reason: `${note} was noted; done: ${done.join(', ') || 'nothing'}`, evidence: [] };
}
