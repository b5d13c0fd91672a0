/** The one error class of all rooms: the code is the contract, and the message is for people. */

/** Stable codes that tests pin; `docs/internals/architecture.md` says what each means and what to do. */
export type ErrorCode =
  | 'usage' // the command line or an option is wrong
  | 'config_invalid' // a file that a person wrote cannot be used
  | 'not_found' // a scenario, run, gate or file that was named does not exist
  | 'version_mismatch' // a run folder of another major version
  | 'data_corrupt' // something persisted fails its schema or its hash
  | 'journal_conflict' // somebody else appended first: read again, decide again
  | 'event_refused' // the event does not fit the state of the run
  | 'gate_refused' // the decision does not fit the gate: stale, other digest, not allowed
  | 'protocol_violation' // a request that the Messages API would refuse; it was not sent
  | 'context_overflow' // the view cannot be made to fit; details hold what was tried
  | 'safety_limit_exceeded' // a transcript beyond the limits of the context policy
  | 'model_refused' // the API answered 4xx: sending it again cannot help
  | 'model_unavailable' // 429, 5xx, 529 or a broken stream: a later try may help
  | 'agent_stopped' // an agent ended without doing its step: step limit, refusal, no submission
  | 'attempt_lost' // another worker took this attempt over
  | 'budget_exceeded' // the next call could cost more than is left
  | 'sandbox_unavailable' // generated code cannot be confined on this machine
  | 'unsafe_policy' // an automatic approval outside of loopback
  | 'infrastructure'; // everything else that a later try may cure

type HarnessErrorOptions = { retryable?: boolean; details?: Record<string, unknown>; cause?: unknown };

export class HarnessError extends Error {
  override readonly name = 'HarnessError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Only ids, paths and numbers; never live objects or keys. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: HarnessErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

/** The error for a wrong call or command line, which is thrown most often. */
export function usageError(message: string, options?: HarnessErrorOptions): HarnessError {
  return new HarnessError('usage', message, options);
}

/** The error for a file of the configuration that cannot be used. */
export function createConfigError(message: string, cause?: unknown): HarnessError {
  return new HarnessError('config_invalid', message, { cause });
}

/** True for a `HarnessError`, and for the given code if one is named. */
export function isHarnessError(error: unknown, code?: ErrorCode): error is HarnessError {
  return error instanceof HarnessError && (code === undefined || error.code === code);
}

/** True for an error that declares itself retryable: no other is tried again. */
export function isRetryable(error: unknown): error is Error {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}

/** Describes a thrown value in one line for people: words instead of system codes, no names of temporary files. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .replace(SYSTEM_FAULT, (...[, said, path, target]: (string | undefined)[]) => {
      const place = (target ?? path)?.replace(TEMPORARY_NAME, '');
      return `${place === undefined ? '' : `${place}: `}${WORDS[said ?? ''] ?? said}`;
    })
    .replace(CONNECTION_FAULT, (_all, code: string, place: string) => `${place} ${CONNECTION[code] ?? code}`)
    .replace(/\bspawn (\S+) E[A-Z]+/g, '$1 cannot be started: no such program, or no right to it');
}

const CALLS =
  'open|read|write|l?stat|mkdir|mkdtemp|rename|rmdir|rm|unlink|scandir|opendir|copyfile|cp|link|symlink|readlink|realpath|access|close|f(?:data)?sync|chmod|ftruncate|watch';
const SYSTEM_FAULT = new RegExp(`\\bE[A-Z0-9]{2,}: ([a-z/ -]+), (?:${CALLS})\\b(?: '([^']*)'(?: -> '([^']*)')?)?`, 'g');
const TEMPORARY_NAME = /\/\.(?:tmp|tandem-probe)-[^/]*|\.new-\d+/g;
const WORDS: Readonly<Record<string, string>> = {
  'no such file or directory': 'not there, or its folder is not',
  'permission denied': 'no right to it',
  'operation not permitted': 'no right to it',
  'illegal operation on a directory': 'a folder, not a file',
  'not a directory': 'below something that is no folder',
  'file already exists': 'there already',
};

const CONNECTION_FAULT = /\b(?:connect|listen|bind|getaddrinfo) (E[A-Z_]+)(?:: [a-z ]+)? ([\w.:[\]-]*\w)/g;
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: nothing listens there',
  EADDRINUSE: 'is taken by another program',
  EACCES: 'may not be opened by this user',
  ENOTFOUND: 'is no known host',
  EAI_AGAIN: 'cannot be looked up now',
  ETIMEDOUT: 'does not answer',
};

/** Leaves out what the message of a full cap says is to be done, where the reader is told that in another way. */
export function leaveOutRemedy(message: string): string {
  return message.replace(/ Raise the cap with .*$/, '');
}

/** For what may be left out where it cannot be read: its cost is then undefined. With a code, only for that error. */
export function ignoreHarnessError(error: unknown, code?: ErrorCode): undefined {
  if (!isHarnessError(error, code)) throw error;
}
