/** Converts the assertions of a promptfoo test as far as possible, and reports the parts that are lost. */
import { parse } from 'yaml';
import { omitUndefined } from '../../omit-undefined.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { CarriedAssert } from './asserts-checker.ts';
import { fillText, type Vars } from './fill-text.ts';
import { unknownKeyword } from './json-fits.ts';
import { KNOWN_ASSERT, reportLostKeys, type PromptfooAssert, type ReportGap } from './shapes.ts';
import { readCodeFile, readInlineCode } from './suite-code.ts';
import { isCodeAssert, isScriptFile } from './suite-files.ts';
import { readPython } from './suite-python.ts';

/** `rubrics` become graders; `isNegated` for `not-llm-rubric`. */
export type CarriedAsserts = {
  asserts: CarriedAssert[];
  /** Assertions in Python, which a checker of their own judges. */
  python: CarriedAssert[];
  rubrics: { text: string; isNegated: boolean; leastScore?: number | undefined }[];
  /** What `cost` and `latency` allow, as limits of the sample. */
  limits: Sample['limits'];
};

/** Assertions for a grader, as a demand on the answer. In promptfoo `similar` compares embeddings, which no model here provides. */
const RUBRICS: Readonly<Record<string, (value: string, isList: boolean) => string>> = {
  'llm-rubric': (value) => value,
  'g-eval': (value, isList) => (isList ? `On the whole, over all of these:\n${value}` : value),
  'model-graded-closedqa': (value) => value,
  'model-graded-factuality': describeFactuality,
  factuality: describeFactuality,
  similar: (value, isList) => `It means the same as ${isList ? 'one of these:\n' : 'this: '}${value}`,
};

function describeFactuality(value: string): string {
  return `It says what this says, and nothing that contradicts it: ${value}`;
}

function findRubric(type: string): (typeof RUBRICS)[string] | undefined {
  return RUBRICS[type.replace(/^not-/, '').replace(/^similar:(?:cosine|dot|euclidean)$/, 'similar')];
}

/** Types whose threshold is one of a score, with the threshold that they have by default. */
const LEAST_SCORES: readonly [type: RegExp, byDefault?: number][] = [
  [/^(?:not-)?llm-rubric$/],
  [/^(?:not-)?g-eval$/, 0.7],
  [/^similar\b/, 0.75],
];

function toRubric(
  { type, value, threshold }: PromptfooAssert,
  describe: (value: string, isList: boolean) => string,
): CarriedAsserts['rubrics'][number] {
  const scored = LEAST_SCORES.find(([shape]) => shape.test(type));
  const given = Number(threshold ?? scored?.[1]);
  const leastScore = scored !== undefined && Number.isFinite(given) ? given : undefined;
  const [first, ...rest] = [value].flat().map(String);
  const text = rest.length === 0 ? String(first) : [first, ...rest].map((one) => `- ${one}`).join('\n');
  return { text: describe(text, rest.length > 0), isNegated: type.startsWith('not-'), leastScore };
}

/** Returns the place of the code in a list of the suite's; equal texts become one function. */
function placeCode(texts: string[], source: string): number {
  const found = texts.indexOf(source);
  return found >= 0 ? found : texts.push(source) - 1;
}

/** The code of a suite; `python`: that of the assertions in Python, as `readPython` writes it. */
export type SuiteCode = { code: string[]; python: string[] };
type CarryContext = SuiteCode & { vars: Vars; report: ReportGap };

/** Reports every lost part as one gap, with the number and type of its assertion; `report` is also told the number. */
export function carryAsserts(
  all: readonly PromptfooAssert[],
  {
    report,
    ...rest
  }: Omit<CarryContext, 'report'> & { report: (gap: string, index: number, isNote?: boolean) => void },
): CarriedAsserts {
  const carried: CarriedAsserts = { asserts: [], python: [], rubrics: [], limits: {} };
  for (const [index, assert] of all.entries()) {
    const gap: ReportGap = (text, isNote) => report(`assertion ${index + 1} (${assert.type}): ${text}`, index, isNote);
    const found = carryOne(assert, { ...rest, report: gap });
    carried.asserts.push(...found.asserts);
    carried.python.push(...found.python);
    carried.rubrics.push(...found.rubrics);
    Object.assign(carried.limits, found.limits);
  }
  return carried;
}

