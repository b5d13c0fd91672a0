import { expect, test } from 'vitest';
import { fillTemplate } from '../../src/transcript/fill-template.ts';

test('fills every placeholder and leaves the rest as it is', () => {
  expect(fillTemplate('round {{round}} of {{name}} { {{round}} }\n', { round: 2, name: 'a' })).toBe(
    'round 2 of a { 2 }',
  );
});

test('a value with replacement patterns goes in word for word (T27)', () => {
  const hostile = "$& $` $' $1 {{round}}";
  expect(fillTemplate('<{{text}}>', { text: hostile, round: 1 })).toBe(`<${hostile}>`);
});

test('refuses a placeholder without a value, also one that only the prototype knows', () => {
  expect(() => fillTemplate('{{missing}}', {})).toThrow(/\{\{missing\}\}/);
  expect(() => fillTemplate('{{toString}}', {})).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
