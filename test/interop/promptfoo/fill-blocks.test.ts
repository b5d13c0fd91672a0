import { expect, test } from 'vitest';
import { parseBlocks } from '../../../src/interop/promptfoo/fill-blocks.ts';

test('loops and conditions stand in each other, each with its other branch', () => {
  expect(parseBlocks('a{% for x in l.m[0] %}b{% if not c %}d{% else %}e{% endif %}{% else %}f{% endfor %}')).toEqual([
    'a',
    {
      ...{ kind: 'for', item: 'x', list: 'l.m[0]' },
      body: ['b', { kind: 'if', isNot: true, name: 'c', body: ['d'], otherwise: ['e'] }, ''],
      otherwise: ['f'],
    },
    '',
  ]);
});

test('a minus takes the spaces beside its tag', () => {
  expect(parseBlocks('a \n{%- if b -%} c {% endif %} d')).toEqual([
    'a',
    { kind: 'if', isNot: false, name: 'b', body: ['c '], otherwise: [] },
    ' d',
  ]);
});

test.each([
  '{% if a %}b',
  '{% endif %}',
  '{% if a %}b{% endfor %}',
  '{% if a == 1 %}b{% endif %}',
  '{% for a, b in c %}{% endfor %}',
  '{% set a = 1 %}',
  '{% else %}',
  '{% if a %}b{% else %}c{% else %}d{% endif %}',
])('%s is no block that is known here', (text) => {
  expect(parseBlocks(text)).toBeUndefined();
});
