import { expect, test } from 'vitest';
import { fillText, fillVars } from '../../../src/interop/promptfoo/fill-text.ts';

const VARS = { a: 'A b', list: ['x', 'y'], o: { k: { n: 1 } }, none: null, yes: true };

test.each([
  ['{{a}} {{ a | upper | trim }} {{- a -}}', 'A b A B A b'],
  ["{{list}} {{ list[1] }} {{ o.k.n }} {{ o['k'].n }} {{ list | length }} {{ o.k | dump }}", 'x,y y 1 1 2 {"n":1}'],
  ['{{none}}{{gone}}{# a remark #}{{yes}} {{a[0]}}', 'true A'],
])('%s is filled in', (text, made) => {
  expect(fillText(text, VARS)).toEqual({ text: made, isWhole: true });
});

test.each([
  '{{ a | title }}',
  '{{ a + 1 }}',
  '{% if a %}x{% endif %}',
  '{{ env.HOME }}',
  "{{ constructor.constructor('x')() }}",
])('%s is left as it stands', (text) => {
  expect(fillText(text, VARS)).toEqual({ text, isWhole: false });
});

test('an object is no exact value, and a name of nothing stays where a template may declare it', () => {
  expect(fillText('{{o}}', VARS, true)).toEqual({ text: '{{o}}', isWhole: false });
  expect(fillText('{{o}}', VARS)).toEqual({ text: '{"k":{"n":1}}', isWhole: true });
  expect(fillText('{{list}}', VARS, true).isWhole).toBe(true);
  expect(fillText('{% for b in c %}{{b}}{% endfor %}', VARS).text).toContain('{{b}}');
});

test('variables name each other; a circle ends, and what names nothing stays', () => {
  expect(fillVars({ a: '{{b}}!', b: '{{c}}', c: 'end', d: '{{gone}}', e: '{{e}}' })).toEqual({
    ...{ a: 'end!', b: 'end', c: 'end', d: '{{gone}}', e: '{{e}}' },
  });
});
