import { describe, expect, test } from 'vitest';
import { openNodePermission } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { sandboxContract } from '../../contracts/sandbox.contract.ts';
import { attackCorpus } from './attack-corpus.ts';

sandboxContract('node-permission', openNodePermission);

describe('attacks on node-permission', () => {
  const { sandbox } = attackCorpus(openNodePermission);

  test('names what it cannot stop', () => {
    expect(sandbox().kind).toBe('node-permission');
    expect(sandbox().gaps.join('; ')).toContain('signals to other processes are not stopped');
    const stopsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
    expect(sandbox().gaps.join('; ').includes('network')).toBe(!stopsNetwork);
  });
});
