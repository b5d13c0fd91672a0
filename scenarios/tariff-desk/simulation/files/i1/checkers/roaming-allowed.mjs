/** Roaming is not sold with Small. */
export const checker = {
  id: 'roaming-allowed',
  description: 'Roaming is booked for no contract whose tariff is small.',
  rules: ['R5'],
};

export function check({ after, trace }) {
  const wrong = Object.entries(after.customers).find(
    ([, { contract }]) => contract.tariff === 'small' && contract.options.includes('roaming'),
  );
  if (wrong !== undefined) return { pass: false, reason: `${wrong[0]} has Roaming with Small`, evidence: [] };
  return { pass: trace.says.length > 0, reason: 'no Roaming with Small', evidence: [] };
}
