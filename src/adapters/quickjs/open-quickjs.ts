/** The sandbox of QuickJS: JavaScript that needs the language alone, on any machine, with nothing installed. */
import { realpath } from 'node:fs/promises';
import { HarnessError } from '../../errors.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { createSandboxSession } from '../sandbox/sandbox-session.ts';
import { startQuickjs } from './quickjs-host.ts';

export function openQuickjs(): Sandbox {
  return {
    kind: 'quickjs',
    gaps: [],
    open: async (dir) => {
      const real = await realpath(dir);
      return createSandboxSession(real, { javascript: () => startQuickjs(real), python: refusePython });
    },
  };
}

function refusePython(): Promise<never> {
  throw new HarnessError(
    'sandbox_unavailable',
    'Components in Python cannot run in QuickJS. Install bubblewrap (package "bubblewrap"), or have them written in JavaScript.',
  );
}
