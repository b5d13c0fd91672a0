/** A package that is not installed is named with the command that installs it; every other fault stays what it is. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { optionalPackage } from '../src/optional-package.ts';

test('what is missing is named with its remedy', async () => {
  // Through a variable: a literal would be looked for before the test runs.
  const name = 'no-such-package-at-all';
  const missing = optionalPackage('A shared queue', 'bullmq ioredis', () => import(/* @vite-ignore */ name));
  await expect(missing).rejects.toMatchObject({
    code: 'config_invalid',
    message: 'A shared queue needs packages that are not installed. Install them with: npm install bullmq ioredis',
  });
  await expect(optionalPackage('It', 'x', () => Promise.reject(new Error('other')))).rejects.toThrow('other');
  expect(await optionalPackage('It', 'x', async () => 7)).toBe(7);
});

test('an optional package is a peer of the published one, and installed in a checkout at one version', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, Record<string, unknown>>;
  const optional = ['nodemailer', 'pg'];
  for (const name of optional) {
    expect(dependencies).not.toHaveProperty([name]);
    expect(peerDependenciesMeta?.[name]).toEqual({ optional: true });
    expect(String(devDependencies?.[name]).split('.')[0]).toBe(
      String(peerDependencies?.[name]).replace('^', '').split('.')[0],
    );
  }
});
