import { expect, test } from 'vitest';
import { listCodes, proveHire } from './tool-hire.ts';

test('a checker that no longer minds when the last call comes first is doubted, and a sound one is not', async () => {
  const edit: [string, string] = ["trace.calls.at(-1)?.tool !== 'log_contact'", 'false'];
  expect(listCodes(await proveHire({ 'checkers/one-line.mjs': edit }))).toEqual(['checker-ignores-order one-line']);
  expect(listCodes(await proveHire())).toEqual([]);
});
