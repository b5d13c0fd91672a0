/** Lånar ut ett instrument medan ett annat lagas. */
export const tool = {
  name: 'lana_ut',
  description:
    'Lånar ut ett ledigt instrument av samma slag medan kundens eget lagas, ett för varje arbete, högst 30 dagar.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['arbete', 'instrument', 'dagar'],
    properties: {
      arbete: { type: 'string' },
      instrument: { type: 'string', description: 'till exempel LI-1' },
      dagar: { type: 'integer', minimum: 1 },
    },
  },
  examples: [{ input: { arbete: 'AR-520', instrument: 'LI-1', dagar: 10 }, world: 'oktober.json' }],
};

export function run(input, world) {
  const nummer = input.arbete.trim().toUpperCase();
  const arbete = world.arbeten[nummer];
  const { kund } = world.session;
  if (kund === null) return { ok: false, error: 'ingen är legitimerad' };
  if (arbete === undefined || arbete.kund !== kund) return { ok: false, error: 'kunden har inget sådant arbete' };
  if (!world.kunder[kund].myndig) return { ok: false, error: 'kunden är inte myndig' };
  if (arbete.status !== 'pagar') return { ok: false, error: 'instrumentet lagas inte' };
  if (world.utlaningar.some((en) => en.arbete === nummer)) return { ok: false, error: 'arbetet har redan ett lån' };
  const id = input.instrument.trim().toUpperCase();
  const instrument = world.laneinstrument[id];
  if (instrument === undefined || !instrument.ledigt) return { ok: false, error: 'det är inte ledigt' };
  if (instrument.slag !== arbete.slag) return { ok: false, error: 'det är av ett annat slag' };
  if (input.dagar > 30) return { ok: false, error: 'högst 30 dagar' };
  const depost = input.dagar <= 14 ? 50000 : 90000;
  instrument.ledigt = false;
  world.utlaningar.push({ arbete: nummer, instrument: id, dagar: input.dagar, depost_ore: depost });
  return { ok: true, arbete: nummer, instrument: id, dagar: input.dagar, depost_ore: depost };
}
