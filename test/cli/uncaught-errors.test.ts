/** An error that nobody caught is Tandem's fault, unless the project's own settings threw it. */
import { expect, test } from 'vitest';
import { findConfigLine } from '../../src/cli/uncaught-errors.ts';

test.each([
  [
    'Error: no luck\n    at file:///p/tandem.config.ts:3:21\n    at ModuleJob.run (node:internal/modules)',
    'tandem.config.ts:3',
  ],
  ['Error: no luck\n    at setUp (/p/tandem.config.ts:12:9)', 'tandem.config.ts:12'],
  ['Error: no luck\n    at readPlan (file:///t/src/batch/plan.ts:3:1)\n    at /p/tandem.config.ts:3:21', undefined],
  ['no luck in tandem.config.ts:3', undefined],
])('%s', (stack, line) => expect(findConfigLine(stack)).toBe(line));
