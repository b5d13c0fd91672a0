/** Jämför kundnummer och kod. */
export const tool = {
  name: 'legitimera',
  description: 'Jämför kundnummer och fyrsiffrig kod, båda sagda av kunden. Efter två försök är det slut.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['kund', 'kod'],
    properties: { kund: { type: 'string' }, kod: { type: 'string' } },
  },
  examples: [
    { input: { kund: 'KU-31', kod: '4417' }, world: 'oktober.json' },
    { input: { kund: 'KU-31', kod: '7144' }, world: 'oktober.json' },
  ],
};

export function run(input, world) {
  const { session } = world;
  if (session.forsok >= 2) return { bekraftad: false, error: 'det finns inga försök kvar' };
  session.forsok += 1;
  const nummer = input.kund.trim().toUpperCase();
  const kund = world.kunder[nummer];
  if (kund === undefined || kund.kod !== input.kod.trim()) return { bekraftad: false, forsok: session.forsok };
  session.kund = nummer;
  return { bekraftad: true, namn: kund.namn, elev: kund.elev, myndig: kund.myndig };
}
