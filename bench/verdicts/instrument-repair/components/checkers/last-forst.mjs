/** Arbetet läses innan något görs med det. */
export const checker = {
  id: 'last-forst',
  description: 'Innan en offert godkänns, ett instrument lämnas ut eller lånas ut har just det arbetet lästs.',
  rules: ['R11'],
};

const ANDRAR = ['godkann_offert', 'lamna_ut', 'lana_ut'];
const nummer = ({ input }) => String(input.arbete).trim().toUpperCase();

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'inget har sagts', evidence: [] };
  const lasta = new Set();
  for (const anrop of trace.calls) {
    if (anrop.tool === 'las_arbete' && anrop.output?.ok === true) lasta.add(nummer(anrop));
    if (ANDRAR.includes(anrop.tool) && !lasta.has(nummer(anrop))) {
      return { pass: false, reason: `${anrop.tool} utan att läsa ${nummer(anrop)}`, evidence: [`steg ${anrop.step}`] };
    }
  }
  return { pass: true, reason: 'läst först', evidence: [...lasta] };
}
