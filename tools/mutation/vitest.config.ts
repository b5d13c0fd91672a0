/** The tests that must notice a fault in the pure rooms: their own, and the properties. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/transcript/**/*.test.ts',
      'test/context/**/*.test.ts',
      'test/context-lab/**/*.test.ts',
      'test/scenario/**/*.test.ts',
      'test/run/**/*.test.ts',
      'test/gate/rules/**/*.test.ts',
      'test/gate/notices/due-notices.test.ts',
      'test/properties/{context,run}*.test.ts',
    ],
    isolate: false,
    testTimeout: 20_000,
  },
});
