/** Godkänner en offert till ett pris. */
export const tool = {
  name: 'godkann_offert',
  description: 'Godkänner en offert som ännu gäller, till ett pris i öre; lagningen börjar.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['arbete', 'pris_ore'],
    properties: { arbete: { type: 'string' }, pris_ore: { type: 'integer', minimum: 0 } },
  },
  examples: [{ input: { arbete: 'AR-501', pris_ore: 237000 }, world: 'oktober.json' }],
};

const DYGN = 86400000;

export function run(input, world) {
  const nummer = input.arbete.trim().toUpperCase();
  const arbete = world.arbeten[nummer];
  const { kund } = world.session;
  if (kund === null) return { ok: false, error: 'ingen är legitimerad' };
  if (arbete === undefined || arbete.kund !== kund) return { ok: false, error: 'kunden har inget sådant arbete' };
  if (arbete.status !== 'offert') return { ok: false, error: 'offerten är inte öppen' };
  const alder = Math.round((Date.parse(world.idag) - Date.parse(arbete.offert_den)) / DYGN);
  if (alder > 30) return { ok: false, error: 'offerten gäller inte längre' };
  if (input.pris_ore > arbete.delar_ore + 65000 * arbete.timmar)
    return { ok: false, error: 'det är mer än fullt pris' };
  arbete.status = 'pagar';
  arbete.pris_ore = input.pris_ore;
  world.godkannanden.push({ arbete: nummer, ore: input.pris_ore });
  return { ok: true, arbete: nummer, status: arbete.status, pris_ore: arbete.pris_ore };
}
