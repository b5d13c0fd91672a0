/** A refused request, and the type of every rule of the simulator. */

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error';

export type ApiError = {
  status: number;
  type: ErrorType;
  message: string;
  retryAfterSeconds?: number;
  /** `error.details.error_code` */ code?: string;
};

/** The finding of a rule: the message of a 400, an error of another kind, or nothing. */
export type RuleOutcome = string | ApiError | false | undefined;

/** Rules of the API by their ids, with which tests and the request log name them; they are checked in this order. */
export type Rules<Subject> = Readonly<Record<string, (subject: Subject) => RuleOutcome>>;

export type Refused = ApiError & { rule: string };

/** Finds the first rule of a stage that refuses; later rules may rely on earlier ones. */
export function firstRefusal<Subject>(rules: Rules<Subject>, subject: Subject): Refused | undefined {
  for (const [rule, check] of Object.entries(rules)) {
    const found = check(subject);
    if (found) return { ...(typeof found === 'string' ? invalidRequest(found) : found), rule };
  }
  return undefined;
}

/** Makes the 400 error that nearly every rule answers with. */
export function invalidRequest(message: string): ApiError {
  return { status: 400, type: 'invalid_request_error', message };
}

/** The body that the API sends with every status but 200, and inside a broken stream (docs/internals/api-rules.md §3). */
export function errorBody(refusal: ApiError, requestId: string): Record<string, unknown> {
  return {
    type: 'error',
    error: {
      type: refusal.type,
      message: refusal.message,
      ...(refusal.code === undefined ? {} : { details: { error_code: refusal.code } }),
    },
    request_id: requestId,
  };
}
