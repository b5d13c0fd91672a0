import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStoreSetting } from '../../src/config/project.ts';
import { scratch } from '../support/scratch.ts';

async function projectWith(store: string) {
  const project = await scratch();
  await writeFile(join(project, 'tandem.yaml'), `version: 1\nname: shop\nstore: ${store}\n`);
  return { project, shipped: '/nowhere' };
}

test("a project's own store counts where TANDEM_STORE is not set, and its password comes from a variable", async () => {
  const home = await projectWith('{ url: "postgres://me@db/shop?space=a", password_from: SHOP_PASSWORD }');
  expect(await readStoreSetting(home, { SHOP_PASSWORD: 'p@ss/word' })).toBe(
    'postgres://me:p%40ss%2Fword@db/shop?space=a',
  );
  expect(await readStoreSetting(home, { SHOP_PASSWORD: 'x', TANDEM_STORE: '' })).toBeUndefined();
  await expect(readStoreSetting(home, {})).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('SHOP_PASSWORD') as string,
  });
  await chmod(join(home.project, 'tandem.yaml'), 0o666);
  await expect(readStoreSetting(home, { SHOP_PASSWORD: 'x' })).rejects.toMatchObject({ code: 'config_invalid' });
});

test.each([
  ['{ url: "postgres://me:secret@db/shop" }', 'config_invalid'],
  ['{ url: "postgres://me@db/shop?password=secret" }', 'config_invalid'],
  ['{ url: "redis://db" }', 'usage'],
  ['{ url: "postgres://me@evil.example/x", password_from: ANTHROPIC_API_KEY }', 'config_invalid'],
])('a project cannot name the store %s', async (store, code) => {
  const home = await projectWith(store);
  await expect(readStoreSetting(home, { ANTHROPIC_API_KEY: 'sk-secret' })).rejects.toMatchObject({
    code,
    message: expect.not.stringMatching(/secret/) as string,
  });
});
