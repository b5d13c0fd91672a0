/** The flags of a CI job are checked before anything is begun. */
import { describe, expect, test } from 'vitest';
import { parseCiOptions } from '../../../src/cli/ci/ci.ts';

describe('flags of a CI job', () => {
  test('have quiet defaults', () => {
    expect(parseCiOptions({}, '/work')).toEqual({
      sliceMs: undefined,
      gateTimeoutMs: undefined,
      gateExitCode: 4,
      junit: undefined,
      baseline: undefined,
      traffic: { record: undefined, replay: undefined },
    });
  });

  test('are parsed with their units, and paths are made absolute', () => {
    const plan = parseCiOptions(
      { maxMinutes: '1.5', timeout: '45m', gateExitCode: '0', junit: 'j.xml', replay: 'rec' },
      '/a',
    );
    expect(plan).toMatchObject({ sliceMs: 90_000, gateTimeoutMs: 2_700_000, gateExitCode: 0, junit: '/a/j.xml' });
    expect(plan.traffic.replay).toBe('/a/rec');
  });

  test.each([
    [{ maxMinutes: '0' }, '--max-minutes "0"'],
    [{ maxMinutes: '40000' }, 'up to 34000'],
    [{ timeout: '45' }, '--timeout "45"'],
    [{ timeout: '0s' }, '--timeout "0s"'],
    [{ gateExitCode: '256' }, '--gate-exit-code "256"'],
    [{ gateExitCode: '-1' }, '0 to 255'],
  ])('are refused with the reason: %o', (options, message) => {
    expect(() => parseCiOptions(options, '/')).toThrow(message);
  });
});