const NOTHING: CarriedAsserts = { asserts: [], python: [], rubrics: [], limits: {} };

/** An assertion without weight still fails its test in promptfoo when its transform, its file or its value makes it throw. */
function canThrow({ type, value, transform }: PromptfooAssert): boolean {
  const isPlain =
    /^(?:not-)?(?:equals|i?contains|starts-with|javascript|python)$/.test(type) || findRubric(type) !== undefined;
  const isText = typeof value === 'string' && value !== '' && !value.startsWith('file://');
  return transform !== undefined || !isPlain || !isText;
}

function carryOne(assert: PromptfooAssert, carrying: CarryContext): CarriedAsserts {
  const { type, weight, threshold } = assert;
  const { vars, code, python, report } = carrying;
  const isCode = isCodeAssert(type);
  reportLostKeys('assertion', assert, (key, isNote) => {
    if (!(isCode && key === 'config')) report(`its ${key} is not carried over`, isNote);
  });
  if (type === 'assert-set') return carrySet(assert, carrying);
  if (weight === 0) return lost('its weight is 0, so it decides nothing there', !canThrow(assert));
  // An answer that costs more, or takes longer, fails in both programs.
  if (/^(?:cost|latency)$/.test(type) && typeof threshold === 'number' && threshold > 0)
    return { ...NOTHING, limits: type === 'cost' ? { usd: threshold } : { seconds: threshold / 1000 } };
  const value = fillValue(assert.value, vars);
  const reason = describeLoss({ ...assert, value });
  if (reason !== undefined) return lost(reason);
  const limit = typeof threshold === 'number' ? threshold : undefined;
  const settings = omitUndefined({ weight, threshold: limit, config: assert['config'] });
  if (type.endsWith('python')) {
    const read =
      assert.transform === undefined ? readPython(value) : { lost: 'cannot be given what its transform makes' };
    if ('lost' in read) return lost(`its code ${read.lost}`);
    return { ...NOTHING, python: [{ type, code: placeCode(python, read.source), ...settings }] };
  }
  const rubric = findRubric(type);
  reportParts({ ...assert, value }, rubric !== undefined, report);
  if (rubric !== undefined) return { ...NOTHING, rubrics: [toRubric({ ...assert, value }, rubric)] };
  const transform = carryCode(assert.transform, { code, what: 'its transform', report });
  if (typeof transform === 'string') return lost(transform);
  const own = isCode ? carryCode(value ?? '', { code, what: 'its code', report }) : undefined;
  if (typeof own === 'string') return lost(own);
  const judged = isCode
    ? { ...omitUndefined({ code: own }), ...settings, ...(isScriptFile(value) && { fromFile: true as const }) }
    : omitUndefined({
        ...readSchemaValue(type, value, report),
        threshold: type.endsWith('levenshtein') ? limit : undefined,
      });
  return { ...NOTHING, asserts: [{ type, ...judged, ...omitUndefined({ weight, transform }) }] };

  function lost(text: string, isNote?: boolean): CarriedAsserts {
    report(`${text}, and was left out`, isNote);
    return NOTHING;
  }
}

/** These judges cannot be counted together with the others. */
export const APART = 'rubrics or Python';

/** Code in the checker computes the score of a set; one with rubrics becomes its single parts. */
function carrySet({ assert = [], threshold, weight }: PromptfooAssert, carrying: CarryContext): CarriedAsserts {
  const carried = carryAsserts(assert, { ...carrying, report: (text, _, isNote) => carrying.report(text, isNote) });
  const { asserts, rubrics, python } = carried;
  const { report } = carrying;
  const limit = typeof threshold === 'number' ? threshold : undefined;
  if (rubrics.length + python.length > 0) {
    if (limit !== undefined)
      report(`its threshold ${limit} counts ${APART} too: here each of them must be met by itself`);
    return carried;
  }
  if (limit !== undefined && asserts.length < listDeciding(assert).length)
    report(`its threshold ${limit} is of those assertions that are left`);
  const set = { type: 'assert-set', asserts, ...omitUndefined({ threshold: limit, weight }) };
  return { ...carried, asserts: asserts.length === 0 ? [] : [set] };
}

