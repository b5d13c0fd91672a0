/** A GitHub workflow or composite action, read as YAML, with every job's steps in a row: for checks that run no step. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const Step = z.strictObject({
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type Step = z.infer<typeof Step>;

const Job = z.strictObject({
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  if: z.string().optional(),
  environment: z.string().optional(),
  'runs-on': z.string(),
  'timeout-minutes': z.int().positive(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'none'])),
  outputs: z.record(z.string(), z.string()).optional(),
  steps: z.array(Step).min(1),
});

export type Job = z.infer<typeof Job>;

const Inputs = z.record(
  z.string(),
  z.looseObject({ required: z.boolean().optional(), default: z.string().optional() }),
);

export const Workflow = z.looseObject({
  on: z.record(z.string(), z.looseObject({ inputs: Inputs })),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), Job),
});

export const Action = z.looseObject({
  inputs: Inputs,
  outputs: z.record(z.string(), z.looseObject({ value: z.string() })).optional(),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(Step).min(1) }),
});

export function readYaml<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> {
  return schema.parse(parse(readFileSync(path, 'utf8')));
}

/** What stands in `${{ … }}` anywhere below a value, and in an `if`, which is an expression as it is. */
export function expressionsIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  const bare = [...text.matchAll(/"if":"([^"]*)"/g)].map(([, expression = '']) => expression);
  return [...bare, ...[...text.matchAll(/\$\{\{\s*(.*?)\s*\}\}/g)].map(([, expression = '']) => expression)];
}

/** `steps.slice.outputs.status` and the like, out of an expression. */
export function referencesIn(expression: string): string[] {
  return [...expression.matchAll(/\b(?:steps|needs|inputs|secrets)\.[\w-]+(?:\.[\w-]+)*/g)].map(
    ([reference]) => reference,
  );
}
