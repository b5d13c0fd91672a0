/** One recorded run of another harness, in one shape whatever file and dialect it came from. */
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';

/** What a reward is made of; the names are those of tau2-bench. */
export const COMPONENTS = ['DB', 'ENV_ASSERTION', 'COMMUNICATE', 'ACTION', 'NL_ASSERTION'] as const;
export type Component = (typeof COMPONENTS)[number];

export type RecordedToolCall = { id: string; tool: string; args: JsonObject; by: 'assistant' | 'user' };

export type RecordedMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  calls: RecordedToolCall[];
  /** On tool messages: the call it answers, and whether the recording itself says that it is an error. */
  answers?: string;
  isError?: boolean;
  /** On messages of the subject, where the recording tells it. */
  costUsd?: number;
};

export type GoldCall = {
  tool: string;
  args: JsonObject;
  by: 'assistant' | 'user';
  /** Names of the arguments that count; undefined means those of the call that is compared. */
  compare: readonly string[] | undefined;
};

/** What the task asks for: all that a verdict depends on, besides what the subject did. */
export type RecordedTask = {
  /** Undefined where the task names none at all, which is not the same as an empty list. */
  gold: readonly GoldCall[] | undefined;
  mustSay: readonly string[];
  basis: readonly Component[];
  /** Names of the predicates on the end state; undefined where the task has no list of them. */
  assertions: readonly string[] | undefined;
  nlAssertions: number;
  goldDiff: readonly PatchOperation[] | undefined;
  /** What the user was told, where the recording keeps it. */
  instruction: string;
};

/** What the recording says the run was worth. */
export type RecordedReward = {
  reward: number;
  pass: boolean;
  components: Partial<Record<Component, number>>;
};

export type RecordedRun = {
  /** `file:line`, for messages. */
  at: string;
  dialect: 'tau1' | 'tau2';
  source: string;
  domain: string;
  model: string;
  taskId: string;
  trial: number;
  termination: string;
  messages: readonly RecordedMessage[];
  /** Undefined where the row says that there is nothing to fulfil. */
  task: RecordedTask | undefined;
  /** Lines about gold calls that raise when they are replayed; `writes` when a changing call raised. */
  goldErrors: readonly { message: string; writes: boolean }[];
  finalDiff: readonly PatchOperation[] | undefined;
  assertionResults: readonly boolean[] | undefined;
  recorded: RecordedReward;
  /** True for a whole result file, which never keeps the worlds: then its own verdict on them is taken over. */
  withoutWorlds: boolean;
  /** Gold calls that the recording itself was judged against, where it keeps them. */
  judgedAgainst?: readonly GoldCall[] | undefined;
};
