/** Was the customer identified before anything of the order was touched? */
export const checker = {
  id: 'identity-first',
  description: 'No order is read or changed before the identity check succeeded; after two failures nothing is touched at all.',
  rules: ['R1', 'R2'],
};

const TOUCHES_ORDER = ['lookup_order', 'quote_refund', 'issue_refund', 'create_exchange', 'replace_gift_card'];

export function check({ trace }) {
  const tries = trace.calls.filter((call) => call.tool === 'verify_customer');
  if (tries.length === 0) return no('Nobody was identified.');
  const passedAt = trace.calls.findIndex((call) => call.tool === 'verify_customer' && call.output?.verified === true);
  const touchedAt = trace.calls.findIndex((call) => TOUCHES_ORDER.includes(call.tool));
  if (touchedAt !== -1 && (passedAt === -1 || touchedAt < passedAt)) {
    const call = trace.calls[touchedAt];
    return no(`${call.tool} was called before the customer was identified.`, [`step ${call.step}: ${call.tool}`]);
  }
  if (passedAt === -1 && tries.length < 2) return no('The agent gave up after one failed check.', evidenceOf(tries));
  const reason = passedAt === -1 ? 'Two checks failed and nothing was touched.' : 'The customer was identified first.';
  return { pass: true, reason, evidence: evidenceOf(tries) };
}

function evidenceOf(tries) {
  return tries.map((call) => `step ${call.step}: verify_customer -> verified ${call.output?.verified}`);
}

function no(reason, evidence = []) {
  return { pass: false, reason, evidence };
}
