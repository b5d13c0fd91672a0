/** What the flags of a run make of its configuration. */
import { expect, test } from 'vitest';
import { toConfigLayers } from '../../../src/cli/run/settings.ts';

test('--economy switches batches on, --live-after counts in minutes, and without flags the configuration decides', () => {
  expect(toConfigLayers({ economy: true, liveAfter: '90m' }, {}).flags).toMatchObject({
    economy: { on: true, live_after_minutes: 90 },
  });
  expect(toConfigLayers({}, {}).flags).toMatchObject({ economy: {} });
  expect(toConfigLayers({}, {}).flags).not.toHaveProperty('economy.on');
});

test('--policy is for every agent, and --sandbox and --allow-unsandboxed are passed on', () => {
  const { flags } = toConfigLayers({ policy: 'layered', sandbox: 'quickjs', allowUnsandboxed: true }, {});
  expect(flags).toMatchObject({
    sandbox: { use: 'quickjs', allow_unsandboxed: true },
    agents: { init: { policy: 'layered' } },
  });
});
