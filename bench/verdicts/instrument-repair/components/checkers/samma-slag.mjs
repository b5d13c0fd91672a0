/** Låneinstrumentet är av samma slag och har visats. */
export const checker = {
  id: 'samma-slag',
  description: 'Det utlånade instrumentet är av samma slag som arbetets, och las_arbete har visat det som ledigt.',
  rules: ['R9'],
};

export function check({ before, after, trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'inget har sagts', evidence: [] };
  const nya = after.utlaningar.slice(before.utlaningar.length);
  for (const { arbete, instrument } of nya) {
    const slag = before.laneinstrument[instrument]?.slag;
    if (slag !== before.arbeten[arbete].slag) {
      return { pass: false, reason: `${instrument} är ${slag}`, evidence: [arbete] };
    }
    const utlanat = trace.calls.findIndex(
      ({ tool, output }) => tool === 'lana_ut' && output?.instrument === instrument,
    );
    const visat = trace.calls
      .slice(0, Math.max(utlanat, 0))
      .some(({ tool, output }) => tool === 'las_arbete' && (output?.laneinstrument ?? []).includes(instrument));
    if (!visat) return { pass: false, reason: `${instrument} visades inte före lånet`, evidence: [arbete] };
  }
  return { pass: true, reason: `${nya.length} lån av rätt slag`, evidence: nya.map(({ instrument }) => instrument) };
}
