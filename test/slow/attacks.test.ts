/** Every attack of the corpus succeeds in a process without walls and fails in the sandbox (0 of them get out). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQuickjs } from '../../src/adapters/quickjs/open-quickjs.ts';
import { openQuickjsInBubblewrap } from '../../src/adapters/quickjs/quickjs-in-bubblewrap.ts';
import { openBubblewrap } from '../../src/adapters/sandbox/open-sandbox.ts';
import { openConfined } from '../../src/app/open-sandbox.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { ATTACKS, type Attack } from '../adapters/sandbox/attack-table.ts';
import { closeTargets, FILES, openTarget, succeedsIn } from '../adapters/sandbox/attack-target.ts';
import { runBare } from '../adapters/sandbox/bare-process.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  process.env['SANDBOX_TEST_KEY'] = 'sk-ant-secret';
  sandbox = await openBubblewrap();
});
afterAll(async () => {
  delete process.env['SANDBOX_TEST_KEY'];
  await closeTargets();
});

describe(`${ATTACKS.length} attacks`, () => {
  test('are at least forty, in both languages', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ATTACKS.map(({ language, title }) => `${language} ${title}`)).size).toBe(ATTACKS.length);
  });

  test.each(ATTACKS.map((attack): [string, Attack] => [`${attack.language} ${attack.title}`, attack]))(
    '%s: not in the sandbox, but without it',
    async (_title, attack) => {
      const target = await openTarget();
      expect(await succeedsIn(sandbox, attack, target), 'in the sandbox').toBe(false);
      const bare = await runBare(join(target.dir, 'tools', FILES[attack.language]), attack.steps(target));
      expect(bare).toMatchObject({ ok: true });
      expect(bare.ok && (attack.succeeded?.(bare.value, target) ?? true), 'without it').toBe(true);
    },
  );
});

describe.each([
  ['QuickJS', () => Promise.resolve(openQuickjs())],
  ['QuickJS inside bubblewrap', openQuickjsInBubblewrap],
  ['bubblewrap as the user chooses it', () => openConfined({ choice: 'bubblewrap' })],
] satisfies [string, () => Promise<Sandbox>][])('the same attacks in %s', (_name, open) => {
  const javascript = ATTACKS.filter(({ language }) => language === 'javascript');

  test.each(javascript.map((attack): [string, Attack] => [attack.title, attack]))(
    '%s: not there either',
    async (_title, attack) => {
      expect(await succeedsIn(await open(), attack, await openTarget())).toBe(false);
    },
  );
});
