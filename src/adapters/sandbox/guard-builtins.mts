/** Runs next to untrusted code where Node's permission model is the only wall: what that does not cover is refused by name. */
import { registerHooks } from 'node:module';

/** The modules of node that neither reach outside of the process nor into another one. All others are refused, known or not. */
const HARMLESS = new Set(
  ['assert', 'assert/strict', 'buffer', 'crypto', 'path', 'path/posix', 'path/win32', 'punycode', 'querystring']
    .concat(['string_decoder', 'timers', 'timers/promises', 'url', 'util', 'util/types'])
    .map((name) => `node:${name}`),
);

/** Of the real `process`, which code may still get hold of: native code, other modules, signals, debuggers, other programs. */
const REACHING = [
  ['binding', '_linkedBinding', 'dlopen', 'getBuiltinModule', 'mainModule', 'moduleLoadList', 'report', 'permission'],
  ['kill', '_kill', 'abort', '_debugProcess', '_debugEnd', '_startProfilerIdleNotifier', '_stopProfilerIdleNotifier'],
  ['execve', 'chdir', 'umask', 'loadEnvFile', 'openStdin', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups'],
  ['initgroups', 'setSourceMapsEnabled', 'channel', 'send', 'disconnect', '_getActiveHandles', '_getActiveRequests'],
].flat();

const NETWORK = ['fetch', 'WebSocket', 'EventSource', 'localStorage', 'sessionStorage', 'Worker'];

/** Called by the host when it has taken what it needs itself; `host` is its URL. */
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
  const refused = Object.fromEntries(REACHING.map((name) => [name, refusal(`process.${name}`)]));
  const { env, version, versions, platform, arch } = real;
  for (const name of REACHING) put(real, name, refused[name]);
  for (const name of NETWORK) put(globalThis, name, refusal(name));
  put(globalThis, 'process', {
    ...refused,
    ...{ env, version, versions, platform, arch, argv: [], pid: 1, cwd: () => '/' },
    ...{ exit: real.exit.bind(real), nextTick: real.nextTick.bind(real), emitWarning: real.emitWarning.bind(real) },
  });
}

function refusal(name: string): () => never {
  // Not an arrow: some of them are called with `new`.
  return function refused() {
    throw new ReferenceError(`${name} is refused: Node's permission model alone does not confine it`);
  };
}

function put(object: object, name: string, value: unknown): void {
  if (Object.getOwnPropertyDescriptor(object, name)?.configurable === false) return;
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}
