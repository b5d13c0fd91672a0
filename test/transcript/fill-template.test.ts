import { expect, test } from 'vitest';
import { fill } from '../../src/transcript/fill-template.ts';

test('fills every placeholder and leaves the rest as it is', () => {
  expect(fill('round {{round}} of {{name}} { {{round}} }\n', { round: 2, name: 'a' })).toBe('round 2 of a { 2 }');
});

test('a value with replacement patterns goes in word for word (T27)', () => {
  const hostile = "$& $` $' $1 {{round}}";
  expect(fill('<{{text}}>', { text: hostile, round: 1 })).toBe(`<${hostile}>`);
});

test('refuses a placeholder without a value, also one that only the prototype knows', () => {
  expect(() => fill('{{missing}}', {})).toThrow(/\{\{missing\}\}/);
  expect(() => fill('{{toString}}', {})).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
