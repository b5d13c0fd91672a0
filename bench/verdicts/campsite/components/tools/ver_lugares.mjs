/** Lista os lugares livres de um tipo. */
export const tool = {
  name: 'ver_lugares',
  description: 'Lista os lugares de um tipo que estão livres a partir de uma data e durante tantas noites.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['tipo', 'de', 'noites'],
    properties: {
      tipo: { type: 'string', enum: ['tenda', 'caravana', 'bungalow'] },
      de: { type: 'string', description: 'ano-mês-dia' },
      noites: { type: 'integer', minimum: 1 },
      com_sombra: { type: 'boolean' },
    },
  },
  examples: [
    { input: { tipo: 'caravana', de: '2026-07-13', noites: 4 }, world: 'julho.json' },
    { input: { tipo: 'tenda', de: '2026-07-13', noites: 2, com_sombra: true }, world: 'julho.json' },
  ],
};

const DIA = 86400000;

export function run(input, world) {
  if (world.sessao.cliente === null) return { ok: false, error: 'ninguém se identificou' };
  const de = Date.parse(input.de.trim());
  if (Number.isNaN(de)) return { ok: false, error: 'a data não se lê' };
  const ate = de + input.noites * DIA;
  const lugares = Object.entries(world.lugares)
    .filter(([, um]) => um.tipo === input.tipo)
    .filter(([, um]) => Date.parse(um.livre_desde) <= de && Date.parse(um.proxima) >= ate)
    .filter(([, um]) => input.com_sombra === undefined || um.sombra === input.com_sombra)
    .map(([lugar, { noite_cent, sombra }]) => ({ lugar, noite_cent, sombra }));
  return { ok: true, lugares };
}
