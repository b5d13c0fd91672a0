import { afterEach, expect, test, vi } from 'vitest';
import { loadRuntime } from '../../../src/adapters/sandbox-runtime/load-runtime.ts';

afterEach(() => vi.unstubAllEnvs());

test.skipIf(process.platform !== 'linux')(
  'what it misses on this machine is named with the command that installs it',
  async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(loadRuntime()).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringMatching(/misses something: .*apt-get install bubblewrap socat ripgrep/),
    });
  },
);
