/** Runs next to untrusted code where only Node's permission model isolates it, and refuses by name what that leaves open. */
import { registerHooks } from 'node:module';

/** Modules of Node that reach neither out of the process nor into another one. All others are refused, known or not. */
const HARMLESS = new Set(
  ['assert', 'assert/strict', 'buffer', 'crypto', 'path', 'path/posix', 'path/win32', 'punycode', 'querystring']
    .concat(['string_decoder', 'timers', 'timers/promises', 'url', 'util', 'util/types'])
    .map((name) => `node:${name}`),
);

/** Members of the real `process` that code could reach: native code, other modules, signals, debuggers, other programs. */
const PROCESS_ESCAPES = [
  ['binding', '_linkedBinding', 'dlopen', 'getBuiltinModule', 'mainModule', 'moduleLoadList', 'report', 'permission'],
  ['kill', '_kill', 'abort', '_debugProcess', '_debugEnd', '_startProfilerIdleNotifier', '_stopProfilerIdleNotifier'],
  ['execve', 'chdir', 'umask', 'loadEnvFile', 'openStdin', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups'],
  ['initgroups', 'setSourceMapsEnabled', 'channel', 'send', 'disconnect', '_getActiveHandles', '_getActiveRequests'],
].flat();

const NETWORK = ['fetch', 'WebSocket', 'EventSource', 'localStorage', 'sessionStorage', 'Worker'];

/** Called by the host after it has saved what it needs itself; `host` is its URL. */
export function guardBuiltIns(host: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (!found.url.startsWith('node:') || HARMLESS.has(found.url) || context.parentURL === host) return found;
      throw new ReferenceError(
        `${found.url} is refused: Node's permission model alone does not confine it; install bubblewrap (package "bubblewrap")`,
      );
    },
  });
  const real = process;
  const refused = Object.fromEntries(PROCESS_ESCAPES.map((name) => [name, createRefusal(`process.${name}`)]));
  const { env, version, versions, platform, arch } = real;
  for (const name of PROCESS_ESCAPES) defineValue(real, name, refused[name]);
  for (const name of NETWORK) defineValue(globalThis, name, createRefusal(name));
  defineValue(globalThis, 'process', {
    ...refused,
    ...{ env, version, versions, platform, arch, argv: [], pid: 1, cwd: () => '/' },
    ...{ exit: real.exit.bind(real), nextTick: real.nextTick.bind(real), emitWarning: real.emitWarning.bind(real) },
  });
}

function createRefusal(name: string): () => never {
  // A function instead of an arrow, because some of the refused names are called with `new`.
  return function refused() {
    throw new ReferenceError(`${name} is refused: Node's permission model alone does not confine it`);
  };
}

function defineValue(object: object, name: string, value: unknown): void {
  if (Object.getOwnPropertyDescriptor(object, name)?.configurable === false) return;
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}
