import { expect, test } from 'vitest';
import { GUARD_UNREACHED } from '../../../src/scenario/proof-strength.ts';
import { listCodes, proveHire } from './tool-hire.ts';

const BUDGET = { seconds: 60, mutantsEach: 0 };

test.each([
  ['lost-luggage', ['checker-demands-path con-un-si', 'checker-demands-spelling con-un-si']],
  ['referrals', ['tool-guard-missing gebuehr_buchen']],
  ['club-dues', []],
])('components of %s that are sound are doubted for nothing but %j', async (scenario, expected) => {
  const proof = await proveHire({}, BUDGET, { scenario });
  const findings = (proof.strength?.findings ?? []).filter(({ code }) => code !== GUARD_UNREACHED);
  const codes = findings.map(({ code, component }) => `${code} ${component}`);
  expect([...listCodes(proof), ...codes].toSorted()).toEqual(expected);
});
