/** The events of a run, in the shapes of its journal. */
import { z } from 'zod';
import { Layer1Problem } from '../scenario/handoff.ts';
import { LayerCounts } from '../scenario/result.ts';

/** Rises with each change of the events: a run of a lower version continues, one of a higher waits for an update. */
export const MACHINE_VERSION = 9;

/** The limits of the run, copied so that the fold needs nothing else. */
export const RunLimits = z.strictObject({
  target: z.number(),
  gate: z.enum(['rate', 'lower-bound']),
  maxIterations: z.int(),
  maxRounds: z.int(),
  patience: z.int(),
  budgetUsd: z.number(),
});
export type RunLimits = z.infer<typeof RunLimits>;

/** The shape of an event's body: its type, and the fields of that type. */
export const defineBody = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** Labels that a person gives a run: `team: payments`. */
export const Labels = z.record(z.string().regex(/^[a-z][\w./-]{0,62}$/i), z.string().regex(/^[\w.:@/+-]{1,100}$/));
export type Labels = z.infer<typeof Labels>;

/** An agent's conversation in the step that ended: the number of its entries and their digest. */
export const StepTranscript = z.strictObject({
  agent: z.string(),
  step: z.string(),
  entries: z.int().nonnegative(),
  digest: z.string(),
});
export type StepTranscript = z.infer<typeof StepTranscript>;

/** Content outside the step's own folder that its end covers by a digest; events of older programs lack it. */
const STEP_END = {
  transcript: StepTranscript.optional(),
  /** The sha256 of each file that was in `handoffs/`. */
  handoffs: z.record(z.string(), z.string()).optional(),
};

/** The outcome of an iteration; its results are in `outputDir`. */
const ITERATION = {
  iteration: z.int(),
  round: z.int(),
  designDigest: z.string(),
  successRate: z.number(),
  lowerBound: z.number(),
  passed: z.int(),
  total: z.int(),
  unscored: z.int(),
  /** Set when the rate by itself does not say whether the target is met. */
  verdict: z.enum(['disputed', 'incomplete']).optional(),
  /** The passed samples with every doubtful verdict against the subject, and for it; missing without such verdicts. */
  passedRange: z.strictObject({ low: z.int(), high: z.int() }).optional(),
  /** The rules without a proof that keep the target from being met; missing where there are none. */
  unproven: z.array(z.string()).min(1).optional(),
  layers: LayerCounts,
  outputDir: z.string(),
  ...STEP_END,
};

/** Version of each part, besides the rules of the proof, that decides how trials are judged. */
const Judging = z.record(z.string(), z.string());

/** The repaired scenario.yaml that a resumed run took over: the digest of its copy, and what changed. */
const Taken = {
  scenarioDigest: z.string().optional(),
  changes: z.array(z.string()).optional(),
  /** Version of the proof's rules that the run takes over, in place of the one that it began with. */
  rules: z.int().optional(),
  /** The kind of user and the versions of what else judges, taken over in the same way. */
  user: z.literal('auto').optional(),
  judging: Judging.optional(),
};

