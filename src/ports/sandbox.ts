/** The sandbox port: generated code runs behind walls, one session at a time. */

export type SandboxOutcome =
  | { ok: true; value: unknown; args: unknown[] }
  | { ok: false; kind: 'threw' | 'timeout' | 'crashed' | 'bad_module' | 'too_large'; message: string };

/** A question to functions that only look: `name` of each module, so many times, on fresh arguments each time. */
export type Inquiry = { modules: readonly string[]; name: string; args: unknown[]; times: number };

export interface SandboxSession {
  /**
   * Calls the export `name` of `module` (path relative to the session's folder) with JSON arguments; a non-function
   * export is returned as it is. `args` in the outcome are the arguments as the function left them.
   * Contract: never throws for what the code does; kills the process group on timeout. An abort rejects with its reason.
   */
  call(module: string, name: string, args: unknown[], timeoutMs: number, signal: AbortSignal): Promise<SandboxOutcome>;
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
