/** A checker judges what was done. It must be able to fail: an agent that does nothing is rejected by every checker. */
export const checker = {
  id: 'loan-read-first',
  description: 'The loan was read, and read before it was renewed.',
  rules: ['R1'],
};

export function check({ trace }) {
  const readAt = trace.calls.findIndex((call) => call.tool === 'find_loan' && call.output?.ok === true);
  const renewedAt = trace.calls.findIndex((call) => call.tool === 'renew_loan');
  if (readAt === -1) return { pass: false, reason: 'No loan was read.', evidence: [] };
  const evidence = [`step ${trace.calls[readAt].step}: find_loan`];
  if (renewedAt !== -1 && renewedAt < readAt) return { pass: false, reason: 'Renewed before it was read.', evidence };
  return { pass: true, reason: 'The loan was read first.', evidence };
}
