/** Messages of the worker of QuickJS: its task, its questions and its answers. */
import type { HostCall } from '../sandbox/host-process.ts';
import type { ValueCache } from '../sandbox/shared-values.ts';

/** The module's function is called `times` times, each time in a fresh QuickJS, for `timeoutMs` in all; `keeps` are new values. */
export type WorkerQuestion = Omit<HostCall, 'keeps'> & {
  keeps: ReturnType<ValueCache['put']>;
  timeoutMs: number;
};

/**
 * `answers` is a JSON list. `over` is the reason why it is incomplete: QuickJS was interrupted, and this thread must not be
 * called again.
 */
export type WorkerAnswer = {
  answers: string;
  over?: { kind: 'timeout' | 'crashed'; message: string };
};

/** `engine`: QuickJS, compiled; `prelude`: the text of `prelude.js`, because the thread reads no file. */
export type WorkerData = { maxChars: number; memoryBytes: number; engine: object; prelude: string };
