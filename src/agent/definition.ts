/** `agents/<name>/agent.yaml`: everything in which one agent differs from another (S0.1). */
import { z } from 'zod';
import { SKILL_TOOL } from '../context/facts/active-skill.ts';
import type { Prompts } from '../context/core.ts';
import type { PluginPasses } from '../context/passes/cut-draft.ts';
import type { Policy } from '../context/policy.ts';
import type { SummaryFields } from '../context/summary/summary.ts';
import { MemoryLevel } from '../ports/memory.ts';
import { SUBAGENT_TOOL } from './tools/subagent.ts';
import type { Skill } from './skill.ts';

/**
 * A share of the model's real input window, or a number of tokens (S0.2). `auto` goes below it where the session is cheaper;
 * alone it has the number of the policy as its most.
 */
export const Trigger = z.union([
  z.literal('auto'),
  z.strictObject({ ratio: z.number().gt(0).lt(1), auto: z.boolean().optional() }),
  z.strictObject({ tokens: z.int().positive(), auto: z.boolean().optional() }),
]);
export type Trigger = z.infer<typeof Trigger>;

/** The policy's trigger with what an agent says of it. */
export function withTrigger(policy: Policy['trigger'], trigger: Trigger | undefined): Policy['trigger'] {
  if (trigger === undefined) return policy;
  if (trigger === 'auto') return { ...policy, auto: true };
  return { ...policy, ratio: undefined, tokens: undefined, ...trigger };
}

/** What an agent says instead of its policy; absent: the policy's number. */
export const ContextNumbers = z.strictObject({
  trigger: Trigger.optional(),
  keep_steps: z.int().positive().optional(),
  /** Of the target (S0.5). */
  keep_share: z.number().gt(0).lt(1).optional(),
});
export type ContextNumbers = z.infer<typeof ContextNumbers>;

const Written = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(/^[a-z][a-z0-9_-]*$/),
  model: z.string(),
  /** Goes on until the end of the turn where the model refuses to answer; absent: a refusal stops the step. */
  fallback_model: z.string().optional(),
  max_tokens: z.int().positive(),
  max_steps: z.int().positive(),
  reminders: z.int().nonnegative(),
  tools: z.array(z.string()).min(1),
  /**
   * For an agent that has `call_subagent`: what its sub-agents may use, and how long (S3.5). `agent` is the folder in `agents/`
   * with their own prompt and fields of a summary; without `model` they are of the agent's. Naming `skill` among the tools
   * gives them the agent's skills, `memory: true` its memory.
   */
  subagent: z
    .strictObject({
      agent: z
        .string()
        .regex(/^[a-z][a-z0-9_-]*$/)
        .default('subagent'),
      model: z.string().optional(),
      ...{ tools: z.array(z.string()), max_loops: z.int().positive(), memory: z.boolean().optional() },
    })
    .optional(),
  /** What it gets from the memory of earlier sessions at the beginning of a turn; absent: nothing (S3.12, S4.2). */
  memory: z
    .strictObject({
      limit: z.int().positive().max(20).default(5),
      tokens: z.int().positive().default(1000),
      level: MemoryLevel.default('session'),
    })
    .optional(),
  /** A folder of skills, relative to the project; absent: it has none, and no tool `skill` (S4.2). */
  skills: z
    .strictObject({
      folder: z.string().min(1),
      most: z.int().positive().max(50).default(20),
      tokens: z.int().positive().default(1500),
    })
    .optional(),
  context: z.strictObject({ policy: z.string(), ...ContextNumbers.shape }),
});

/** What a profile may change in addition to the model and the numbers of the context. */
export const AgentExtras = Written.pick({
  ...{ fallback_model: true, max_steps: true, reminders: true, tools: true },
  ...{ subagent: true, memory: true, skills: true },
}).partial();

/** A sub-agent is given nothing that its agent does not have. */
export const AgentDefinition = Written.superRefine(({ tools, subagent, memory, skills }, context) => {
  if (tools.includes(SUBAGENT_TOOL) && subagent === undefined)
    context.addIssue({
      ...{ code: 'custom', path: ['tools'] },
      message: `${SUBAGENT_TOOL} needs to know what sub-agents may use: add \`subagent: { tools: [read], max_loops: 10 }\``,
    });
  const refuse = (path: string, needs: string) =>
    context.addIssue({
      code: 'custom',
      path: ['subagent', path],
      message: `the agent itself has none: add \`${needs}\``,
    });
  if (subagent?.memory === true && memory === undefined) refuse('memory', 'memory: {}');
  if (subagent?.tools.includes(SKILL_TOOL) === true && skills === undefined) refuse('tools', 'skills: { folder: … }');
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** An agent as it runs: its definition, its texts, and its context policy, with all changes of the configuration. */
export type LoadedAgent = {
  definition: AgentDefinition;
  systemPrompt: string;
  policy: Policy;
  fields: SummaryFields;
  prompts: Prompts;
  /** Passes of plugins that the policy names; absent: none. */
  passes?: PluginPasses;
  /** Sorted by name; absent for an agent without a folder of skills. */
  skills?: readonly Skill[];
  /** Files of the project with tools that it or its sub-agents name; `dir` is absolute. Absent: none. */
  projectTools?: { dir: string; files: readonly { name: string; path: string }[] };
  /** Its sub-agents, and what it reads about them; absent for an agent that has none. */
  subagent?: { agent: LoadedAgent; strategy: string };
};
