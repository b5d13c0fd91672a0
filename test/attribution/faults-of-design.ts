/** Layer 1: two rules that no end can keep both. */
import { editSample, textOf, type Files, type Injection, type RawSample } from './injection.ts';

/** One rule demands the end of the gold path, the other that of the wrong path, and the sample is about both. */
const torn = (id: string): Injection => ({
  layer: 1,
  kind: 'two rules contradict each other',
  name: id,
  rules: [
    { id: 'R91', text: 'The case ends as the desk has always ended it.' },
    { id: 'R92', text: 'The case ends as the customer wishes.' },
  ],
  change: (files) => {
    const sample = JSON.parse(textOf(files, `samples/${id}.json`)) as RawSample;
    demand(files, 'as-always', 'R91', sample.gold.at(-1));
    demand(files, 'as-wished', 'R92', sample.wrong.at(-1));
    editSample(id, (one) => {
      one.covers.push('R91', 'R92');
      one.checkers.push('as-always', 'as-wished');
    })(files);
  },
});

/** Passes when the last call is the one that is demanded. */
function demand(files: Files, id: string, rule: string, call: RawSample['gold'][number] | undefined): void {
  const text = `export const checker = { id: '${id}', description: '${id}', rules: ['${rule}'] };
const wanted = ${JSON.stringify(JSON.stringify([call?.tool, call?.args]))};
export function check({ trace }) {
  const last = trace.calls.at(-1);
  const pass = last !== undefined && JSON.stringify([last.tool, last.input]) === wanted;
  return { pass, reason: pass ? 'as demanded' : 'otherwise', evidence: [] };
}
`;
  files.set(`checkers/${id}.mjs`, text);
}

export const DESIGN_FAULTS: Injection[] = [
  ...[
    'exchange-in-stock',
    'lost-gift-card',
    'opened-hygiene-goods',
    'return-too-late',
    'empty-gift-card',
    'damaged-over-limit',
  ].map(torn),
];
