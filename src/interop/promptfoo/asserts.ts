/** Converts the assertions of a promptfoo test as far as possible, and reports the parts that are lost. */
import { parse } from 'yaml';
import { omitUndefined } from '../../omit-undefined.ts';
import type { CarriedAssert } from './asserts-checker.ts';
import { readInlineCode } from './inline-code.ts';
import { unknownKeyword } from './json-fits.ts';
import { isCodeAssert, isKnownAssert, listLostKeys, type PromptfooAssert } from './shapes.ts';

/** `rubrics` become graders; `isNegated` for `not-llm-rubric`. */
export type CarriedAsserts = { asserts: CarriedAssert[]; rubrics: { text: string; isNegated: boolean }[] };

type Vars = Readonly<Record<string, unknown>>;
type ReportGap = (gap: string) => void;

/** Assertions for a grader, as a demand on the answer. In promptfoo `similar` compares embeddings, which no model here provides. */
const RUBRICS: Readonly<Record<string, (value: string) => string>> = {
  'llm-rubric': (value) => value,
  'model-graded-closedqa': (value) => value,
  factuality: (value) => `It says what this says, and nothing that contradicts it: ${value}`,
  similar: (value) => `It means the same as this: ${value}`,
};

/** The code of a suite; equal texts become one function. */
export type CodeList = { texts: readonly string[]; placeOf(source: string): number };

export function createCodeList(): CodeList {
  const texts: string[] = [];
  return {
    texts,
    placeOf(source) {
      const found = texts.indexOf(source);
      return found >= 0 ? found : texts.push(source) - 1;
    },
  };
}

type CarryContext = { vars: Vars; code: CodeList; report: ReportGap };

/** Reports every lost part as one gap, with the number and type of its assertion; `report` is also told the number. */
export function carryAsserts(
  all: readonly PromptfooAssert[],
  { vars, code, report }: Omit<CarryContext, 'report'> & { report: (gap: string, index: number) => void },
): CarriedAsserts {
  const carried: CarriedAsserts = { asserts: [], rubrics: [] };
  for (const [index, assert] of all.entries()) {
    const gap = (text: string): void => report(`assertion ${index + 1} (${assert.type}): ${text}`, index);
    const found = carryOne(assert, { vars, code, report: gap });
    carried.asserts.push(...found.asserts);
    carried.rubrics.push(...found.rubrics);
  }
  return carried;
}

const NOTHING: CarriedAsserts = { asserts: [], rubrics: [] };

function carryOne(assert: PromptfooAssert, { vars, code, report }: CarryContext): CarriedAsserts {
  const { type, weight, threshold } = assert;
  for (const key of listLostKeys('assertion', assert)) report(`its ${key} is not carried over`);
  if (type === 'assert-set') return carrySet(assert, { vars, code, report });
  if (weight === 0) return lost('its weight is 0, so it decides nothing there');
  const value = fillValue(assert.value, vars);
  const reason = describeLoss({ ...assert, value });
  if (reason !== undefined) return lost(reason);
  const rubric = RUBRICS[type.replace(/^not-/, '')];
  for (const text of partsLost({ ...assert, value }, rubric !== undefined)) report(text);
  if (rubric !== undefined)
    return { asserts: [], rubrics: [{ text: rubric(String(value)), isNegated: type.startsWith('not-') }] };
  const transform = carryCode(assert.transform, { code, what: 'its transform', report });
  if (typeof transform === 'string') return lost(transform);
  const isCode = isCodeAssert(type);
  const own = isCode ? carryCode(value ?? '', { code, what: 'its code', report }) : undefined;
  if (typeof own === 'string') return lost(own);
  const judged = isCode
    ? { ...omitUndefined({ code: own }), ...(typeof threshold === 'number' && { threshold }) }
    : readSchemaValue(type, value, report);
  return { asserts: [{ type, ...judged, ...omitUndefined({ weight, transform }) }], rubrics: [] };

  function lost(text: string): CarriedAsserts {
    report(`${text}, and was left out`);
    return NOTHING;
  }
}

/** Code in the checker computes the score of a set; one with rubrics becomes its single parts. */
function carrySet({ assert = [], threshold, weight }: PromptfooAssert, carrying: CarryContext): CarriedAsserts {
  const { asserts, rubrics } = carryAsserts(assert, carrying);
  const { report } = carrying;
  const limit = typeof threshold === 'number' ? threshold : undefined;
  if (rubrics.length > 0) {
    if (limit !== undefined)
      report(`its threshold ${limit} counts rubrics too: here each of them must be met by itself`);
    return { asserts, rubrics };
  }
  if (limit !== undefined && asserts.length < listDeciding(assert).length)
    report(`its threshold ${limit} is of those assertions that are left`);
  if (asserts.length === 0) return NOTHING;
  return { asserts: [{ type: 'assert-set', asserts, ...omitUndefined({ threshold: limit, weight }) }], rubrics };
}

/** Lists the assertions that count in promptfoo. */
export function listDeciding(asserts: readonly PromptfooAssert[]): PromptfooAssert[] {
  return asserts.filter(({ weight }) => weight !== 0);
}

type CodeUse = { code: CodeList; what: string; report: ReportGap };

/** Returns the position of the code in the list, a text why it cannot be carried over, or undefined without code. */
export function carryCode(value: unknown, { code, what, report }: CodeUse): number | string | undefined {
  if (value === undefined) return undefined;
  const read = readInlineCode(value);
  if ('lost' in read) return `${what} ${read.lost}`;
  if (read.note !== undefined) report(`${what} ${read.note}`);
  return code.placeOf(read.source);
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
  if (RUBRICS[type.replace(/^not-/, '')] !== undefined)
    return typeof value === 'string' && value.trim() !== '' ? undefined : 'its value is no text';
  return isKnownAssert(type) || isCodeAssert(type) ? undefined : 'it cannot be checked without a model or a script';
}

/** Lists the parts of a carried assertion that are ignored. promptfoo itself ignores the threshold of a comparison. */
function partsLost(
  { value, transform, threshold, provider, rubricPrompt }: PromptfooAssert,
  isRubric: boolean,
): string[] {
  return [
    ...(isRubric && transform !== undefined ? ['its transform is not run: the grader reads the answer as it is'] : []),
    ...(isRubric && threshold !== undefined
      ? [`its threshold ${JSON.stringify(threshold)} is not known here: it passes or fails`]
      : []),
    ...(provider === undefined || !isRubric
      ? []
      : ['its own provider is not called: name a model in the grader (model: …)']),
    ...(rubricPrompt === undefined ? [] : ['its rubricPrompt is not used: graders have prompts/grader.md']),
    ...(/\{[{%#]/.test(JSON.stringify(value) ?? '') ? ['its value holds template code that was not filled in'] : []),
  ];
}

/** Fills in plain names only, because a template language could run code. An object is left to the reader: promptfoo writes it differently. */
function fillValue(value: unknown, vars: Vars): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => fillValue(one, vars));
  const plain = Object.fromEntries(Object.entries(vars).filter(([, one]) => typeof one !== 'object'));
  return typeof value === 'string' ? fillNames(value, plain) : value;
}

export function fillNames(text: string, vars: Vars): string {
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(vars, name) ? vars[name] : undefined;
    return value === undefined ? whole : typeof value === 'string' ? value : JSON.stringify(value);
  });
}
