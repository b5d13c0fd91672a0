import { expect, test } from 'vitest';
import { getOrCreate } from '../src/get-or-create.ts';

test('what is made for a key is made once, and what was taken out is made again', () => {
  const kept = new Map<string, { nth: number }>();
  let made = 0;
  const find = () => getOrCreate(kept, 'a', () => ({ nth: (made += 1) }));
  expect([find(), find()]).toEqual([{ nth: 1 }, { nth: 1 }]);
  kept.delete('a');
  expect(find()).toEqual({ nth: 2 });
});
