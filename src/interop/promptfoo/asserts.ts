/** Converts the assertions of a promptfoo test as far as possible, and reports the parts that are lost. */
import { parse } from 'yaml';
import { omitUndefined } from '../../omit-undefined.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { CarriedAssert } from './asserts-checker.ts';
import { unknownKeyword } from './json-fits.ts';
import { isCodeAssert, isKnownAssert, reportLostKeys, type PromptfooAssert, type ReportGap } from './shapes.ts';
import { readCodeFile, readInlineCode } from './suite-code.ts';
import { isScriptFile } from './suite-files.ts';
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

type Vars = Readonly<Record<string, unknown>>;

/** Assertions for a grader, as a demand on the answer. In promptfoo `similar` compares embeddings, which no model here provides. */
const RUBRICS: Readonly<Record<string, (value: string) => string>> = {
  'llm-rubric': (value) => value,
  'g-eval': (value) => value,
  'model-graded-closedqa': (value) => value,
  factuality: (value) => `It says what this says, and nothing that contradicts it: ${value}`,
  similar: (value) => `It means the same as this: ${value}`,
};

/** Rubrics whose threshold is one of their score; promptfoo passes over the threshold of others but `similar`. */
const SCORED = /^(?:llm-rubric|g-eval)$/;
const GEVAL_THRESHOLD = 0.7;

function toRubric(
  { type, value, threshold }: PromptfooAssert,
  describe: (value: string) => string,
): CarriedAsserts['rubrics'][number] {
  const given = Number(threshold ?? (type === 'g-eval' ? GEVAL_THRESHOLD : undefined));
  const leastScore = SCORED.test(type) && Number.isFinite(given) ? given : undefined;
  return { text: describe(String(value)), isNegated: type.startsWith('not-'), leastScore };
}

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

/** `python`: the code of the assertions in Python, as `readPython` writes it. */
type CarryContext = { vars: Vars; code: CodeList; python: CodeList; report: ReportGap };

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
    /^(?:not-)?(?:equals|i?contains|starts-with|javascript|python)$/.test(type) || RUBRICS[type] !== undefined;
  const isText = typeof value === 'string' && value !== '' && !value.startsWith('file://');
  return transform !== undefined || !isPlain || !isText;
}

/** An answer that costs more, or takes longer, fails in both programs. */
const LIMITS: Readonly<Record<string, (threshold: number) => Sample['limits']>> = {
  cost: (usd) => ({ usd }),
  latency: (milliseconds) => ({ seconds: milliseconds / 1000 }),
};

function carryOne(assert: PromptfooAssert, carrying: CarryContext): CarriedAsserts {
  const { type, weight, threshold } = assert;
  const { vars, code, python, report } = carrying;
  const isCode = isCodeAssert(type);
  reportLostKeys('assertion', assert, (key, isNote) => {
    if (!(isCode && key === 'config')) report(`its ${key} is not carried over`, isNote);
  });
  if (type === 'assert-set') return carrySet(assert, carrying);
  if (weight === 0) return lost('its weight is 0, so it decides nothing there', !canThrow(assert));
  if (LIMITS[type] !== undefined && typeof threshold === 'number' && threshold > 0)
    return { ...NOTHING, limits: LIMITS[type](threshold) };
  const value = fillValue(assert.value, vars);
  const reason = describeLoss({ ...assert, value });
  if (reason !== undefined) return lost(reason);
  const settings = omitUndefined({
    weight,
    threshold: typeof threshold === 'number' ? threshold : undefined,
    config: assert['config'],
  });
  if (type.endsWith('python')) {
    const read =
      assert.transform === undefined ? readPython(value) : { lost: 'cannot be given what its transform makes' };
    if ('lost' in read) return lost(`its code ${read.lost}`);
    return { ...NOTHING, python: [{ type, code: python.placeOf(read.source), ...settings }] };
  }
  const rubric = RUBRICS[type.replace(/^not-/, '')];
  for (const text of partsLost({ ...assert, value }, rubric !== undefined)) report(text);
  if (rubric !== undefined) return { ...NOTHING, rubrics: [toRubric({ ...assert, value }, rubric)] };
  const transform = carryCode(assert.transform, { code, what: 'its transform', report });
  if (typeof transform === 'string') return lost(transform);
  const own = isCode ? carryCode(value ?? '', { code, what: 'its code', report }) : undefined;
  if (typeof own === 'string') return lost(own);
  const judged = isCode
    ? { ...omitUndefined({ code: own }), ...settings, ...(isScriptFile(value) && { fromFile: true as const }) }
    : readSchemaValue(type, value, report);
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

type CodeUse = { code: CodeList; what: string; report: ReportGap };

/** Returns the position of the code in the list, a text why it cannot be carried over, or undefined without code. */
export function carryCode(value: unknown, { code, what, report }: CodeUse): number | string | undefined {
  if (value === undefined) return undefined;
  const read = isScriptFile(value) ? readCodeFile(value) : readInlineCode(value);
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
  { type, value, transform, threshold, provider, rubricPrompt }: PromptfooAssert,
  isRubric: boolean,
): string[] {
  const isTemplate = !isScriptFile(value) && /\{[{%#]/.test(JSON.stringify(value) ?? '');
  const parts: [isLost: boolean, text: string][] = [
    [isRubric && transform !== undefined, 'its transform is not run: the grader reads the answer as it is'],
    [
      isRubric && threshold !== undefined && !SCORED.test(type) && !/^(?:factuality|model-graded)/.test(type),
      `its threshold ${JSON.stringify(threshold)} is not known here: it passes or fails`,
    ],
    [isRubric && provider !== undefined, 'its own provider is not called: name a model in the grader (model: …)'],
    [rubricPrompt !== undefined, 'its rubricPrompt is not used: graders have prompts/grader.md'],
    [isTemplate, 'its value holds template code that was not filled in'],
  ];
  return parts.flatMap(([isLost, text]) => (isLost ? [text] : []));
}

/** Fills in plain names only, because a template language could run code. An object is left to the reader: promptfoo writes it differently. */
function fillValue(value: unknown, vars: Vars): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => fillValue(one, vars));
  return typeof value === 'string' ? fillNames(value, vars, true) : value;
}

/** Names that promptfoo fills in itself. */
const OWN_NAME = /^(?:env|_conversation|loop|range|cycler|joiner)\b/;

/** `isPlain`: an object stays a name. A name of nothing is filled in by nothing, as promptfoo does it. */
export function fillNames(text: string, vars: Vars, isPlain = false): string {
  return text.replaceAll(/\{\{-?\s*([\w.]+)\s*-?\}\}/g, (whole, name: string) => {
    const value = lookUp(name, vars);
    if (value === undefined) return OWN_NAME.test(name) || /\{%/.test(text) ? whole : '';
    if (isPlain && typeof value === 'object') return whole;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** A name with dots leads into an object, as `item.question` does. */
function lookUp(name: string, vars: Vars): unknown {
  if (Object.hasOwn(vars, name)) return vars[name];
  return name.split('.').reduce<unknown>((found, key) => {
    return isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }, vars);
}
