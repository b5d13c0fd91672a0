/** Nightly tests are long by nature; each names the small test that runs in CI in its place. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every nightly test names a sibling that CI runs', () => {
  const files = globSync('test/nightly/**/*.test.ts');
  expect(files.length).toBeGreaterThan(10);
  const without = files.filter((path) => {
    const [, sibling = ''] =
      /Its small sibling in CI: (test\/(?:slow|wire)\/\S+\.test\.ts)\./.exec(readFileSync(path, 'utf8')) ?? [];
    return !existsSync(sibling);
  });
  expect(without).toEqual([]);
});
