/** The messages between a command and the thread of a plugin. */
import type { Home } from '../../config/home.ts';

/** Kinds of plugins that can run in a thread, because their inputs and outputs are JSON. */
export type ThreadedKind = 'tools' | 'subjects';

export type ThreadSetup = { home: Home; kind: ThreadedKind; name: string };

export type ToThread =
  | { type: 'call'; id: number; what: 'call' | 'answer' | 'close'; args: readonly unknown[] }
  | { type: 'abort'; id: number; reason: string }
  | { type: 'ping' };

/** `json` is undefined when there is no value. */
export type FromThread =
  | { type: 'answered'; id: number; json: string | undefined }
  | { type: 'failed'; id: number; message: string }
  | { type: 'pong' };
