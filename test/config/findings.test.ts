/** Findings: each complaint of an error on its own, and all errors of a list in one refusal. */
import { expect, test } from 'vitest';
import { getFindingsExitCode } from '../../src/cli/run/preflight.ts';
import { collectFindings, toFindings, refuseErrors, type ConfigFinding } from '../../src/config/findings.ts';
import { HarnessError } from '../../src/errors.ts';

test('every line of a complaint is a finding at its own place', () => {
  const error = new HarnessError('config_invalid', 'a/b.yaml:3: x: wrong\nhttp://h: no file: at all');
  expect(toFindings(error, 'model')).toEqual([
    { level: 'error', where: 'a/b.yaml:3', what: 'x: wrong' },
    { level: 'error', where: 'model', what: 'http://h: no file: at all' },
  ]);
  expect(() => toFindings(new TypeError('a bug'), 'model')).toThrow(TypeError);
});

test('errors refuse together, warnings do not', async () => {
  const findings: ConfigFinding[] = [{ level: 'warning', where: 'w', what: 'small' }];
  expect(() => refuseErrors(findings)).not.toThrow();
  expect(await collectFindings(findings, 'x', () => Promise.resolve(1))).toBe(1);
  const fail = () => Promise.reject(new HarnessError('usage', 'no'));
  for (const where of ['a', 'b']) expect(await collectFindings(findings, where, fail)).toBeUndefined();
  expect(() => refuseErrors(findings)).toThrow(/^2 things are in the way; [^]*\nerror {4}a: no\nerror {4}b: no$/);
});

test('an endpoint out of reach is nobody’s mistake, and ends a check as it ends a run', () => {
  const [away] = toFindings(new HarnessError('model_unavailable', 'no connection'), 'model');
  const [wrong] = toFindings(new HarnessError('config_invalid', 'no such model'), 'model');
  if (away === undefined || wrong === undefined) throw new Error('nothing was found');
  expect([[], [away], [wrong], [away, wrong]].map(getFindingsExitCode)).toEqual([0, 6, 2, 2]);
});
