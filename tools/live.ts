/** `npm run test:live`: asks the real API what no offline test can settle; without a key it says that it did not. */
import { spawnSync } from 'node:child_process';

if (!process.env['ANTHROPIC_API_KEY']) {
  console.log(
    'NOT RUN: ANTHROPIC_API_KEY is not set, so what only the real API can settle stays open (test/live/checks.ts).',
  );
} else {
  const { status } = spawnSync('vitest', ['run', '--project', 'live', ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
