import { expect, test } from 'vitest';
import { parseArithmetic } from '../../../src/scenario/cases/arithmetic.ts';

function compute(text: string, values: Record<string, unknown> = {}): number | undefined {
  const parsed = parseArithmetic(text);
  if (!parsed.ok) throw new Error(parsed.fault);
  return parsed.evaluate(values);
}

function faultIn(text: string): string | undefined {
  const parsed = parseArithmetic(text);
  return parsed.ok ? undefined : parsed.fault;
}

test('multiplication binds closer than addition, and brackets closer still', () => {
  expect(compute('2 + 3 * 4')).toBe(14);
  expect(compute('(2 + 3) * 4')).toBe(20);
  expect(compute('10 - 3 - 2')).toBe(5);
  expect(compute('-2 * -3')).toBe(6);
});

test('min and max take any number of parts, and attributes stand for their numbers', () => {
  expect(compute('min(200 * days_late, 3000)', { days_late: 4 })).toBe(800);
  expect(compute('min(200 * days_late, 3000)', { days_late: 20 })).toBe(3000);
  expect(compute('max(1, 5, 3)')).toBe(5);
});

test('the result is the nearest whole number, halves up, without the noise of fractions', () => {
  expect(compute('1999 * 15 / 100')).toBe(300);
  expect(compute('5 / 2')).toBe(3);
  expect(compute('29 / 100 * 100')).toBe(29);
});

test('without a number for an attribute, or by zero, there is no result', () => {
  expect(compute('2 * days')).toBeUndefined();
  expect(compute('2 * days', { days: 'many' })).toBeUndefined();
  expect(compute('2 / nothing', { nothing: 0 })).toBeUndefined();
});

test('faults say what is wrong and what there is instead', () => {
  expect(faultIn('if(late, 1, 2)')).toContain('uses if(…); there are only min and max, and a condition belongs in when');
  expect(faultIn('constructor(1)')).toContain('there are only min and max');
  expect(faultIn('0.5 * fee')).toContain('write whole numbers');
  expect(faultIn('2 *')).toContain('its end where a number or an attribute should be');
  expect(faultIn('(2 + 3')).toContain('lacks a closing bracket');
  expect(faultIn('2 3')).toContain('has 3 where it should end');
});
