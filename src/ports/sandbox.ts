/** The sandbox port: generated code runs isolated, one session at a time. */
import type { JsonObject } from '../scenario/json/json-value.ts';

/** `auto` means the best one available; any other is used or refused. */
export const SANDBOXES = ['auto', 'bubblewrap', 'quickjs'] as const;

/** Describes what is wrong with any other name. */
export function describeBadSandbox(name: unknown): string {
  return name === 'runtime' || String(name).startsWith('plugin:')
    ? `the sandbox "${String(name)}" was removed: use bubblewrap (Linux), or quickjs for JavaScript that needs the language alone`
    : `expected one of ${SANDBOXES.join(', ')}`;
}

export type SandboxOutcome =
  /** `is_error`: the tool answered that it failed. */
  | { ok: true; value: unknown; args: unknown[]; is_error?: true }
  /** `over_limit`: the arguments are too large to be sent, which says nothing about the code. */
  | {
      ok: false;
      kind: 'threw' | 'timeout' | 'crashed' | 'bad_module' | 'too_large' | 'over_limit';
      message: string;
    };

/**
 * Path to a value in the arguments that is `base`, or a changed copy of it. A large base that many calls share is sent
 * once to each host, and afterwards only by name with the edits. A base must never be changed.
 */
export type LargeArgument = { at: readonly string[]; base: JsonObject };

/** JSON values, one for each parameter. */
export type CallArguments = readonly unknown[] | { args: readonly unknown[]; shared: readonly LargeArgument[] };

export function listArguments(given: CallArguments): readonly unknown[] {
  return 'shared' in given ? given.args : given;
}

/**
 * `module` is relative to the session's folder; the time limit is for one answer. Calls of one `lane` form a
 * conversation, which its abort ends: a tool with its own state starts anew for each lane.
 */
export type SandboxCall = { module: string; name: string; args: CallArguments; timeoutMs: number; lane?: AbortSignal };

/** Calls functions that change nothing: `name` of each module, `times` times, with fresh arguments each time. */
export type RepeatedCalls = Omit<SandboxCall, 'module'> & { modules: readonly string[]; times: number };

export interface OpenSandbox {
  /**
   * Calls the export `name` with JSON arguments; an export that is no function is returned unchanged. `args` in the
   * outcome are the arguments as the function left them.
   * Contract: never throws for what the code does; kills the process group on timeout. An abort rejects with its reason.
   */
  call(call: SandboxCall, signal: AbortSignal): Promise<SandboxOutcome>;
  /**
   * Returns outcomes by module, then by time; their `args` are empty. The arguments are sent once for all modules.
   * Contract: as `call`, for each module.
   */
  askAll(inquiry: RepeatedCalls, signal: AbortSignal): Promise<SandboxOutcome[][]>;
  /** Digest of all files that the module can read, itself included. Undefined: not known, or it has other ways to know more. */
  digestModule?(module: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface Sandbox {
  /** `bubblewrap` or `node-permission`; every report shows it. */
  readonly kind: string;
  /** Attacks that it cannot stop, as text for a report; empty when none is known. */
  readonly gaps: readonly string[];
  /** Opens a session that may read `dir` (absolute) and nothing else. */
  open(dir: string): Promise<OpenSandbox>;
}
