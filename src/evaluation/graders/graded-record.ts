/** The record of a trial for graders and labelling people: the conversation, its changes, and what the sample shows. */
import { sha256 } from '../../disk/sha256.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { diffJson, valueAt } from '../../scenario/json/patch.ts';
import type { Sample } from '../../scenario/sample.ts';
import { checkerInput } from '../judge/check-trace.ts';
import type { TrialRecord } from '../components/trial-record.ts';

/** The most characters of one value in the record; a longer one is cut, with a note. */
const MAX_VALUE_CHARS = 6000;
const MAX_CHANGES = 100;
const MAX_EVENTS = 400;

export type GradedRecord = {
  /** One JSON value a line: text in it cannot pretend to be another line. */
  text: string;
  /** All that was said and answered, for quotes. */
  said: string;
  digest: string;
};

export function gradedRecord(sample: Sample, played: TrialRecord): GradedRecord {
  const { events } = checkerInput(sample, played).trace;
  const lines: JsonObject[] = events.slice(-MAX_EVENTS).map((event) => {
    if (event.type !== 'call') return { [event.type === 'says' ? 'agent' : 'user']: cutText(event.text) };
    const { tool, input, output, is_error, by } = event;
    return {
      [by === 'user' ? 'user_calls' : 'agent_calls']: tool,
      input: shortenValue(input),
      answer: shortenValue(output),
      ...(is_error ? { failed: true } : {}),
    };
  });
  const changes = diffJson(played.before, played.after).map((change) =>
    'value' in change ? { ...change, value: shortenValue(change.value) } : { ...change },
  );
  const shown = (sample.graders_see ?? []).map((path) => ({
    world_before: path,
    value: shortenValue(valueAt(played.before, path)),
  }));
  const left = changes.length - MAX_CHANGES;
  const all = [
    ...lines,
    ...shown,
    ...(changes.length === 0 ? [{ changes: 'nothing in the world was changed' }] : []),
    ...changes.slice(0, MAX_CHANGES).map((change) => ({ change })),
    ...(left > 0 ? [{ changes: `and ${left} more` }] : []),
  ];
  const text = all.map((line) => JSON.stringify(line)).join('\n');
  const said = events.flatMap((event) =>
    event.type === 'call' ? [event.input, event.output].map(toText) : [event.text],
  );
  return { text, said: normalizeQuote(said.join('\n')), digest: sha256(text) };
}

/** Shorter pieces of a quote are not checked: they prove nothing. */
const MIN_PIECE_CHARS = 3;

/** Finds the first quote that nobody said. A quote is split at each ellipsis, and both sides of it must be found. */
export function inventedQuote(quotes: readonly string[], { said }: Pick<GradedRecord, 'said'>): string | undefined {
  return quotes.find((quote) => {
    const pieces = quote.split(/…|\.{3}/).map(normalizeQuote);
    const telling = pieces.filter((piece) => piece.length >= MIN_PIECE_CHARS);
    return telling.length === 0 || !telling.every((piece) => said.includes(piece));
  });
}

/** Ignores case, spacing, quote marks and the punctuation around it. */
function normalizeQuote(text: string): string {
  return foldText(text.replaceAll(/[\\"“”'‘’]/g, '')).replaceAll(/^[\s.,;:!?{}[\]]+|[\s.,;:!?{}[\]]+$/g, '');
}

/** Returns a text as it is and any other value as JSON, because a quote may come from either. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function shortenValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_VALUE_CHARS ? cutText(text) : value;
}

function cutText(text: string): string {
  if (text.length <= MAX_VALUE_CHARS) return text;
  return `${text.slice(0, MAX_VALUE_CHARS)} [… ${text.length} characters in all]`;
}
