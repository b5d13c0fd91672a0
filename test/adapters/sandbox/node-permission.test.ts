import { expect, test } from 'vitest';
import { openNodePermission } from '../../../src/adapters/sandbox/open-sandbox.ts';

test('names what it cannot stop', async () => {
  const sandbox = await openNodePermission();
  expect(sandbox.kind).toBe('node-permission');
  expect(sandbox.gaps.join('; ')).toContain('signals to other processes are not stopped');
  const stopsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  expect(sandbox.gaps.join('; ').includes('network')).toBe(!stopsNetwork);
});
