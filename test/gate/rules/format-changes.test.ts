import { expect, test } from 'vitest';
import { formatChanges } from '../../../src/gate/rules/format-changes.ts';
import { formatOf } from '../../support/designs.ts';

const BEFORE = formatOf();

test('says nothing without a change, and nothing on the first design', () => {
  expect(formatChanges(BEFORE, formatOf())).toEqual([]);
  expect(formatChanges(undefined, BEFORE)).toEqual([]);
});

test('tells tools and categories that came, went or became something else', () => {
  const now = formatOf({
    tools: [
      { name: 'lookup_order', purpose: 'finds an order by its number', changes_world: false },
      { name: 'verify_identity', purpose: 'asks for proof', changes_world: false },
    ],
    categories: [{ id: 'refunds', title: 'Refunds', samples: 12 }],
  });
  expect(formatChanges(BEFORE, now)).toEqual([
    'Tool verify_identity was added.',
    'Tool issue_refund was removed.',
    'Tool lookup_order: purpose was "finds an order", is "finds an order by its number".',
    'Category refunds: samples was "10", is "12".',
  ]);
});

test('tells the world property by property, and anything else about the schema in one sentence', () => {
  const more = formatOf({
    world: { type: 'object', properties: { orders: { type: 'array' }, cards: { type: 'array' } } },
  });
  expect(formatChanges(BEFORE, more)).toEqual(['World property cards was added.']);
  const strict = formatOf({
    world: { type: 'object', properties: { orders: { type: 'array' } }, additionalProperties: false },
  });
  expect(formatChanges(BEFORE, strict)).toEqual(['The world schema changed outside of its properties.']);
});

test('takes another order of keys for the same schema', () => {
  const one = formatOf({ world: { type: 'object', properties: { a: { type: 'string', title: 'A' } } } });
  const other = formatOf({ world: { type: 'object', properties: { a: { title: 'A', type: 'string' } } } });
  expect(formatChanges(one, other)).toEqual([]);
});

test('counts the lines of the prompt that came and went', () => {
  const now = formatOf({ subject_prompt: 'You are a desk clerk.\nNever refund twice.' });
  expect(formatChanges(BEFORE, now)).toEqual([
    "The subject's system prompt changed: 1 lines new, 0 gone (21 -> 41 characters).",
  ]);
});

test('cuts long values, never inside a character', () => {
  const [sentence] = formatChanges(
    BEFORE,
    formatOf({
      tools: [
        { name: 'lookup_order', purpose: '😀'.repeat(300), changes_world: false },
        BEFORE.tools[1] ?? { name: 'x', purpose: 'x', changes_world: false },
      ],
    }),
  );
  expect(sentence).toContain(`${'😀'.repeat(160)}…`);
  expect(sentence?.isWellFormed()).toBe(true);
});

test('says that the cases are others, and not how', () => {
  const cases = (values: string[]) =>
    formatOf({ cases: { attributes: { reason: values }, outcomes: { refund: ['yes', 'no'] }, impossible: [] } });
  expect(formatChanges(cases(['late', 'damaged']), cases(['late', 'damaged']))).toEqual([]);
  expect(formatChanges(cases(['late', 'damaged']), cases(['late', 'lost']))).toEqual([
    'The attributes and outcomes of the cases changed.',
  ]);
});

test('reads a world without properties', () => {
  const open = formatOf({ world: { type: 'object' } });
  expect(formatChanges(open, open)).toEqual([]);
  expect(formatChanges(open, BEFORE)).toEqual(['World property orders was added.']);
  const odd = formatOf({ world: { type: 'object', properties: null } });
  expect(formatChanges(odd, BEFORE)).toEqual(['World property orders was added.']);
});

test('counts the lines that went as well, and leaves 160 characters as they are', () => {
  const was = formatOf({ subject_prompt: 'a\nb\nc\nsame' });
  expect(formatChanges(was, formatOf({ subject_prompt: 'same\nd' }))[0]).toContain('1 lines new, 3 gone');
  const [first, second] = BEFORE.tools;
  const purpose = 'x'.repeat(160);
  const tools = [{ ...first, name: 'lookup_order', changes_world: false, purpose }, ...(second ? [second] : [])];
  expect(formatChanges(BEFORE, formatOf({ tools }))).toEqual([
    `Tool lookup_order: purpose was "finds an order", is "${purpose}".`,
  ]);
});
