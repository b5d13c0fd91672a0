/** The user of one trial: scripted, a model, or silent; answers each message of the subject, and may call tools. */
import type { StopCause, UserChoice } from '../../scenario/trace.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';
import type { ToolRequest } from '../components/call-tool.ts';
import type { TrialCall } from '../components/trial-record.ts';

export type UserPrompt = {
  /** The message of the subject. */
  said: string;
  /** Runs a tool of the user. */
  act: (call: ToolRequest) => Promise<{ output: unknown; is_error: boolean }>;
  leftMs: number;
  /** False when the subject has called nothing since its user last spoke. */
  hasActed?: boolean;
  /** The calls of the talk so far. */
  calls?: readonly TrialCall[];
  /** Steps that the subject has left. */
  leftSteps?: number;
};

/** Without `says` the conversation is over. */
export type UserAnswer = {
  says: string | undefined;
  end?: { stop: StopCause; detail: string };
  /** How the turn was chosen, for the trace. */
  chosen?: UserChoice;
  usage: Usage;
  costUsd: number;
};

export type SimulatedUser = {
  answer(prompt: UserPrompt, signal: AbortSignal): Promise<UserAnswer>;
};

/** A user that says its first words and no more. */
export const silentUser: SimulatedUser = {
  answer: () => Promise.resolve({ says: undefined, usage: NO_USAGE, costUsd: 0 }),
};
