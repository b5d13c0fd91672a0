/** Types for a project's `tandem.config.ts`: plain functions by kind and name. Its author is trusted like the program itself. */
import { unlessAborted } from '../unless-aborted.ts';
import type { Pass } from '../../context/passes/cut-draft.ts';
import type { HarnessError } from '../../errors.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import type { ConversationStart, SubjectInput } from '../subject.ts';

/** Prefix of a plugin's plain name: `plugin:<name>`. */
export const PLUGIN_PREFIX = 'plugin:';

/** Earlier versions took a plugin in the place of a grader's model. */
export function describeRemovedGrader(name: string): string {
  return `"${name}": plugins in the place of a grader's model were removed: name a model (docs/graders.md), or write a checker.`;
}

/** The options given with a plugin's name. */
export type PluginOptions = Readonly<Record<string, unknown>>;

/** One pass of a context policy: `{ pass: plugin, plugin: <name>, options: {…} }`. It must not change what it is given. */
export type PluginPass = Pass<'plugin'>;

/** A tool for agents that runs in this process: `tools: [plugin:<name>]` in `agent.yaml`. */
export type PluginTool = Pick<ToolDefinition, 'description' | 'input_schema'> & {
  /** Seconds that one call may take; default 60. */
  seconds?: number | undefined;
  /** Returns text or JSON; an exception is a failed call. */
  run: (input: Record<string, unknown>, signal: AbortSignal) => unknown;
};

/** The same JSON as for a program (docs/subjects.md). */
export type PluginAnswer = {
  say?: string;
  calls?: { id?: string; tool: string; args?: Record<string, unknown> }[];
  done?: boolean;
  cost_usd?: number;
};
export type PluginConversation = {
  answer: (input: SubjectInput | { type: 'continue' }, signal: AbortSignal) => PluginAnswer | Promise<PluginAnswer>;
  close?: () => unknown;
};
/** A subject: `subject: { kind: plugin, plugin: <name>, options: {…} }` in `scenario.yaml`; opened for each trial. */
export type PluginSubject = (
  start: ConversationStart,
  options: PluginOptions,
) => PluginConversation | Promise<PluginConversation>;

export type TandemConfig = {
  passes?: Readonly<Record<string, PluginPass>>;
  tools?: Readonly<Record<string, PluginTool>>;
  subjects?: Readonly<Record<string, PluginSubject>>;
};

export type PluginKind = keyof TandemConfig;

export type Plugins = Required<TandemConfig> & {
  /** Name of the file in messages; undefined where the project has none. */
  file: string | undefined;
  /** Converts an error of a plugin, adding its name and the line of the project's code that threw. */
  fault: (kind: PluginKind, name: string, error: unknown) => HarnessError;
};

/** Gives the configuration its type, and returns it unchanged. */
export function defineConfig(config: TandemConfig): TandemConfig {
  return config;
}

/** Runs a plugin's code and rejects with the signal's reason when it fires, even if the code goes on. */
export async function callWithin<Value>(signal: AbortSignal, work: () => Value | Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  return unlessAborted((async () => work())(), signal);
}
