/** QuickJS behind the walls of bubblewrap: one process for the tools of a session, and one for its checkers, answer all calls. */
import { realpath } from 'node:fs/promises';
import { isBuilt, ownFile, packageFolder } from '../../own-file.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { buildLaunch } from '../sandbox/bubblewrap.ts';
import { startHost, type Launch } from '../sandbox/host-process.ts';
import { MAX_CHARS, memoryCapsFor } from '../sandbox/limits.ts';
import { proveBubblewrap } from '../sandbox/open-sandbox.ts';
import { systemCallFilter } from '../sandbox/seccomp.ts';
import type { ProcessSettings } from './answer-lines.ts';
import { createQuickjsSession, findEngineFile, LONG_BUDGET, MB, PRELUDE } from './open-quickjs.ts';

const ENGINE_INSIDE = '/sandbox/engine.wasm';

/** The files of the program by their places inside. In the package it is one file; a checkout runs its sources. */
const PROGRAM: Readonly<Record<string, string>> = isBuilt
  ? { '/sandbox/worker.mjs': ownFile('adapters/quickjs/worker') }
  : {
      '/sandbox/src/adapters/quickjs': `${packageFolder()}/src/adapters/quickjs`,
      '/sandbox/src/adapters/sandbox': `${packageFolder()}/src/adapters/sandbox`,
      '/sandbox/node_modules/@jitl': `${packageFolder()}/node_modules/@jitl`,
      '/sandbox/node_modules/quickjs-emscripten-core': `${packageFolder()}/node_modules/quickjs-emscripten-core`,
    };
const ENTRY = isBuilt ? '/sandbox/worker.mjs' : '/sandbox/src/adapters/quickjs/worker.ts';

/** Rejects with `sandbox_unavailable` where bubblewrap does not work. */
export async function openQuickjsInBubblewrap(): Promise<Sandbox> {
  const walls = await proveBubblewrap();
  return {
    kind: 'bubblewrap',
    gaps: walls.gaps,
    open: async (dir) => {
      const real = await realpath(dir);
      return createQuickjsSession(real, () => startHost(buildQuickjsLaunch(walls, real)));
    },
  };
}

/** Nothing of the folder is visible: each question brings the source of its component. */
function buildQuickjsLaunch({ tools, isolation }: Awaited<ReturnType<typeof proveBubblewrap>>, dir: string): Launch {
  const { heapMb, nodeMb } = memoryCapsFor(dir);
  const settings: ProcessSettings = {
    maxChars: MAX_CHARS,
    memoryBytes: heapMb * MB,
    engine: ENGINE_INSIDE,
    prelude: PRELUDE,
  };
  const files = Object.entries({ '/sandbox/node': tools.node, [ENGINE_INSIDE]: findEngineFile(), ...PROGRAM });
  const own = ['--permission', '--allow-fs-read=/sandbox/*', '--conditions=browser', '--no-warnings', LONG_BUDGET];
  return buildLaunch(
    tools,
    { dir, visible: [] },
    {
      isolation,
      mounts: files.flatMap(([inside, path]) => ['--ro-bind', path, inside]),
      command: ['/sandbox/node', ...own, '--max-semi-space-size=1', ENTRY, JSON.stringify(settings)],
      filter: systemCallFilter('threads'),
      caps: { memoryMb: nodeMb, answersMany: true },
    },
  );
}
