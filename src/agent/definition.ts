/** `agents/<name>/agent.yaml`: everything in which one agent differs from another (S0.1). */
import { z } from 'zod';
import type { Prompts } from '../context/core.ts';
import type { Policy } from '../context/policy.ts';
import type { SummaryFields } from '../context/summary.ts';

/** A share of the model's real input window, or a number of tokens (S0.2). */
export const Trigger = z.union([
  z.strictObject({ ratio: z.number().gt(0).lt(1) }),
  z.strictObject({ tokens: z.int().positive() }),
]);

export const AgentDefinition = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(/^[a-z][a-z0-9_-]*$/),
  model: z.string(),
  max_tokens: z.int().positive(),
  max_steps: z.int().positive(),
  reminders: z.int().nonnegative(),
  tools: z.array(z.string()).min(1),
  /** For an agent that has `call_subagent`: what its sub-agents may use, and how long (S3.5). */
  subagent: z.strictObject({ tools: z.array(z.string()), max_loops: z.int().positive() }).optional(),
  context: z.strictObject({ policy: z.string(), trigger: Trigger, keep_steps: z.int().positive() }),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** An agent as it runs: its definition, its texts, and its context policy with what configuration changed of both. */
export type LoadedAgent = {
  definition: AgentDefinition;
  systemPrompt: string;
  policy: Policy;
  fields: SummaryFields;
  prompts: Prompts;
};
