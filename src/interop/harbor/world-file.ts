/** The two files of ours in a task of Harbor: `world.json`, to act and to judge, and `origin.json`, to import it again. */
import { z } from 'zod';
import { Slug } from '../../scenario/brief.ts';
import { ToolSpec } from '../../scenario/component.ts';
import { GraderSpec } from '../../scenario/grader.ts';
import { Sample } from '../../scenario/sample.ts';
import { WorldServer } from '../../scenario/tool-servers.ts';

const World = z.record(z.string(), z.unknown());

/** A model that has a part in the task; the task's environment says where it is and with which key. */
const Player = { model: z.string().min(1), thinking: z.literal('adaptive').optional() };
const Prompt = z.string().min(1);

const Graders = z.strictObject({
  prompts: z.strictObject({ grader: Prompt, grader_void: Prompt, grader_order: Prompt, grader_padding: Prompt }),
  /** `counts`: proven, and confirmed by people's labels or let by the scenario; else its verdict is shown. */
  all: z.array(z.strictObject({ ...Player, grader: GraderSpec, counts: z.boolean() })).min(1),
});

export const HarborWorld = z.strictObject({
  version: z.literal(1),
  start: World,
  /** JSON Schema of every world. */
  schema: World,
  user: Sample.shape.user,
  /** `none`: it says its first words and no more. */
  user_answers: z.enum(['scripted', 'none', 'model']),
  /** Who plays a user that a model plays. */
  user_model: z.strictObject({ ...Player, prompt: Prompt, max_tokens: z.int().positive() }).optional(),
  /** Most actions of the agent. */
  steps: z.int().positive().optional(),
  /** The servers whose tools `tools/<name>.mcp.json` name. */
  servers: z.array(WorldServer).min(1).optional(),
  tools: z.array(
    ToolSpec.omit({ examples: true }).extend({
      /** Relative to the folder of components. */
      path: z.string(),
      by: z.enum(['subject', 'user']),
    }),
  ),
  /** Never in the image of the agent. */
  judge: z
    .strictObject({ sample: Sample, checkers: z.record(z.string(), z.string()), graders: Graders.optional() })
    .optional(),
});
export type HarborWorld = z.infer<typeof HarborWorld>;
/** `judge` of its file is there. */
export type JudgedWorld = HarborWorld & { judge: NonNullable<HarborWorld['judge']> };

/** What a task was made of. `files`: below `tests/world/`, with their sha256; of the samples only its own. */
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
