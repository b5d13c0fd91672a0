/** A checker judges what was done. It must be able to fail: an agent that says nothing is rejected. */
export const checker = {
  id: 'answered',
  description: 'The agent has answered in words.',
  rules: ['R1', 'R2'],
};

export function check({ final }) {
  const pass = /\p{L}/u.test(final);
  return { pass, reason: pass ? 'It answered.' : 'It said nothing.', evidence: [final.slice(0, 200)] };
}
