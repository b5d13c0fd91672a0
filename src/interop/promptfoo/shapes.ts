/** The parts of a promptfoo configuration that can become samples; everything else is reported as a gap. */
import { z } from 'zod';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { valueAt } from '../../scenario/json/patch.ts';
import { withFiles, type ReadSuiteFile } from './suite-files.ts';

export const PromptfooAssert = z.looseObject({
  type: z.string(),
  /** The assertions of an `assert-set`. */
  get assert() {
    return z.array(PromptfooAssert).optional();
  },
  value: z.unknown().optional(),
  metric: z.string().optional(),
  weight: z.number().optional(),
  transform: z.unknown().optional(),
  threshold: z.unknown().optional(),
  provider: z.unknown().optional(),
  rubricPrompt: z.unknown().optional(),
});
export type PromptfooAssert = z.infer<typeof PromptfooAssert>;

const ELSEWHERE = 'tests from a script, an address or a file that is not there must be put in first';

const TestShape = {
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(PromptfooAssert).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  threshold: z.number().optional(),
  options: z.looseObject({ disableVarExpansion: z.boolean().optional(), transform: z.unknown().optional() }).optional(),
};
const Test = z.looseObject(TestShape, `expected a test; ${ELSEWHERE}`);
export type PromptfooTest = z.infer<typeof Test>;

const Prompt = z.union([
  z.string(),
  z.looseObject({ raw: z.string().optional(), id: z.string().optional(), label: z.string().optional() }),
]);

const Config = z.looseObject({
  description: z.string().optional(),
  prompts: z.union([z.string(), z.array(Prompt)], 'expected a prompt, or a list of prompts').optional(),
  defaultTest: z.looseObject(TestShape).optional(),
  tests: z
    .array(Test, {
      error: ({ input }) =>
        input === undefined
          ? 'it has no tests: a suite that makes them (red team, dataset) must have made them first'
          : `expected a list of tests; ${ELSEWHERE}`,
    })
    .min(1),
});
/** `read`: reads a file next to the suite. */
export function promptfooConfig(read: ReadSuiteFile = () => undefined) {
  return z.preprocess((raw) => withFiles(withoutReferences(raw), read), Config);
}
export type PromptfooConfig = z.infer<typeof Config>;

/** Types that `checkers/asserts.mjs` checks without a model; each may also begin with `not-`. */
const KNOWN_ASSERTS = [
  'equals',
  'contains',
  'icontains',
  'contains-any',
  'contains-all',
  'icontains-any',
  'icontains-all',
  'starts-with',
  'regex',
  'is-json',
  'contains-json',
] as const;

export function isKnownAssert(type: string): boolean {
  return KNOWN_ASSERTS.some((known) => known === type.replace(/^not-/, ''));
}

/** The suite's own code; only inline code is imported. */
export function isCodeAssert(type: string): boolean {
  return type === 'javascript' || type === 'not-javascript';
}

/** The longest chain of references; a longer one is a cycle. */
const DEEPEST = 20;

/** Replaces `{$ref: '#/assertionTemplates/short'}` by its target; an unresolved reference stays, and is refused later. */
export function withoutReferences(config: unknown): unknown {
  const follow = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((one: unknown) => follow(one, depth));
    if (!isJsonObject(value)) return value;
    const { $ref: reference, ...rest } = value;
    if (typeof reference === 'string' && reference.startsWith('#/') && depth < DEEPEST) {
      const found = valueAt(config, reference.slice(1));
      if (isJsonObject(found)) return follow({ ...found, ...rest }, depth + 1);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, follow(one, depth)]));
  };
  return follow(config, 0);
}
