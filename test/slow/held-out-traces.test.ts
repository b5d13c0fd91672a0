/** Its small sibling is `test/cli/interop/import-traces.test.ts`. */
import { test } from 'vitest';
import { checkHeldOutTraces } from '../cli/interop/check-held-out-traces.ts';

test('50 held-out traces: what is accepted proves itself, nothing is invented, no secret is written', async () => {
  await checkHeldOutTraces(50);
});