/** Lists the assertions that count in promptfoo. */
export function listDeciding(asserts: readonly PromptfooAssert[]): PromptfooAssert[] {
  return asserts.filter(({ weight }) => weight !== 0);
}

type CodeUse = { code: string[]; what: string; report: ReportGap };

/** Returns the position of the code in the list, a text why it cannot be carried over, or undefined without code. */
export function carryCode(value: unknown, { code, what, report }: CodeUse): number | string | undefined {
  if (value === undefined) return undefined;
  const read = isScriptFile(value) ? readCodeFile(value) : readInlineCode(value);
  if ('lost' in read) return `${what} ${read.lost}`;
  if (read.note !== undefined) report(`${what} ${read.note}`);
  return placeCode(code, read.source);
}

/** The schema may be an object, or a text with JSON or YAML. */
function readSchemaValue(type: string, value: unknown, report: ReportGap): { value?: unknown } {
  if (!/^(?:not-)?(?:is|contains)-json$/.test(type)) return { value };
  if (value === undefined || value === null || value === '') return {};
  const schema: unknown = typeof value === 'string' ? parse(value) : value;
  const unknown = unknownKeyword(schema);
  if (unknown === undefined) return { value: schema };
  report(`only that it is JSON is checked: its schema has ${unknown}, which is not known here`);
  return {};
}

/** Returns why the assertion cannot be carried over at all. */
function describeLoss({ type, value }: PromptfooAssert): string | undefined {
  if (typeof value === 'string' && value.startsWith('file://'))
    return `its value is the file ${value}: put the text into the suite`;
  if (findRubric(type) !== undefined) {
    const isList = Array.isArray(value) && value.length > 0 && /g-eval|similar/.test(type);
    const isText = (isList ? value : [value]).every((one) => typeof one === 'string' && one.trim() !== '');
    return isText ? undefined : 'its value is no text';
  }
  return KNOWN_ASSERT.test(type) || isCodeAssert(type) ? undefined : 'it cannot be checked without a model or a script';
}

/** Reports what of a carried assertion is ignored. promptfoo itself ignores the threshold of a comparison. */
function reportParts(assert: PromptfooAssert, isRubric: boolean, report: ReportGap): void {
  const { type, value, transform, threshold, provider, rubricPrompt } = assert;
  if (isRubric && transform !== undefined) report('its transform is not run: the grader reads the answer as it is');
  if (threshold !== undefined && type.startsWith('not-similar'))
    report(`its threshold ${JSON.stringify(threshold)} is not known here: it passes or fails`);
  if (rubricPrompt !== undefined) report('its rubricPrompt is not used: graders have prompts/grader.md');
  if (!isScriptFile(value) && /\{[{%#]/.test(JSON.stringify(value) ?? ''))
    report('its value holds template code that was not filled in');
  if (isRubric && provider !== undefined) report(describeJudge(provider), true);
}

/** Names the judge of a suite, and nothing else of its settings, which may hold a key. */
export function describeJudge(provider: unknown): string {
  const names = [provider, ...(isJsonObject(provider) ? [provider['text'], provider['embedding']] : [])];
  const [name] = names
    .flatMap((one) => (isJsonObject(one) ? (one['id'] ?? []) : one))
    .filter((one) => typeof one === 'string');
  return `${name ?? 'another model'} judges it there: to have a model of its own here, name it in the grader (model: …)`;
}

/** An object is left to the reader: promptfoo writes nothing but its type. */
function fillValue(value: unknown, vars: Vars): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => fillValue(one, vars));
  return typeof value === 'string' ? fillText(value, vars, true).text : value;
}
