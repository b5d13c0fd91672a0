/** What the flags of a run make of its configuration. */
import { expect, test } from 'vitest';
import { toConfigLayers } from '../../../src/cli/run/settings.ts';
import { batchCommand } from '../../../src/cli/batch/batch.ts';
import { evaluateCommand } from '../../../src/cli/evaluate/evaluate.ts';
import { runCommand } from '../../../src/cli/run/run.ts';
import { makeProject, quietIo } from '../../support/project.ts';

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

test('--live-after without --economy is refused before anything begins, and not ignored', async () => {
  const project = await makeProject();
  const call = { io: quietIo(project.dir), signal: AbortSignal.timeout(60_000) };
  const refused = { code: 'usage', message: expect.stringContaining('add --economy') };
  const options = { liveAfter: '2h', yes: true };
  try {
    await expect(runCommand('small-desk', options, call)).rejects.toMatchObject(refused);
    await expect(batchCommand(['small-desk'], options, call)).rejects.toMatchObject(refused);
    await expect(evaluateCommand('small-desk', options, call)).rejects.toMatchObject(refused);
  } finally {
    await project.remove();
  }
});
