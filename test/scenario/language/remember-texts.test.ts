import { expect, test } from 'vitest';
import { rememberTexts } from '../../../src/scenario/language/remember-texts.ts';

test('a text is read once, also when nothing was found in it', () => {
  const read: string[] = [];
  const find = rememberTexts((text) => {
    read.push(text);
    return text === 'b' ? undefined : text.toUpperCase();
  });
  expect(['a', 'b', 'a', 'b'].map(find)).toEqual(['A', undefined, 'A', undefined]);
  expect(read).toEqual(['a', 'b']);
});

test('what was read is forgotten before it fills the memory, and read again', () => {
  let reads = 0;
  const count = rememberTexts((text) => {
    reads += 1;
    return text.length;
  });
  const long = 'x'.repeat(200_000);
  expect([count(long), count('a'), count(long)]).toEqual([200_000, 1, 200_000]);
  expect(reads).toBe(2);
  expect([count('y'.repeat(60_000)), count(long), count('a')]).toEqual([60_000, 200_000, 1]);
  expect(reads).toBe(5);
});
