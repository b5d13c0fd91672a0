/** Types for a project's `tandem.config.ts`: plain functions by kind and name. Its author is trusted like the program itself. */
import type { Pass } from '../../context/passes/cut-draft.ts';
import type { HarnessError } from '../../errors.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import type { GraderAnswer, GraderSpec } from '../../scenario/grader.ts';
import type { Model } from '../model.ts';
import type { Notice } from '../notices.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ConversationStart, SubjectInput } from '../subject.ts';

/** Prefix of a plugin's plain name: `plugin:<name>`. */
export const PLUGIN_PREFIX = 'plugin:';

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

/** The question of `graders/<id>.yaml`, and the conversation as every grader reads it. */
export type PluginQuestion = Pick<GraderSpec, 'id' | 'question' | 'pass_when' | 'fail_when' | 'score' | 'metrics'> & {
  record: string;
};
/** Answers for graders: `model: plugin:<name>` in one, or `graders: { model: plugin:<name> }` in `scenario.yaml` for all. */
export type PluginGrader = (question: PluginQuestion, signal: AbortSignal) => GraderAnswer | Promise<GraderAnswer>;
/** Contract: `config_invalid` for a name that the project's plugins do not have. */
export type OpenGrader = (plugin: string) => Promise<(grader: GraderSpec) => Model>;

/** A channel for notices: `{ kind: plugin, plugin: <name>, options: {…} }` in `config/reviewers.yaml`. The same notice may come twice. */
export type PluginNotices = (notice: Notice, options: PluginOptions, signal: AbortSignal) => unknown;

/** A sandbox for generated code: `sandbox: { use: plugin:<name> }`. `shipped` opens the best one that Tandem has here. */
export type PluginSandbox = (shipped: () => Promise<Sandbox>) => Sandbox | Promise<Sandbox>;

/** Stores the lines of runs: their events, and what they spent. */
export type StoreLines = {
  /** Contract: durable when it resolves; false, and nothing written, where the number is taken or the one before it is missing. */
  append: (book: string, number: number, text: string) => boolean | Promise<boolean>;
  /** Returns every line of a book from that number on, in order. */
  read: (book: string, from: number) => readonly string[] | Promise<readonly string[]>;
  remove: (book: string) => unknown;
  close?: () => unknown;
};
/**
 * A store: `store: { plugin: <name>, options: {…} }` in `tandem.yaml`, or `TANDEM_STORE=plugin:<name>`. It is the
 * source of truth for events and money; the other files of a run are only in its folder.
 */
export type PluginStore = (project: string, options: PluginOptions) => StoreLines | Promise<StoreLines>;

/** A pointer to work for a worker; the lowest `order` of a lane goes first. Items with the same lane and key are one. */
export type QueueItem = { lane: string; key: string; order: number; pointer: string };
/** `hold` names this holding, `starts` counts how often the item was taken since it was put. */
export type HeldItem = Pick<QueueItem, 'lane' | 'key' | 'pointer'> & { hold: string; starts: number };
/** Queue shared by processes. An item may get lost: workers look at every run again (`queue.reconcile_ms`). */
export type QueueItems = {
  /** Contract: replaces a waiting item with its key; if one is held, the new item is offered when that one is done. */
  put: (item: QueueItem) => unknown;
  /** Contract: one process gets an item and holds it for `holdMs`; then it is offered again. Undefined when none waits. */
  take: (lanes: readonly string[], holdMs: number) => HeldItem | undefined | Promise<HeldItem | undefined>;
  /** Holds it for `holdMs` from now. Contract: returns false and does nothing when it is no longer held. */
  renew: (hold: string, holdMs: number) => boolean | Promise<boolean>;
  /** Contract: nothing happens when it is no longer held. */
  done: (hold: string) => unknown;
  /** Lists the items that wait or are held. */
  list: () =>
    | readonly { lane: string; key: string; isHeld: boolean }[]
    | Promise<readonly { lane: string; key: string; isHeld: boolean }[]>;
  close?: () => unknown;
};
/** A queue that workers share: `queue: { plugin: <name>, options: {…} }` in the configuration, or `TANDEM_QUEUE=plugin:<name>`. */
export type PluginQueue = (project: string, options: PluginOptions) => QueueItems | Promise<QueueItems>;

export type TandemConfig = {
  passes?: Readonly<Record<string, PluginPass>>;
  tools?: Readonly<Record<string, PluginTool>>;
  subjects?: Readonly<Record<string, PluginSubject>>;
  graders?: Readonly<Record<string, PluginGrader>>;
  notices?: Readonly<Record<string, PluginNotices>>;
  sandboxes?: Readonly<Record<string, PluginSandbox>>;
  stores?: Readonly<Record<string, PluginStore>>;
  queues?: Readonly<Record<string, PluginQueue>>;
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
  const over = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([(async () => work())(), over]);
}
