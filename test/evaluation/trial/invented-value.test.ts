import { expect, test } from 'vitest';
import { findInventedValue } from '../../../src/evaluation/trial/invented-value.ts';

const KNOWN = 'order HW-2041, phone 555-123 45, mara@example.com, 1,250.00 EUR';

test.each([
  ['My zip code is 90210.', '90210'],
  ['It is HW-2042.', '2042'],
  ['我的邮编是１００１９１。', '100191'],
  ['Write to mara@example.org.', 'mara@example.org'],
])('%s invents %s', (text, value) => {
  expect(findInventedValue(text, KNOWN)).toBe(value);
});

test.each([
  'The order is HW 2041.',
  'Call 55512345, or 555 123 45.',
  'Write to Mara@Example.com, please.',
  'It was 1250 euros.',
  'There are 2 of us, at 5 pm on 12 May.',
])('%s invents nothing', (text) => {
  expect(findInventedValue(text, KNOWN)).toBeUndefined();
});
