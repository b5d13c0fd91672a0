/** The sandbox port: generated code runs behind walls, one session at a time. */
import type { JsonObject } from '../scenario/json/json-value.ts';

export type SandboxOutcome =
  | { ok: true; value: unknown; args: unknown[] }
  | { ok: false; kind: 'threw' | 'timeout' | 'crashed' | 'bad_module' | 'too_large'; message: string };

/**
 * Keys to a value in the arguments that is, or was made of, a `base` which many calls have in common. A large base travels
 * once to each host and is named afterwards; what is other in the value is told. The base must never be changed.
 */
export type LargeArgument = { at: readonly string[]; base: JsonObject };

/** JSON values, one for each parameter. */
export type Arguments = readonly unknown[] | { args: readonly unknown[]; shared: readonly LargeArgument[] };

export function argumentsIn(given: Arguments): readonly unknown[] {
  return 'shared' in given ? given.args : given;
}

/** A question to functions that only look: `name` of each module, so many times, on fresh arguments each time. */
export type Inquiry = { modules: readonly string[]; name: string; args: Arguments; times: number };

export interface SandboxSession {
  /**
   * Calls the export `name` of `module` (path relative to the session's folder) with JSON arguments; a non-function
   * export is returned as it is. `args` in the outcome are the arguments as the function left them.
   * Contract: never throws for what the code does; kills the process group on timeout. An abort rejects with its reason.
   */
  call(module: string, name: string, args: Arguments, timeoutMs: number, signal: AbortSignal): Promise<SandboxOutcome>;
  /**
   * Outcomes by module, then by time; their `args` are empty. The arguments travel once, however many are asked.
   * Contract: as `call`, for each module; the time is for one answer.
   */
  askAll(inquiry: Inquiry, timeoutMs: number, signal: AbortSignal): Promise<SandboxOutcome[][]>;
  close(): Promise<void>;
}

export interface Sandbox {
  /** `bubblewrap` or `node-permission`; stands in every report. */
  readonly kind: string;
  /** What it cannot stop, in words for a report; empty when nothing is known. */
  readonly gaps: readonly string[];
  /** A session may read `dir` (absolute) and nothing else. */
  open(dir: string): Promise<SandboxSession>;
}
