/** Läser ett arbete som den legitimerade kunden har i verkstaden. */
export const tool = {
  name: 'las_arbete',
  description: 'Läser ett arbete: pris, garanti, giltighet, lagring, vad som är att betala och lediga låneinstrument.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['arbete'],
    properties: { arbete: { type: 'string', description: 'till exempel AR-501' } },
  },
  examples: [
    { input: { arbete: 'AR-501' }, world: 'oktober.json' },
    {
      input: { arbete: 'ar-900' },
      world: {
        idag: '2026-10-14',
        session: { kund: 'KU-90', forsok: 1 },
        kunder: { 'KU-90': { namn: 'Prov', kod: '0000', elev: false, myndig: true } },
        arbeten: {
          'AR-900': {
            kund: 'KU-90',
            instrument: 'provcello',
            slag: 'cello',
            status: 'klart',
            offert_den: '2026-08-01',
            lagad_den: '2025-01-01',
            klart_den: '2026-09-20',
            delar_ore: 10000,
            timmar: 2,
            pris_ore: 140000,
            forskott_ore: 40000,
          },
        },
        laneinstrument: { 'LI-9': { slag: 'cello', ledigt: true } },
        godkannanden: [],
        betalningar: [],
        utlaningar: [],
        anteckningar: [],
      },
    },
  ],
};

const DYGN = 86400000;
const dagar = (fran, till) => Math.round((Date.parse(till) - Date.parse(fran)) / DYGN);

export function run(input, world) {
  const nummer = input.arbete.trim().toUpperCase();
  const arbete = world.arbeten[nummer];
  const { kund } = world.session;
  if (kund === null) return { ok: false, error: 'ingen är legitimerad' };
  if (arbete === undefined || arbete.kund !== kund) return { ok: false, error: 'kunden har inget sådant arbete' };
  const garanti = dagar(arbete.lagad_den, world.idag) <= 180;
  const oppen = arbete.status === 'offert';
  const klart = arbete.status === 'klart';
  const pris = oppen ? raknaPris(arbete, world.kunder[kund], garanti) : arbete.pris_ore;
  const dagarKlart = klart ? dagar(arbete.klart_den, world.idag) : 0;
  const lager = Math.min(Math.max(2500 * (dagarKlart - 14), 0), 60000);
  return {
    ok: true,
    instrument: arbete.instrument,
    slag: arbete.slag,
    status: arbete.status,
    offert_galler_till: new Date(Date.parse(arbete.offert_den) + 30 * DYGN).toISOString().slice(0, 10),
    offert_galler: oppen && dagar(arbete.offert_den, world.idag) <= 30,
    garanti,
    delar_ore: arbete.delar_ore,
    timmar: arbete.timmar,
    pris_ore: pris,
    forskott_ore: arbete.forskott_ore,
    dagar_klart: dagarKlart,
    lager_ore: lager,
    att_betala_ore: klart ? pris - arbete.forskott_ore + lager : 0,
    laneinstrument: Object.keys(world.laneinstrument).filter(
      (id) => world.laneinstrument[id].slag === arbete.slag && world.laneinstrument[id].ledigt,
    ),
  };
}

function raknaPris({ delar_ore: delar, timmar }, { elev }, garanti) {
  if (garanti) return delar;
  return delar + (65000 * timmar * (elev ? 8 : 10)) / 10;
}
