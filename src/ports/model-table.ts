/** `config/models.yaml`: facts of each model known without a request, and some that the Models endpoint never gives. */
import { z } from 'zod';
import type { ModelFacts } from './model.ts';

const Price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_write: z.number().nonnegative(),
  cache_read: z.number().nonnegative(),
});

const ModelRow = z.strictObject({
  /** Other names of the same model: the dated ids. */
  aliases: z.array(z.string().min(1)).default([]),
  window: z.int().positive(),
  max_output: z.int().positive(),
  /** Absent while it is not published; such a model cannot be used, because its cost could not be limited. */
  price: Price.optional(),
  long_prompt: z.strictObject({ above: z.int().positive(), price: Price }).optional(),
  thinking: z.enum(['always', 'on', 'ask', 'budget']),
  bound_thinking: z.boolean(),
  forced_tool_choice: z.boolean(),
  prefill: z.boolean(),
  system_messages: z.boolean().default(false),
  task_budget: z.boolean().default(false),
  retires: z.iso.date().optional(),
});
export type ModelRow = z.infer<typeof ModelRow>;

export const ModelTable = z
  .strictObject({ version: z.literal(1), models: z.record(z.string().min(1), ModelRow) })
  .superRefine(({ models }, context) => {
    const taken = new Set(Object.keys(models));
    for (const [id, row] of Object.entries(models)) {
      for (const [index, alias] of row.aliases.entries()) {
        if (taken.has(alias)) {
          const path = ['models', id, 'aliases', index];
          context.addIssue({ code: 'custom', path, message: `${alias} names another model already` });
        }
        taken.add(alias);
      }
    }
  });
export type ModelTable = z.infer<typeof ModelTable>;

/** Finds the row of a model by its id or one of its aliases. */
export function findRow(table: ModelTable, model: string): ModelRow | undefined {
  if (Object.hasOwn(table.models, model)) return table.models[model];
  return Object.values(table.models).find((row) => row.aliases.includes(model));
}

/** Converts the prices to the port's form; undefined while they are not published. */
export function toPrice(row: ModelRow): ModelFacts['price'] | undefined {
  if (row.price === undefined) return undefined;
  const long = row.long_prompt;
  return {
    ...toRates(row.price),
    ...(long === undefined ? {} : { longPrompt: { above: long.above, ...toRates(long.price) } }),
  };
}

function toRates(price: z.infer<typeof Price>): Omit<ModelFacts['price'], 'longPrompt'> {
  return {
    input: price.input,
    output: price.output,
    cacheWrite: price.cache_write,
    cacheRead: price.cache_read,
  };
}
