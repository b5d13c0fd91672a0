/** The `subject:` and `user:` of `scenario.yaml`: the agent under evaluation, and its user. */
import { z } from 'zod';

/** The field that each kind of subject needs, and that only it may have. */
const NEEDS = {
  model: 'model',
  command: 'command',
  http: 'url',
  openai: 'base_url',
  recorded: 'traces',
  plugin: 'plugin',
} as const;
const KINDS = ['model', 'command', 'http', 'openai', 'recorded', 'plugin'] as const;

const COMMAND = 'expected a list, such as [python3, agent.py]';
const ADDRESS = 'expected an address that begins with http:// or https://';

export const SubjectBrief = z
  .strictObject({
    kind: z.enum(KINDS).default('model'),
    /** `model`: a model of the Messages API, with the scenario's tools; `openai`: as its endpoint names it. */
    model: z.string().min(1).optional(),
    max_tokens: z.int().positive().default(4096),
    /** `command`: a program and its arguments, started in the scenario's folder; it speaks JSON lines (docs/subjects.md). */
    command: z.array(z.string().min(1), COMMAND).min(1, COMMAND).optional(),
    /** `http`: an endpoint that is sent the whole conversation and answers with the next turn. */
    url: z.url({ protocol: /^https?$/, error: ADDRESS }).optional(),
    /** `openai`: any Chat Completions endpoint; `/chat/completions` is appended. */
    base_url: z.url({ protocol: /^https?$/, error: ADDRESS }).optional(),
    /** `openai`: name of the environment variable that holds the key; without it none is sent. */
    key: z.string().min(1).optional(),
    /** `openai`: whether its answers are streamed. */
    stream: z.boolean().optional(),
    /** `openai`: US dollars per million tokens; without it the cost is unknown. `cached`: input read from a cache. */
    price: z
      .strictObject({
        input: z.number().nonnegative(),
        output: z.number().nonnegative(),
        cached: z.number().nonnegative().optional(),
      })
      .optional(),
    /** `http` and `openai`: header -> name of the environment variable that holds its value, so that scenarios contain no secrets. */
    headers: z.record(z.string(), z.string()).optional(),
    /** `command`: names of the environment variables that the program gets in addition to PATH and HOME. */
    env: z.array(z.string()).optional(),
    /** `recorded`: folder of the scenario with `<sample>.<trial>.jsonl`, as an iteration leaves them in `traces/`. */
    traces: z.string().min(1).optional(),
    /** `plugin`: one of `subjects` in the project's `tandem.config.ts`, and its options (docs/plugins.md). */
    plugin: z.string().min(1).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    /** Limits of one trial; a sample may have its own. */
    max_steps: z.int().positive().default(12),
    seconds: z.number().positive().default(120),
    usd: z.number().positive().optional(),
  })
  .superRefine((subject, context) => {
    for (const kind of KINDS) {
      const key = NEEDS[kind];
      if (kind === subject.kind && subject[key] === undefined) {
        context.addIssue({ code: 'custom', path: [key], message: `a subject of the kind "${kind}" needs "${key}"` });
      }
      if (kind !== subject.kind && subject[key] !== undefined && !(key === 'model' && subject.kind === 'openai')) {
        const message = `"${key}" belongs to a subject of the kind "${kind}"; this one is "${subject.kind}"`;
        context.addIssue({ code: 'custom', path: [key], message });
      }
    }
    if (subject.options !== undefined && subject.kind !== 'plugin') {
      const message = `"options" belongs to a subject of the kind "plugin"; this one is "${subject.kind}"`;
      context.addIssue({ code: 'custom', path: ['options'], message });
    }
    if (subject.kind === 'openai' && subject.model === undefined)
      context.addIssue({ code: 'custom', path: ['model'], message: 'a subject of the kind "openai" needs "model"' });
    for (const key of ['key', 'stream', 'price'] as const) {
      if (subject.kind === 'openai' || subject[key] === undefined) continue;
      const message = `"${key}" belongs to a subject of the kind "openai"; this one is "${subject.kind}"`;
      context.addIssue({ code: 'custom', path: [key], message });
    }
  });
export type SubjectBrief = z.infer<typeof SubjectBrief>;

/** Returns the subject's name in prompts, traces and reports. */
export function subjectName({ kind, model, command, url, base_url, traces, plugin }: SubjectBrief): string {
  if (kind === 'model') return model ?? '';
  if (kind === 'openai') return `openai: ${model} at ${base_url}`;
  return `${kind}: ${command?.join(' ') ?? url ?? traces ?? plugin}`;
}

/** Returns the subject's model of the Messages API; undefined for subjects of every other kind. */
export function messagesModel({ kind, model }: Pick<SubjectBrief, 'kind' | 'model'>): string | undefined {
  return kind === 'model' ? model : undefined;
}

const USERS = ['auto', 'scripted', 'none', 'model'] as const;
/**
 * `auto`: moves of its sample's menu, chosen by a small model where models are paid, else by rules · `scripted`: by rules
 * always · `none`: only its first message · `model`: simulated.
 */
export const UserKind = z.enum(USERS);
export type UserKind = z.infer<typeof UserKind>;

/** The user; `user: model` is short for `user: {simulator: model}`. */
export const UserBrief = z
  .preprocess(
    (user) => (typeof user === 'string' ? { simulator: user } : user),
    z.strictObject({
      simulator: UserKind.default('auto'),
      /** The model that plays the user, or chooses its moves; default: the subject's own model. */
      model: z.string().min(1).optional(),
      max_tokens: z.int().positive().default(1024),
    }),
  )
  .refine((user) => user.simulator === 'model' || user.simulator === 'auto' || user.model === undefined, {
    path: ['model'],
    message: 'only a user of the kind "model" or "auto" has a "model"',
  });
export type UserBrief = z.infer<typeof UserBrief>;

/** The smallest current model: it chooses the moves of a user where the subject's model is of the same family. */
const SMALL_MODEL = 'claude-haiku-5-5';

/** Returns the model that chooses the moves of an `auto` user; undefined where rules choose, because no models are paid. */
export function chooserModelName(
  { subject, user }: { subject: SubjectBrief; user: UserBrief },
  simulated: boolean,
): string | undefined {
  if (user.model !== undefined) return user.model;
  const own = messagesModel(subject);
  if (own === undefined || simulated) return undefined;
  return own.startsWith('claude-') ? SMALL_MODEL : own;
}

/** Returns the model that plays a user; undefined where neither user nor subject names one. */
export function userModelName({ subject, user }: { subject: SubjectBrief; user: UserBrief }): string | undefined {
  return user.model ?? messagesModel(subject);
}
