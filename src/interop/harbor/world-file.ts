/** Our two files in a Harbor task: `world.json`, to act and to judge, and `origin.json`, which says what the task was made of. */
import { z } from 'zod';
import { Slug } from '../../scenario/brief.ts';
import { ToolSpec } from '../../scenario/component.ts';
import { GraderSpec } from '../../scenario/grader.ts';
import { Sample } from '../../scenario/sample.ts';
import { WorldServer } from '../../scenario/tool-servers.ts';

const World = z.record(z.string(), z.unknown());

/** A model that takes part in the task; the task's environment contains its address and key. */
const Player = { model: z.string().min(1), thinking: z.literal('adaptive').optional() };
const Prompt = z.string().min(1);

const Graders = z.strictObject({
  prompts: z.strictObject({ grader: Prompt, grader_void: Prompt, grader_order: Prompt, grader_padding: Prompt }),
  /** `counts`: proven, and confirmed by labels or permitted by the scenario; else its verdict is only shown. */
  all: z.array(z.strictObject({ ...Player, grader: GraderSpec, counts: z.boolean() })).min(1),
});

export const HarborWorld = z.strictObject({
  version: z.literal(1),
  start: World,
  /** The JSON Schema of every world. */
  schema: World,
  user: Sample.shape.user,
  /** `none`: the user says its first message only. */
  user_answers: z.enum(['scripted', 'none', 'model']),
  /** The model that plays the user. */
  user_model: z.strictObject({ ...Player, prompt: Prompt, max_tokens: z.int().positive() }).optional(),
  /** The most actions of the agent. */
  steps: z.int().positive().optional(),
  /** The servers whose tools are named in `tools/<name>.mcp.json`. */
  servers: z.array(WorldServer).min(1).optional(),
  tools: z.array(
    ToolSpec.omit({ examples: true }).extend({
      /** The path relative to the folder of components. */
      path: z.string(),
      by: z.enum(['subject', 'user']),
    }),
  ),
  /** Never part of the agent's image. */
  judge: z
    .strictObject({ sample: Sample, checkers: z.record(z.string(), z.string()), graders: Graders.optional() })
    .optional(),
});
export type HarborWorld = z.infer<typeof HarborWorld>;
/** A world whose file contains `judge`. */
export type JudgedWorld = HarborWorld & { judge: NonNullable<HarborWorld['judge']> };

/** The origin of a task. `files`: below `tests/world/`, with their sha256; of the samples only the task's own. */
export const HarborOrigin = z.strictObject({
  version: z.literal(1),
  generator: z.string(),
  scenario: Slug,
  sample: Slug,
  /** Digests of the whole folders. */
  components: z.string(),
  design: z.string(),
  files: z.record(z.string(), z.string()),
});
export type HarborOrigin = z.infer<typeof HarborOrigin>;
