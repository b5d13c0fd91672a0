/** Nobody can agree to a price that was not said. */
export const checker = {
  id: 'price-said',
  description: 'The monthly price was said before a tariff was changed or an option booked.',
  rules: ['R8'],
};

export function check({ before, trace }) {
  const prices = { ...before.tariffs, ...before.options };
  for (const [index, event] of trace.events.entries()) {
    const thing = event.type === 'call' ? (event.input.tariff ?? event.input.option) : undefined;
    if (thing === undefined) continue;
    const price = prices[String(thing).trim().toLowerCase()] ?? '';
    const said = trace.events.slice(0, index).some(({ type, text }) => type === 'says' && text.replace(',', '.').includes(price.replace(/\.00$/, '')));
    if (!said) return { pass: false, reason: `${thing} costs ${price}, which was not said before`, evidence: [`step ${event.step}: ${event.tool}`] };
  }
  return { pass: trace.says.length > 0, reason: 'every price was said', evidence: [] };
}
