/** The time slice of a CI job: calls under way are kept, new ones are held back, and then everything stops. */
import { describe, expect, test } from 'vitest';
import { startTimeSlice } from '../../../src/cli/ci/time-slice.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const outer = () => new AbortController();
const stopped = (signal: AbortSignal) =>
  new Promise<void>((settle) => signal.addEventListener('abort', () => settle(), { once: true }));

describe('a time slice', () => {
  test('that is not asked for never ends', () => {
    const user = outer();
    const slice = startTimeSlice(undefined, user.signal);
    expect(slice.signal.aborted).toBe(false);
    user.abort(new Error('SIGINT'));
    expect(slice.signal.aborted).toBe(true);
    expect(slice.used()).toBe(false);
  });

  test('lets the call that is under way finish, so that nothing paid for is lost', async () => {
    const slice = startTimeSlice(5, outer().signal);
    const answer = Promise.withResolvers<ReturnType<typeof say>>();
    const model = slice.around(scriptedModel([() => answer.promise]));
    const call = model.call(contractRequest, slice.signal);
    await new Promise((settle) => setTimeout(settle, 30));
    expect(slice.signal.aborted).toBe(false);
    answer.resolve(say('paid'));
    expect(await call).toEqual(say('paid'));
    await stopped(slice.signal);
    expect(slice.used()).toBe(true);
  });

  test('begins no call after its end: who asks hears that all was stopped, and not that a model failed', async () => {
    const slice = startTimeSlice(5, outer().signal);
    const answer = Promise.withResolvers<ReturnType<typeof say>>();
    const inner = scriptedModel([() => answer.promise, say('never')]);
    const model = slice.around(inner);
    const first = model.call(contractRequest, slice.signal);
    await new Promise((settle) => setTimeout(settle, 30));
    const second = model.call(contractRequest, AbortSignal.timeout(1));
    await new Promise((settle) => setTimeout(settle, 20));
    answer.resolve(say('paid'));
    await first;
    await expect(second).rejects.toThrow('The time slice was used up');
    expect(inner.requests).toHaveLength(1);
  });

  test('gives up a call that takes longer than the grace', async () => {
    const slice = startTimeSlice(5, outer().signal, 10);
    const model = slice.around(scriptedModel([() => new Promise(() => undefined)]));
    await expect(model.call(contractRequest, slice.signal)).rejects.toThrow('The time slice was used up');
  });

  test('belongs to the user when the user stops first', async () => {
    const user = outer();
    const slice = startTimeSlice(5, user.signal);
    user.abort(new Error('SIGINT'));
    await new Promise((settle) => setTimeout(settle, 20));
    expect(slice.used()).toBe(false);
    slice.close();
  });
});
