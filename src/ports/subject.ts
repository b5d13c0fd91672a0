/** The subject port: the agent under evaluation, one conversation at a time, whatever it is made of. */
import type { TraceLine } from '../scenario/trace.ts';
import type { ToolDefinition, Usage } from '../transcript/message.ts';

export type SubjectCall = { id: string; tool: string; args: Record<string, unknown> };

/** Results stand in the order of the calls that they answer. */
export type SubjectInput =
  | { type: 'user'; text: string }
  | { type: 'results'; results: { id: string; tool: string; output: unknown; is_error: boolean }[] };

export type SubjectTurn = {
  /** Empty when it said nothing. */
  says: string;
  /** To be run in this order; with none, the user may answer. */
  calls: SubjectCall[];
  /** Set when the conversation ends here, whatever else it said; calls of such a turn are not run. */
  end?: { stop: Extract<TraceLine, { type: 'end' }>['stop']; detail?: string };
  /** It has not finished and hears nothing in between. */
  goesOn?: true;
  usage: Usage;
  costUsd: number;
};

export interface Conversation {
  /**
   * The next turn after what was heard; `undefined` only after a turn that goes on. Contract: what the subject does wrong,
   * and what cannot be reached, is a turn with an `end`; `infrastructure` means that nothing can be said about the subject.
   * An abort rejects with its reason.
   */
  next(heard: SubjectInput | undefined, leftMs: number, signal: AbortSignal): Promise<SubjectTurn>;
  close(): Promise<void>;
}

/** What every subject is told, and no more: nothing of the sample but what its user says. */
export type ConversationStart = { prompt: string; tools: readonly ToolDefinition[] };

export type CommandSubjectOptions = {
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Names of environment variables that it gets besides PATH and HOME: never all of ours, which hold keys. */
  env: readonly string[];
};

export type HttpSubjectOptions = {
  url: string;
  /** Header -> name of the environment variable that holds its value. */
  headers: Readonly<Record<string, string>>;
};

export interface SubjectHost {
  open(opening: ConversationStart): Promise<Conversation>;
}

/** The kinds of subject that are no model; the composition root says what is behind them. */
export interface SubjectHosts {
  command(options: CommandSubjectOptions): SubjectHost;
  http(options: HttpSubjectOptions): SubjectHost;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};
