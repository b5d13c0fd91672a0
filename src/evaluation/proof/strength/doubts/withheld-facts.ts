/** Finds facts that gold uses and the subject never gets: not from its user, a tool, or its prompt. */
import type { ToolSpec } from '../../../../scenario/component.ts';
import type { Design } from '../../../../scenario/design.ts';
import { isJsonObject } from '../../../../scenario/json/json-value.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { Sample } from '../../../../scenario/sample.ts';
import type { JudgedSample } from '../plays/judge-plays.ts';

type KnownSources = { design: Design; tools: readonly ToolSpec[] };

/** Checks only values that the start world holds, because others may have been worked out. */
export function withheldFacts(
  { loaded: { sample, world }, plays }: JudgedSample,
  { design, tools }: KnownSources,
): Finding[] {
  const gold = plays.find(({ kind }) => kind === 'gold')?.played;
  const facts = textsIn(world);
  let texts = [design.format.subject_prompt, ...listUserTexts(sample), ...specTexts(tools)].join('\n');
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

/** Returns descriptions and schemas of the tools: values that a schema lists are no secret. */
function specTexts(tools: readonly ToolSpec[]): string[] {
  return tools.map(({ description, input_schema }) => `${description} ${JSON.stringify(input_schema)}`);
}

/** Ignores spelling: people write "HW 2041" and "a green lamp" where a desk writes "hw-2041" and "LAMP-GREEN". */
function isMentioned(texts: string, value: string): boolean {
  if (isDate(value)) return mentionsDate(texts, value);
  if (holdsWord(texts, value)) return true;
  const parts = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];
  const [known, wanted] = [parts(texts), parts(value)];
  return holdsRun(known, wanted.join('')) || wanted.every((part) => known.includes(part));
}

/** A word or number; scripts that are written without spaces count letter by letter. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** True when the text holds the value, and not as a part of a longer word or number; Chinese has no words to cut. */
function holdsWord(text: string, value: string): boolean {
  const [before, after] = [/^[\p{Script=Latin}\p{N}]/u, /[\p{Script=Latin}\p{N}]$/u];
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const cutsBefore = before.test(value) && after.test(text.slice(0, at).slice(-1));
    const cutsAfter = after.test(value) && before.test(text.slice(at + value.length, at + value.length + 1));
    if (!cutsBefore && !cutsAfter) return true;
  }
  return false;
}

/** True when whole words, one after the other, make up the letters and figures of the value. */
function holdsRun(words: readonly string[], wanted: string): boolean {
  return words.some((_, from) => {
    let run = '';
    for (let index = from; run.length < wanted.length && index < words.length; index += 1) run += words[index];
    return run === wanted;
  });
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** A time limit that is counted from a known date is no secret. */
const COUNTED_DAYS = 100;
const DAY_MS = 86_400_000;

function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value);
}

/** True when the date is written in figures or with the name of its month, or lies near another date. */
function mentionsDate(texts: string, date: string): boolean {
  const [year = '', month = '', day = ''] = date.split('-');
  const name = MONTHS[Number(month) - 1] ?? '';
  const inWords = [
    String.raw`\b0?${Number(day)}(?:st|nd|rd|th)?\W+${name}`,
    String.raw`\b${name}[a-z]*\W+0?${Number(day)}\b`,
  ];
  const isSaid = inWords.some((words) => new RegExp(words, 'i').test(texts)) && texts.includes(year);
  const known = [...texts.matchAll(/\d{4}-\d{2}-\d{2}/g)].map(([text]) => Date.parse(text));
  return isSaid || known.some((time) => Math.abs(time - Date.parse(date)) <= COUNTED_DAYS * DAY_MS);
}

function textsIn(value: unknown): Set<string> {
  if (typeof value === 'string') return new Set([value]);
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...textsIn(one)]));
  if (!isJsonObject(value)) return new Set();
  return new Set(Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)]));
}
