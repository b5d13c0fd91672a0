import { expect, test } from 'vitest';
import { formatReading } from '../../../src/scenario/cases/readings.ts';

test('each kind of reading is one plain sentence', () => {
  expect(formatReading('words')).toBe('shown by words, which checkers judge');
  expect(formatReading({ at: '/loans/{loan}/state' })).toBe('read as what /loans/{loan}/state holds at the end');
  expect(formatReading({ added: '/charges', where: { kind: 'late' }, sum: 'cents' })).toBe(
    'read as the sum of cents of what was added under /charges with kind late',
  );
  expect(formatReading({ removed: ['/a', '/b'] })).toBe('read as the number of what was removed from /a and /b');
  expect(formatReading({ changed: '/a', field: 'day' })).toBe('read as day of what was changed at /a');
  expect(formatReading({ calls: 'read', before: { tool: 'identify', answers: { ok: true } } })).toBe(
    'read as the number of calls of read before identify answered ok true',
  );
});
