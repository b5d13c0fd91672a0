/** One recorded run of another harness, in one shape for all files and dialects. */
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';

/** The components of a reward, with their names in tau2-bench. */
export const COMPONENTS = ['DB', 'ENV_ASSERTION', 'COMMUNICATE', 'ACTION', 'NL_ASSERTION'] as const;
export type RewardComponent = (typeof COMPONENTS)[number];

export type RecordedToolCall = { id: string; tool: string; args: JsonObject; by: 'assistant' | 'user' };

export type RecordedMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  calls: RecordedToolCall[];
  /** For tool messages: the id of the answered call, and whether the recording marks the answer as an error. */
  answers?: string;
  isError?: boolean;
};

export type GoldCall = Omit<RecordedToolCall, 'id'> & {
  /** Names of the arguments that are compared; undefined: those of the recorded call. */
  compare: readonly string[] | undefined;
};

/** The demands of a task: all data that a verdict depends on, except the subject's actions. */
export type RecordedTask = {
  /** Undefined when the task has no such list, which differs from an empty list. */
  gold: readonly GoldCall[] | undefined;
  mustSay: readonly string[];
  basis: readonly RewardComponent[];
  /** Names of the predicates on the end state; undefined where the task has no list of them. */
  assertions: readonly string[] | undefined;
  nlAssertions: number;
  goldDiff: readonly PatchOperation[] | undefined;
  /** The instruction of the user, where the recording contains it. */
  instruction: string;
};

/** A tool with such a name changes nothing, in all domains of both benchmarks. */
export function isReadingTool(name: string): boolean {
  return /^(get|find|list|search|check|calculate|think|view|show)_|^(calculate|think)$|^transfer_to_/.test(name);
}

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
  /** Undefined when the row has no demands. */
  task: RecordedTask | undefined;
  /** Errors of gold calls at their replay; `writes` when the failed call changes something. */
  goldErrors: readonly { message: string; writes: boolean }[];
  finalDiff: readonly PatchOperation[] | undefined;
  assertionResults: readonly boolean[] | undefined;
  /** The reward in the recording. */
  recorded: { reward: number; pass: boolean; components: Partial<Record<RewardComponent, number>> };
  /** True for a whole result file: it contains no worlds, so its own verdict on them is taken over. */
  withoutWorlds: boolean;
  /** Gold calls that the recording itself was judged against, where it contains them. */
  judgedAgainst?: readonly GoldCall[] | undefined;
};

/** Compared with 1 in the same way as in the benchmarks. */
export function isFullReward(reward: number): boolean {
  return reward >= 1 - 1e-6;
}
