/** Loads `@anthropic-ai/sandbox-runtime`, which is optional, and finds out whether it has what it needs on this machine. */
import { HarnessError, messageOf } from '../../errors.ts';

export type Runtime = (typeof import('@anthropic-ai/sandbox-runtime'))['SandboxManager'];

const INSTALL: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'apt-get install bubblewrap socat ripgrep',
  darwin: 'brew install ripgrep',
};

/** Rejects with `sandbox_unavailable` and the command that mends it. */
export async function loadRuntime(): Promise<Runtime> {
  const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime').catch((cause: unknown) => {
    throw new HarnessError(
      'sandbox_unavailable',
      `The sandbox "runtime" needs a package that is not installed: npm install @anthropic-ai/sandbox-runtime (${messageOf(cause).split('\n')[0]}).`,
      { cause },
    );
  });
  if (process.platform === 'win32' || !SandboxManager.isSupportedPlatform())
    throw new HarnessError(
      'sandbox_unavailable',
      `The sandbox "runtime" is not made for ${process.platform} here: use quickjs.`,
    );
  const { errors } = SandboxManager.checkDependencies();
  if (errors.length === 0) return SandboxManager;
  const remedy = INSTALL[process.platform] ?? 'install them';
  throw new HarnessError(
    'sandbox_unavailable',
    `The sandbox "runtime" misses something: ${errors.join('; ')}. Install it: ${remedy}.`,
  );
}
