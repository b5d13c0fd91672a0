/** What a grader and a labelling person read of a trial: the conversation, what it changed, and what else the sample shows. */
import { sha256 } from '../../disk/sha256.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { diffJson, valueAt } from '../../scenario/json/patch.ts';
import type { Sample } from '../../scenario/sample.ts';
import { checkerInput } from '../judge/check-trace.ts';
import type { TrialRecord } from '../components/trial-record.ts';

/** Of one value in the record; a long one is cut, and says so. */
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
    if (event.type !== 'call') return { [event.type === 'says' ? 'agent' : 'user']: cut(event.text) };
    const { tool, input, output, is_error, by } = event;
    return {
      [by === 'user' ? 'user_calls' : 'agent_calls']: tool,
      input: short(input),
      answer: short(output),
      ...(is_error ? { failed: true } : {}),
    };
  });
  const changes = diffJson(played.before, played.after).map((change) =>
    'value' in change ? { ...change, value: short(change.value) } : { ...change },
  );
  const shown = (sample.graders_see ?? []).map((path) => ({
    world_before: path,
    value: short(valueAt(played.before, path)),
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
  const said = events.flatMap((event) => (event.type === 'call' ? textsIn([event.input, event.output]) : [event.text]));
  return { text, said: plain(said.join('\n')), digest: sha256(text) };
}

/** Too short to prove anything. */
const TELLING_CHARS = 3;

/** The first quote that nobody said. An ellipsis leaves something out; both sides of it must be found. */
export function inventedQuote(quotes: readonly string[], { said }: Pick<GradedRecord, 'said'>): string | undefined {
  return quotes.find((quote) => {
    const pieces = quote.split(/…|\.{3}/).map(plain);
    const telling = pieces.filter((piece) => piece.length >= TELLING_CHARS);
    return telling.length === 0 || !telling.every((piece) => said.includes(piece));
  });
}

/** Ignores case, spacing, quote marks and the punctuation around it. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\\"“”'‘’`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s.,;:!?{}[\]]+|[\s.,;:!?{}[\]]+$/g, '');
}

/** As JSON, and every text in it by itself: a quote may be of either. */
function textsIn(values: readonly unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' ? [value] : [JSON.stringify(value) ?? '']));
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_VALUE_CHARS ? cut(text) : value;
}

function cut(text: string): string {
  if (text.length <= MAX_VALUE_CHARS) return text;
  return `${text.slice(0, MAX_VALUE_CHARS)} [… ${text.length} characters in all]`;
}
