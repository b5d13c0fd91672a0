/** `agents/<name>/agent.yaml`: everything in which one agent differs from another (S0.1). */
import { z } from 'zod';
import { SKILL_TOOL } from '../context/facts/active-skill.ts';
import type { Prompts } from '../context/core.ts';
import type { PluginPasses } from '../context/passes/cut-draft.ts';
import type { Policy } from '../context/policy.ts';
import type { SummaryFields } from '../context/summary/summary.ts';
import { MemoryLevel } from '../ports/memory.ts';
import { SUBAGENT_TOOL } from './tools/subagent.ts';
import { takeHeadByTokens, estimateText } from '../transcript/tokens.ts';

/**
 * A share of the model's real input window, or a number of tokens (S0.2). `auto` chooses a lower trigger where that
 * makes the session cheaper; alone, it is capped by the policy's number.
 */
export const Trigger = z.union([
  z.literal('auto'),
  z.strictObject({ ratio: z.number().gt(0).lt(1), auto: z.boolean().optional() }),
  z.strictObject({ tokens: z.int().positive(), auto: z.boolean().optional() }),
]);
export type Trigger = z.infer<typeof Trigger>;

/** Returns the policy's trigger with the agent's own setting applied. */
export function withTrigger(policy: Policy['trigger'], trigger: Trigger | undefined): Policy['trigger'] {
  if (trigger === undefined) return policy;
  if (trigger === 'auto') return { ...policy, auto: true };
  return { ...policy, ratio: undefined, tokens: undefined, ...trigger };
}

/** Context numbers that an agent sets itself; the policy's number applies where one is absent. */
export const ContextNumbers = z.strictObject({
  trigger: Trigger.optional(),
  keep_steps: z.int().positive().optional(),
  /** Share of the target (S0.5). */
  keep_share: z.number().gt(0).lt(1).optional(),
});
export type ContextNumbers = z.infer<typeof ContextNumbers>;

const Written = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(/^[a-z][a-z0-9_-]*$/),
  model: z.string(),
  /** Model that goes on until the turn ends when the agent's own refuses; without it a refusal stops the step. */
  fallback_model: z.string().optional(),
  max_tokens: z.int().positive(),
  max_steps: z.int().positive(),
  reminders: z.int().nonnegative(),
  /** Tokens of a turn, answers and tool results together, that the agent is to plan with; the API takes no less. */
  task_budget: z.int().min(20_000).optional(),
  tools: z.array(z.string()).min(1),
  /**
   * Tools and step limit of the sub-agents of an agent that has `call_subagent` (S3.5). `agent` is the folder in
   * `agents/` with their prompt and summary fields; without `model` they use the agent's. Listing `skill` among the
   * tools gives them the agent's skills, `memory: true` its memory.
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
  /** Memory of earlier sessions that the agent gets at the beginning of a turn; nothing when absent (S3.12, S4.2). */
  memory: z
    .strictObject({
      limit: z.int().positive().max(20).default(5),
      tokens: z.int().positive().default(1000),
      level: MemoryLevel.default('session'),
    })
    .optional(),
  /** A folder of skills, relative to the project; without it the agent has no skills and no tool `skill` (S4.2). */
  skills: z
    .strictObject({
      folder: z.string().min(1),
      most: z.int().positive().max(50).default(20),
      tokens: z.int().positive().default(1500),
    })
    .optional(),
  context: z.strictObject({ policy: z.string(), ...ContextNumbers.shape }),
});

/** Keys that a profile may change in addition to the model and the numbers of the context. */
export const AgentExtras = Written.pick({
  ...{ fallback_model: true, max_steps: true, reminders: true, task_budget: true, tools: true },
  ...{ subagent: true, memory: true, skills: true },
}).partial();

/** Refuses a sub-agent that is given anything its agent does not have. */
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

/** An agent as it runs: its definition, its texts and its context policy, with all changes of the configuration. */
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
  /** Project files of the tools that the agent or its sub-agents name; `dir` is absolute. None when absent. */
  projectTools?: { dir: string; files: readonly { name: string; path: string }[] };
  /** Its sub-agents' definition and the text it reads about them; absent for an agent without sub-agents. */
  subagent?: { agent: LoadedAgent; strategy: string };
};

export type Skill = {
  name: string;
  description: string;
  /** The only tools that it wants, in any spelling; undefined when it does not limit tools. */
  allowedTools: readonly string[] | undefined;
  body: string;
  /** Its folder. Absolute. */
  dir: string;
  /** The other files of the folder, relative to it. */
  files: readonly string[];
};

/** One line a skill; long descriptions lose their end, so that the first `most` skills are all named. */
export function skillLines(skills: readonly Skill[], { most, tokens }: { most: number; tokens: number }): string[] {
  const counted = skills.slice(0, most);
  const share = Math.floor(tokens / Math.max(1, counted.length));
  const lines = counted.map(({ name, description }) => `${name}: ${description.replaceAll(/\s+/g, ' ').trim()}`);
  const fits = lines.reduce((sum, line) => sum + estimateText(line), 0) <= tokens;
  const left = skills.length - counted.length;
  return [
    ...(fits ? lines : lines.map((line) => takeHeadByTokens(line, share))),
    ...(left > 0 ? [`(${left} more skills left out)`] : []),
  ];
}
