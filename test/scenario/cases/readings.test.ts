import { expect, test } from 'vitest';
import { isNumeric, isReading, listNames, listPlaces, Reading } from '../../../src/scenario/cases/readings.ts';

test('a reading is one of a closed list, and reads one thing', () => {
  expect(Reading.safeParse({ at: '/loans/{loan}/state' }).success).toBe(true);
  expect(Reading.safeParse({ added: '/charges', where: { kind: 'late' }, sum: 'cents' }).success).toBe(true);
  expect(Reading.safeParse({ calls: ['pay'], before: { tool: 'identify', answers: { ok: true } } }).success).toBe(true);
  expect(Reading.safeParse({ added: '/charges', sum: 'cents', field: 'kind' }).success).toBe(false);
  expect(Reading.safeParse({ added: 'charges' }).success).toBe(false);
  expect(Reading.safeParse({ when: 'x > 3' }).success).toBe(false);
});

test('entries and calls are counted, a field and an end are read as they are', () => {
  expect([{ added: '/a' }, { calls: 'pay' }, { changed: '/a', sum: 'b' }].map(isNumeric)).toEqual([true, true, true]);
  expect([{ at: '/a' }, { added: '/a', field: 'b' }].map(isNumeric)).toEqual([false, false]);
  expect([undefined, 'words' as const, { at: '/a' }].map(isReading)).toEqual([false, false, true]);
});

test('places and names are listed', () => {
  expect(listPlaces({ removed: ['/a', '/b'] })).toEqual(['/a', '/b']);
  expect(listNames('/loans/{loan}/{member}')).toEqual(['loan', 'member']);
});
