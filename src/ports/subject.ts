/** The subject port: the agent under evaluation, one conversation at a time, whatever it is made of. */
import type { WireExchange } from './model.ts';
import type { StopCause } from '../scenario/trace.ts';
import { NO_USAGE, type ToolDefinition, type Usage } from '../transcript/message.ts';

export type SubjectCall = { id: string; tool: string; args: Record<string, unknown> };

/** Results are in the order of the calls that they answer. */
export type SubjectInput =
  | { type: 'user'; text: string }
  | { type: 'results'; results: { id: string; tool: string; output: unknown; is_error: boolean }[] };

const MOST_SHOWN = 30_000;

/** A tool's result as the text that a model is shown. */
export function formatToolResult(output: unknown): string {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null');
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)} [… ${text.length} characters in all]`;
}

export type SubjectTurn = {
  /** Empty when the turn has no text. */
  says: string;
  /** Run in this order; without calls the user may answer. */
  calls: SubjectCall[];
  /** Set when the conversation ends here, whatever else the turn contains; its calls are not run. */
  end?: { stop: StopCause; detail?: string };
  /** It has not finished: its next turn follows without input. */
  goesOn?: true;
  usage: Usage;
  costUsd: number;
};

/** A turn in which nothing was said, and with which the conversation ends. */
export function stoppedTurn(stop: StopCause, detail: string): SubjectTurn {
  return { says: '', calls: [], end: { stop, detail }, usage: NO_USAGE, costUsd: 0 };
}

export interface Conversation {
  /**
   * The next turn, given the user's message or tool results; `undefined` after an unfinished turn. Contract: a fault
   * of the subject, and an unreachable one, is a turn with an `end`; `infrastructure` is no fault of the subject. An
   * abort rejects with its reason.
   */
  next(input: SubjectInput | undefined, leftMs: number, signal: AbortSignal): Promise<SubjectTurn>;
  close(): Promise<void>;
}

/** All that a subject receives: nothing of the sample but the words of its user. */
export type ConversationStart = {
  prompt: string;
  tools: readonly ToolDefinition[];
  /** Receives what passes between us and it, without headers and secrets. */
  onExchange?: (exchange: WireExchange) => void;
};

export type CommandSubjectOptions = {
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  /** Environment variables that it gets in addition to PATH and HOME: never all of ours, which contain keys. */
  env: readonly string[];
};

export type HttpSubjectOptions = {
  url: string;
  /** Header -> name of the environment variable that holds its value. */
  headers: Readonly<Record<string, string>>;
};

export type ChatCompletionsOptions = Pick<HttpSubjectOptions, 'headers'> & {
  /** `/chat/completions` is appended. */
  baseUrl: string;
  model: string;
  maxTokens: number;
  /** Name of the environment variable that holds the key. */
  key?: string;
  stream?: boolean;
  /** US dollars per million tokens. */
  price?: { input: number; output: number; cached?: number | undefined };
};

export type PluginSubjectOptions = { plugin: string; options: Readonly<Record<string, unknown>> };

export interface SubjectHost {
  open(opening: ConversationStart): Promise<Conversation>;
}

/** The kinds of subject that are no model; the composition root supplies them. */
export interface SubjectHosts {
  command(options: CommandSubjectOptions): Promise<SubjectHost>;
  http(options: HttpSubjectOptions): Promise<SubjectHost>;
  openai(options: ChatCompletionsOptions): Promise<SubjectHost>;
  /** Contract: `config_invalid` for a plugin that there is not. */
  plugin(options: PluginSubjectOptions): Promise<SubjectHost>;
}
