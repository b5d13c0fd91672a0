/** What the flags of a run make of its configuration. */
import { expect, test } from 'vitest';
import { toConfigLayers } from '../../../src/cli/run/settings.ts';

test('--policy is for every agent, and --sandbox and --allow-unsandboxed are passed on', () => {
  const { flags } = toConfigLayers({ policy: 'layered', sandbox: 'quickjs', allowUnsandboxed: true }, {});
  expect(flags).toMatchObject({
    sandbox: { use: 'quickjs', allow_unsandboxed: true },
    agents: { init: { policy: 'layered' } },
  });
});