export const EventBody = z.discriminatedUnion('type', [
  defineBody('run.created', {
    machineVersion: z.int(),
    scenario: z.string(),
    scenarioDigest: z.string(),
    configDigest: z.string(),
    limits: RunLimits,
    simulated: z.boolean(),
    /** The kind of user where the scenario names none; missing in older runs, whose users are scripted. */
    user: z.literal('auto').optional(),
    /** Version of the rules by which components are proven, until the run takes over another; absent: 1. */
    rules: z.int().optional(),
    /** Missing in runs from before they were recorded. */
    judging: Judging.optional(),
    /** Labels by which people find the run. */
    labels: Labels.optional(),
    /** `spoke`: when each agent ended its last step in the old run, whose prompt cache does not know the fork. */
    forkedFrom: z
      .strictObject({ run: z.string(), seq: z.int(), spoke: z.record(z.string(), z.iso.datetime()).optional() })
      .optional(),
  }),
  defineBody('run.started', {}),
  defineBody('design.done', {
    round: z.int(),
    digest: z.string(),
    packDigest: z.string(),
    rules: z.int(),
    need: z.int().default(1),
    ...STEP_END,
  }),
  defineBody('gate.decided', {
    gate: z.string(),
    round: z.int(),
    decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject']),
    /** The digest of the design that was decided on; on edit_approve `editedDigest` replaces it. */
    digest: z.string(),
    editedDigest: z.string().optional(),
    /** Folder of the edited design, relative to the run folder. */
    editedDir: z
      .string()
      .regex(/^design\/r[1-9]\d*-edited-[0-9a-f]{12}$/)
      .optional(),
    /** How long the answered page had been open; used to measure rubber-stamping. */
    shownMs: z.int().nonnegative().optional(),
    comment: z.string(),
    via: z.string(),
    nonce: z.string(),
  }),
  /** Undoes the decision with the nonce `undoes`: the gate waits again and keeps every other vote. */
  defineBody('gate.undone', {
    gate: z.string(),
    round: z.int(),
    undoes: z.string(),
    comment: z.string(),
    via: z.string(),
  }),
  /** Announces the first paid call after a decision, which can no longer be undone from here on. */
  defineBody('step.begun', { step: z.string() }),
  /** A reviewer's question about the design of a round, with its answer; it does not change the state of the run. */
  defineBody('chat.exchanged', {
    gate: z.string(),
    round: z.int(),
    question: z.string(),
    answer: z.string(),
    /** Files that were sent as text with the question. */
    files: z.array(z.string()),
    /** The lane of the exchange in `transcripts/chat.jsonl`. */
    lane: z.string(),
    entries: z.strictObject({ first: z.string(), last: z.string() }),
    calls: z.int().nonnegative(),
    usd: z.number().nonnegative(),
    via: z.string(),
    nonce: z.string(),
  }),
  /** A person's message to the agent that works on a step, which reads it before its next model call. */
  defineBody('agent.steered', {
    step: z.string(),
    text: z.string(),
    via: z.string(),
    nonce: z.string(),
    /** Files of the paused step as the person left them, under the agent's names; one without `text` was removed. */
    files: z.array(z.strictObject({ path: z.string(), text: z.string().optional() })).optional(),
  }),
  /** States that the agent has read the message of event `said` from `entry` of its transcript on. */
  defineBody('agent.heard', { step: z.string(), said: z.int().nonnegative(), entry: z.string() }),
  /** A comment of another agent or a colleague at a gate: shown to reviewers, hidden from the run's agents. */
  defineBody('gate.commented', {
    ...{ gate: z.string(), round: z.int(), digest: z.string(), comment: z.string() },
    /** The reviewer to whom a person hands the gate with this comment; who may decide it stays the same. */
    to: z.string().min(1).optional(),
  }),
  defineBody('gate.reminded', { gate: z.string() }),
  defineBody('gate.expired', { gate: z.string() }),
  defineBody('iteration.done', ITERATION),
  /** Returns the design to Init, and also ends the iteration. */
  defineBody('design.returned', { ...ITERATION, problems: z.array(Layer1Problem).min(1) }),
  defineBody('run.paused', { reason: z.enum(['user', 'budget', 'provider']), detail: z.string() }),
  /** `discarded`: the stored answer that is requested again, such as `init.0007`. */
  defineBody('run.resumed', { raiseUsd: z.number().optional(), discarded: z.string().optional(), ...Taken }),
  defineBody('run.cancelled', { detail: z.string() }),
  defineBody('step.failed', { step: z.string(), code: z.string(), message: z.string(), final: z.boolean() }),
  defineBody('run.retried', { discarded: z.string().optional(), ...Taken }),
]);
export type EventBody = z.infer<typeof EventBody>;

/** One file of `events/`. `hash` = sha256 of the canonical JSON of the rest; `prev` is the hash before it. */
export const RunEvent = z.strictObject({
  seq: z.int().nonnegative(),
  prev: z.string(),
  hash: z.string(),
  ts: z.string(),
  /** `user:ada`, `policy:demo`, `agent:init`, `agent:execute`, `worker:<name>`. */
  actor: z.string(),
  body: EventBody,
});
export type RunEvent = z.infer<typeof RunEvent>;

/** The input of the fold: an event without its position in the hash chain. */
export type UnchainedEvent<Body = EventBody> = { ts: string; actor: string; body: Body };
