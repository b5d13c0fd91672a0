/** A model that answers from a list, in memory: for tests of everything that calls one. */
import type { HarnessError } from '../../src/errors.ts';
import type { Model, ModelRequest, ModelResponse } from '../../src/ports/model.ts';

/** An answer, an error to reject with, or a function of the request (a promise that never settles: a call that hangs). */
export type ScriptedAnswer =
  | ModelResponse
  | HarnessError
  | ((request: ModelRequest) => ModelResponse | Promise<ModelResponse>);

/** Contract: that of the port. `requests` holds a copy of every request as it was when it came. */
export function scriptedModel(answers: readonly ScriptedAnswer[]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async call(request, signal) {
      signal.throwIfAborted();
      const answer = answers[requests.length];
      requests.push(structuredClone(request));
      if (answer === undefined) throw new Error(`The scripted model has no answer for request ${requests.length}.`);
      if (answer instanceof Error) throw answer;
      if (typeof answer !== 'function') return structuredClone(answer);
      return untilAborted(Promise.resolve(answer(request)), signal);
    },
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
