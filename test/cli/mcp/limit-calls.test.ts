/** Calls at a time, for one caller and for all. */
import { expect, test } from 'vitest';
import { limitCalls } from '../../../src/cli/mcp/limit-calls.ts';

test('what is over the limit is refused at once, and an end makes room, a failed one too', async () => {
  const limit = limitCalls({ each: 2, all: 3 });
  const ends: (() => void)[] = [];
  const long = (): Promise<string> => new Promise((settle) => ends.push(() => settle('done')));
  const running = [limit('ada', long), limit('ada', long), limit('bob', long)];
  await expect(limit('ada', long)).rejects.toThrow('2 calls of ada are under way');
  await expect(limit('eve', long)).rejects.toThrow('3 calls are under way');
  for (const end of ends.splice(0)) end();
  expect(await Promise.all(running)).toEqual(['done', 'done', 'done']);
  const failing = limit('ada', () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await limit('ada', async () => 'again')).toBe('again');
});
