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

/** A rule of the API; tests and the request log name it by its id. */
export type Rule<Subject> = { id: string; check: (subject: Subject) => ApiError | undefined };

export type Refused = ApiError & { rule: string };

/** Finds the first rule of a stage that refuses; later rules may rely on earlier ones. */
export function firstRefusal<Subject>(rules: readonly Rule<Subject>[], subject: Subject): Refused | undefined {
  for (const { id, check } of rules) {
    const refusal = check(subject);
    if (refusal !== undefined) return { ...refusal, rule: id };
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
