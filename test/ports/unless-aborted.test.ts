import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from '../../src/ports/unless-aborted.ts';

test('work is waited for until the signal ends the wait, at once where it was aborted before', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const ending = new AbortController();
  const waiting = unlessAborted(new Promise<never>(() => undefined), ending.signal);
  ending.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(unlessAborted(new Promise<never>(() => undefined), ending.signal)).rejects.toThrow('enough');
});
