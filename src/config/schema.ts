/** `config/default.yaml` and the profiles over it: every setting that does not belong to an agent or a scenario. */
import { z } from 'zod';
import { AgentExtras, ContextNumbers } from '../agent/definition.ts';
import { SANDBOXES, describeBadSandbox } from '../ports/sandbox.ts';
import { ToolServersConfig } from './tool-servers.ts';
import { sharedAddress, type SharedAddress } from './shared-address.ts';
import type { Env } from './store.ts';

/** Policies that may answer in a person's place; the journal names the actor `policy:demo`. */
export const POLICIES = ['auto:demo'] as const;
/** `exit` (code 4), `wait`, `prompt`, or a policy. */
export const OnGate = z.enum(['exit', 'wait', 'prompt', ...POLICIES]);
export type OnGate = z.infer<typeof OnGate>;

export const SandboxChoice = z.enum(SANDBOXES, { error: ({ input }) => describeBadSandbox(input) });
export type SandboxChoice = z.infer<typeof SandboxChoice>;

export const AgentOverrides = z.strictObject({
  model: z.string().optional(),
  max_tokens: z.int().positive().optional(),
  /** Name of a file in config/context/. */
  policy: z.string().optional(),
  ...AgentExtras.shape,
  ...ContextNumbers.shape,
  /** `MAX_MESSAGE_HISTORY`, for a policy that limits messages (S3.2). */
  messages: z.int().min(10).max(100).optional(),
  /** `TANDEM_KEEP_TURNS`, for a policy that retains whole turns (S1.8). */
  keep_turns: z.int().positive().optional(),
});
export type AgentOverrides = z.infer<typeof AgentOverrides>;

/** `queue:` of config/default.yaml; the address may also come from TANDEM_QUEUE, which wins. */
const QueueConfig = z.strictObject({
  /** `redis://…`, `rediss://…`, `postgres://…`; absent: the queue in this process. */
  url: z.string().optional(),
  /** A worker that shows no sign of life for that long has lost its job; also the longest pause that it may make. */
  lock_ms: z.int().min(1000),
  /** How often workers look for jobs whose worker died. */
  stalled_ms: z.int().min(500),
  /** How often every run is checked for its next step, independent of the queue. */
  reconcile_ms: z.int().min(500),
  /** How often one job may be started at all, deaths of workers included: the ceiling on paid starts. */
  most_starts: z.int().positive(),
  /** Steps, and trials of samples, that run at the same time over all workers; 0 is no limit. */
  at_once: z.strictObject({
    init: z.int().nonnegative(),
    execute: z.int().nonnegative(),
    samples: z.int().nonnegative().default(0),
  }),
});
type QueueConfig = z.infer<typeof QueueConfig>;

const Name = z.string().regex(/^[\w.*:-]+$/, 'expected a name, in which * stands for anything');

export const LimitEntry = z.strictObject({
  /** The host of the API (`api.anthropic.com`), or `offline`. */
  provider: Name.default('*'),
  /** One limit for all models together that match, such as `claude-opus-*`. */
  model: Name,
  /** Number of calls at the same time. */
  concurrency: z.int().positive().optional(),
  requests_per_minute: z.int().positive().optional(),
  /** Input that is not read from the cache, plus output. */
  tokens_per_minute: z.int().positive().optional(),
});
export type LimitEntry = z.infer<typeof LimitEntry>;

const Retention = z.strictObject({ prune_after_days: z.number().positive().optional() }).default({});

const Session = z.strictObject({ budget_usd: z.number().positive() });

const Strength = z.strictObject({
  seconds: z.int().nonnegative().max(3600),
  mutants_each: z.int().positive().max(1000),
});

