/** Summarisers of a replay: one that forgets nothing, one that writes nothing, one that cannot be reached. */
import { estimateText } from '../../transcript/tokens.ts';
import { NO_USAGE, type Message } from '../../transcript/message.ts';
import type { Answer } from '../../context/summary/accept.ts';
import { allText } from './facts.ts';
import type { SummaryFields, SummaryValue } from '../../context/summary/summary.ts';

/** A fact and the entry that contains it. */
export type KnownFact = { text: string; id: string };

/** A failed call, with the causes that the agent's own compactor uses. */
export type SummaryFailure = { cause: 'timeout' | 'transport' | 'model_refused'; detail: string };

/** `server`: the API's own summary is wanted, as one block. */
export type Summariser = (
  request: { messages: readonly Message[]; form: 'text' | 'server' },
  known: readonly KnownFact[],
  fields: SummaryFields,
) => Answer | SummaryFailure;

/** Repeats every known fact that it was really shown, and nothing else, so every lost fact was lost by the harness. */
export const perfectSummariser: Summariser = ({ messages, form }, known, fields) => {
  const shown = messages.map(allText).join('\n');
  const lines = known.filter(({ text }) => shown.includes(text)).map(({ text, id }) => `${text} [#${id}]`);
  if (form === 'server') return toServerAnswer(lines);
  const value = fillSummaryFields(fields, { left: lines.length > 0 ? lines : ['nothing was found yet'] });
  return toTextAnswer(`<compact_summary>\n${JSON.stringify(value)}\n</compact_summary>`);
};

export const SUMMARISERS = {
  perfect: perfectSummariser,
  empty: ({ form }) => (form === 'server' ? toServerAnswer([]) : toTextAnswer('')),
  failing: () => ({ cause: 'transport', detail: 'no connection (replay)' }),
} as const satisfies Record<string, Summariser>;

/** The API signs its summary; a replay does not check the signature. */
function toServerAnswer(lines: readonly string[]): Answer {
  const content = ['What was found so far:', ...lines].join('\n');
  return {
    ...toTextAnswer(content),
    content: lines.length === 0 ? [] : [{ type: 'compaction', content, signature: 'replay' }],
    stopReason: 'compaction',
  };
}

function toTextAnswer(text: string): Answer {
  return {
    content: text === '' ? [] : [{ type: 'text', text }],
    stopReason: 'end_turn',
    usage: { ...NO_USAGE, output_tokens: Math.max(1, estimateText(text)) },
  };
}

/** All lines go into the first list, or into the first text where there is no list; the other fields say `none`. */
function fillSummaryFields(fields: SummaryFields, lines: { left: string[] }): SummaryValue {
  const entries = Object.entries(fields);
  const place = entries.find(([, { type }]) => type === 'list') ?? entries.find(([, { type }]) => type !== 'object');
  return Object.fromEntries(
    entries.flatMap(([name, field]): [string, SummaryValue][] => {
      const mine = name === place?.[0] || (place === undefined && entries[0]?.[0] === name);
      const taken = mine ? lines.left.splice(0) : [];
      if (field.type === 'object') return [[name, fillSummaryFields(field.fields ?? {}, { left: taken })]];
      if (taken.length === 0 && field.optional) return [];
      if (field.type === 'list') return [[name, taken.length === 0 ? ['none'] : taken]];
      return [[name, taken.length === 0 ? 'none' : taken.join('; ')]];
    }),
  );
}
