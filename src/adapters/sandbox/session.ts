/** One session over a folder: keeps a host alive per room of it, starts a new one when the old one is over. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { startHost, type HostProcess, type Launch } from './host-process.ts';
import { MAX_CHARS } from './limits.ts';

/** Tools and checkers never share a process, so that a tool cannot reach the code which judges it. */
type Room = { host: HostProcess | undefined; tail: Promise<unknown> };

/** `dir` is a real path; `launch` is the command that puts a host behind the walls of that folder. */
export function createSession(dir: string, launch: Launch): SandboxSession {
  const rooms = new Map<string, Room>();
  let isClosed = false;

  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  const roomOf = (module: string): Room => {
    const name = module.split('/')[0] ?? '';
    const room = rooms.get(name) ?? { host: undefined, tail: Promise.resolve() };
    rooms.set(name, room);
    return room;
  };

  const askRoom = async (
    room: Room,
    call: { module: string; name: string; args: unknown[] },
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<SandboxOutcome> => {
    signal.throwIfAborted();
    throwIfClosed();
    const fault = await moduleFault(dir, call.module);
    if (fault !== undefined) return { ok: false, kind: 'bad_module', message: fault };
    const host = room.host ?? (await startHost(launch));
    room.host = host;
    let over = true;
    try {
      // It may have been closed while the host was starting.
      throwIfClosed();
      const answer = await host.ask(call, timeoutMs, signal);
      over = answer.over;
      return answer.outcome;
    } finally {
      if (over) {
        room.host = undefined;
        await host.kill();
      }
    }
  };

  return {
    call(module, name, args, timeoutMs, signal) {
      const text = JSON.stringify(args);
      if (text.length > MAX_CHARS) {
        const message = `the arguments have ${text.length} characters; at most ${MAX_CHARS} are sent`;
        return Promise.resolve({ ok: false, kind: 'too_large', message });
      }
      const room = roomOf(module);
      const answer = room.tail.then(() => askRoom(room, { module, name, args }, timeoutMs, signal));
      room.tail = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      isClosed = true;
      const hosts = [...rooms.values()].flatMap(({ host }) => (host === undefined ? [] : [host]));
      await Promise.all(hosts.map((host) => host.kill()));
      await Promise.all([...rooms.values()].map(({ tail }) => tail));
    },
  };
}

/** Why a module may not be loaded: it is not a plain file of the folder. A link could lead anywhere. */
async function moduleFault(dir: string, module: string): Promise<string | undefined> {
  const isPlain = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*\.mjs$/.test(module);
  if (!isPlain) return `"${module}" is not the relative path of an .mjs file`;
  const path = join(dir, module);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return `${module} does not exist`;
  return real === path ? undefined : `${module} is a symbolic link; only plain files are loaded`;
}
