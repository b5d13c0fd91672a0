/** Finds facts that gold uses and the subject never gets: not from its user, a tool, or its prompt. */
import type { ToolSpec } from '../../../../scenario/component.ts';
import type { Design } from '../../../../scenario/design.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { Sample } from '../../../../scenario/sample.ts';
import { toPlainWords } from '../../../../scenario/language/fold-text.ts';
import { isUnspaced, listWords, splitSentences, SPACED_CHARACTER } from '../../../../scenario/language/split-text.ts';
import { areWordForms } from '../../../../scenario/language/word-forms.ts';
import { listKeys } from '../../relations/read-relations.ts';
import { listLeaves } from '../../relations/world-records.ts';
import type { JudgedSample } from '../plays/judge-plays.ts';

type KnownSources = { design: Design; tools: readonly ToolSpec[] };

/** Checks only values that the start world holds, because others may have been worked out. */
export function withheldFacts(
  { loaded: { sample, world }, plays }: JudgedSample,
  { design, tools }: KnownSources,
): Finding[] {
  const gold = plays.find(({ kind }) => kind === 'gold')?.played;
  const facts = new Set<unknown>([...listLeaves(world).map(({ value }) => value), ...listKeys(world)]);
  // Values that the schema of a tool lists are no secret.
  const specs = tools.map(({ description, input_schema }) => `${description} ${JSON.stringify(input_schema)}`);
  let texts = [design.format.subject_prompt, ...listUserTexts(sample), ...specs].join('\n');
  const findings: Finding[] = [];
  for (const { step, tool, input, output, by } of gold?.calls ?? []) {
    for (const [name, value] of Object.entries(input)) {
      if (by === 'user' || typeof value !== 'string' || !facts.has(value) || isMentioned(texts, value)) continue;
      const message = `samples/${sample.id}.json: gold step ${step} needs ${name} ${JSON.stringify(value)} for ${tool}, and neither its user nor an earlier answer mentions it: no subject can know it`;
      findings.push({ code: 'user-withholds', component: sample.id, sample: sample.id, message });
    }
    texts += `\n${JSON.stringify(output)}`;
  }
  return findings;
}

function listUserTexts({ user: { says_first: first, knows, acts = [] }, gold }: Sample): string[] {
  const said = gold.flatMap((step) => ('user' in step && typeof step.user === 'string' ? [step.user] : []));
  return [first, ...Object.values(knows), ...acts.map(({ says }) => says), ...said];
}

/**
 * Ignores spelling: people write "HW 2041" and "two green lamps" where a desk writes "hw-2041" and "LAMP-GREEN". A value must be
 * whole words of one sentence, except where words are not set apart.
 */
function isMentioned(texts: string, value: string): boolean {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return mentionsDate(texts, value);
  const [known, wanted] = [new Set(listWords(texts)), listWords(value)];
  if (wanted.every((part) => known.has(part) || [...known].some((word) => areWordForms(part, word)))) return true;
  const letters = Array.from(wanted.join('')).join(' ?');
  const whole = new RegExp(
    isUnspaced(value) ? letters : `(?<!${SPACED_CHARACTER})${letters}(?!${SPACED_CHARACTER})`,
    'v',
  );
  return splitSentences(texts).some((sentence) => whole.test(toPlainWords(sentence)));
}

/** A time limit that is counted from a known date is no secret. */
const COUNTED_DAYS = 100;
const DAY_MS = 86_400_000;

/** True when a sentence has the day and the year of the date, or the date lies near another one. */
function mentionsDate(texts: string, date: string): boolean {
  const known = [...texts.matchAll(/\d{4}-\d{2}-\d{2}/g)].map(([text]) => Date.parse(text));
  if (known.some((time) => Math.abs(time - Date.parse(date)) <= COUNTED_DAYS * DAY_MS)) return true;
  // The month may have a name in any language.
  const [year = 0, , day = 0] = date.split('-').map(Number);
  const numbers = splitSentences(texts).map((sentence) => sentence.match(/\d+/g)?.map(Number) ?? []);
  return numbers.some((found) => found.includes(year) && found.includes(day));
}