export const Config = z.strictObject({
  version: z.literal(1),
  /** `auto`: the API when ANTHROPIC_API_KEY is set, else the offline model. ANTHROPIC_BASE_URL always wins. */
  endpoint: z.enum(['auto', 'simulated']),
  on_gate: z.strictObject({ tty: OnGate, no_tty: OnGate }),
  samples_in_parallel: z.int().positive().max(64),
  /** Share of the trials that are judged again in fresh hosts. */
  judge_again: z.number().min(0).max(1).default(0.05),
  /** Limits of the work that measures the strength of a proof; with 0 seconds it is not measured. */
  strength: Strength.default({ seconds: 20, mutants_each: 80 }),
  /** Whether the bytes of each model call of a trial are stored next to its trace. */
  record_calls: z.boolean().default(true),
  /** Tries of one model call, and of one step of a run after a retryable failure. */
  retry: z.strictObject({
    call_tries: z.int().positive(),
    step_tries: z.int().positive(),
    min_delay_ms: z.int().nonnegative(),
    max_delay_ms: z.int().positive(),
    /** Total pause after tries that cost nothing, such as 529 or no connection, before `call_tries` counts them. */
    outage_minutes: z.number().nonnegative().optional(),
    /** Seconds that the API may stay silent, before an answer or within it. */
    timeout_seconds: z.int().positive(),
    /** Seconds that one whole answer may take; needed because pings prevent the silence timeout. */
    answer_seconds: z.int().positive(),
  }),
  sandbox: z.strictObject({ allow_unsandboxed: z.boolean(), use: SandboxChoice.optional() }),
  simulator: z.strictObject({ latency_ms: z.int().nonnegative() }),
  /** Limits of a provider's models, shared by all workers on one queue. */
  limits: z.array(LimitEntry).default([]),
  /** How runs are handed to workers. */
  queue: QueueConfig,
  /** Number of days after which `tandem runs prune` chooses a run that has ended. */
  retention: Retention,
  /** Budget of a session unless `tandem session --budget` sets another. */
  session: Session.default({ budget_usd: 5 }),
  /** Servers whose tools an agent may name as `mcp:<server>`. */
  mcp: ToolServersConfig.default({}),
  /** Changes that a profile makes to agents, by agent name. */
  agents: z.record(z.string(), AgentOverrides),
});
export type Config = z.infer<typeof Config>;

const Part = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) => schema.partial();

/** A profile, or a project's own `config/default.yaml`, names only its changes. */
export const ConfigLayer = z.strictObject({
  version: z.literal(1),
  endpoint: Config.shape.endpoint.optional(),
  on_gate: Part(Config.shape.on_gate).optional(),
  samples_in_parallel: Config.shape.samples_in_parallel.optional(),
  judge_again: z.number().min(0).max(1).optional(),
  strength: Part(Strength).optional(),
  record_calls: z.boolean().optional(),
  retry: Part(Config.shape.retry).optional(),
  sandbox: Part(Config.shape.sandbox).optional(),
  simulator: Part(Config.shape.simulator).optional(),
  /** Replaces the whole list: a profile with limits has no others. */
  limits: z.array(LimitEntry).optional(),
  queue: Part(QueueConfig).optional(),
  retention: Config.shape.retention.optional(),
  session: Session.optional(),
  mcp: ToolServersConfig.optional(),
  agents: Config.shape.agents.optional(),
});
export type ConfigLayer = z.infer<typeof ConfigLayer>;

export type QueueAddress = { kind: 'in-process' } | SharedAddress;

/** Contract: `usage` for an address that cannot be one; a password is never part of a message. */
export function chooseQueue(config: { queue: QueueConfig }, env: Env): QueueAddress {
  const text = env['TANDEM_QUEUE']?.trim() || config.queue.url;
  if (text === undefined) return { kind: 'in-process' };
  return sharedAddress('TANDEM_QUEUE', text, 'redis://host:6379, rediss://… or postgres://user@host/database');
}

/** The first matching entry counts; calls without one share a lane by model, for the provider's own pauses. */
export function findLimit(entries: readonly LimitEntry[], provider: string, model: string) {
  const found = entries.find((entry) => matchesPattern(entry.provider, provider) && matchesPattern(entry.model, model));
  return {
    lane: `${provider}/${found?.model ?? model}`,
    limit: {
      concurrency: found?.concurrency,
      requestsPerMinute: found?.requests_per_minute,
      tokensPerMinute: found?.tokens_per_minute,
    },
  };
}

function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
