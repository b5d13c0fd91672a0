/** Two suites: the everyday one stays under a minute; the slow one kills processes and runs whole stories. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'everyday',
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**'],
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          // Real processes, servers and disks: a second try tells a fault of ours from a breath of the machine.
          retry: 1,
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
