/** The loans of the right card were looked up, and every item of it was named. */
export const checker = { id: 'looked-first', description: 'The loans were looked up and named.', rules: ['R1', 'R2'] };

export function check({ trace, final }) {
  const call = trace.calls.find(({ tool, output }) => tool === 'find_loans' && output?.ok === true);
  if (call === undefined) return { pass: false, reason: 'No loans were looked up.', evidence: [] };
  const missing = call.output.loans.filter(({ item }) => !final.toLowerCase().includes(item.toLowerCase()));
  const evidence = [`step ${call.step}: find_loans`];
  if (missing.length > 0) return { pass: false, reason: `${missing[0].item} was not named.`, evidence };
  return { pass: true, reason: 'Every item was named.', evidence };
}
