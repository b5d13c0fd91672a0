import { expect, test } from 'vitest';
import { fillText, fillVars } from '../../../src/interop/promptfoo/fill-text.ts';

const VARS = { a: 'A b', list: ['x', 'y'], o: { k: { n: 1 } }, none: null, yes: true };

test.each([
  ['{{a}} {{ a | upper | trim }} {{- a -}}', 'A b A B A b'],
  ["{{list}} {{ list[1] }} {{ o.k.n }} {{ o['k'].n }} {{ list | length }} {{ o.k | dump }}", 'x,y y 1 1 2 {"n":1}'],
  [`{{ list | join(', ') | upper }} {{ list | join(" ") }} {{ list | join }}`, 'X, Y x y xy'],
  ['{{none}}{{gone}}{# a remark #}{{yes}} {{a[0]}}', 'true A'],
])('%s is filled in', (text, made) => {
  expect(fillText(text, VARS)).toEqual({ text: made, isWhole: true });
});

test.each([
  '{{ a | title }}',
  '{{ a + 1 }}',
  "{{ a | upper('x') }}",
  '{% set b = a %}x',
  '{{ env.HOME }}',
  "{{ constructor.constructor('x')() }}",
])('%s is left as it stands', (text) => {
  expect(fillText(text, VARS)).toEqual({ text, isWhole: false });
});

test('an object is no exact value, and a name of nothing stays where a template may declare it', () => {
  expect(fillText('{{o}}', VARS, true)).toEqual({ text: '{{o}}', isWhole: false });
  expect(fillText('{{o}}', VARS)).toEqual({ text: '{"k":{"n":1}}', isWhole: true });
  expect(fillText('{{list}}', VARS, true).isWhole).toBe(true);
  expect(fillText('{% macro m(b) %}{{b}}{% endmacro %}', VARS).text).toContain('{{b}}');
});

test.each([
  ['{% for x in list %}{{ loop.index }} {{ x }}{% if loop.last %}.{% else %}, {% endif %}{% endfor %}', '1 x, 2 y.'],
  ['{% for x in gone %}{{ x }}{% else %}none of {{a}}{% endfor %}', 'none of A b'],
  ['{% if not none %}a{%- endif -%}  \n b{% if gone %}c{% endif %}', 'ab'],
  ['{% if yes %}{% for x in list %}{% for y in list %}{{x}}{{y}} {% endfor %}{% endfor %}{% endif %}', 'xx xy yx yy '],
])('the blocks of %s are filled in', (text, made) => {
  expect(fillText(text, VARS)).toEqual({ text: made, isWhole: true });
});

test.each(['{% for k in o %}{{k}}{% endfor %}', '{% for x in list %}{{x}}', '{% if a == 1 %}x{% endif %}'])(
  '%s is not taken for what it is not',
  (text) => {
    expect(fillText(text, VARS).isWhole).toBe(false);
  },
);

test('variables name each other; a circle ends, and what names nothing stays', () => {
  expect(fillVars({ a: '{{b}}!', b: '{{c}}', c: 'end', d: '{{gone}}', e: '{{e}}' })).toEqual({
    ...{ a: 'end!', b: 'end', c: 'end', d: '{{gone}}', e: '{{e}}' },
  });
});
