/** The tests that must notice a fault in the context core: its own, and the properties. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/transcript/**/*.test.ts',
      'test/context/**/*.test.ts',
      'test/context-lab/**/*.test.ts',
      'test/properties/context*.test.ts',
    ],
    isolate: false,
    testTimeout: 20_000,
  },
});
