/** A contract ends with its term. */
export const checker = {
  id: 'end-of-term',
  description: 'What was cancelled was cancelled to the last day of its term.',
  rules: ['R6'],
};

export function check({ after, trace }) {
  const wrong = Object.entries(after.customers).find(
    ([, { contract }]) => contract.cancelled_to !== null && contract.cancelled_to !== contract.ends,
  );
  if (wrong !== undefined) {
    const [number, { contract }] = wrong;
    return { pass: false, reason: `${number} was cancelled to ${contract.cancelled_to}, its term ends ${contract.ends}`, evidence: [] };
  }
  return { pass: trace.says.length > 0, reason: 'cancelled to the end of the term, or not at all', evidence: [] };
}
