/** One session over a folder: keeps a host alive per room of it, starts a new one when the old one is over. */
import { HarnessError } from '../../errors.ts';
import type { SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { startHost, type HostProcess, type Launch } from './host-process.ts';
import { MAX_CHARS } from './limits.ts';
import { languageOf, moduleFault, placeOfSyntaxError, type Language } from './module-file.ts';

/** The command that puts a host of each language behind the walls; Python's rejects where it cannot be run. */
export type Launches = { javascript: Launch; python: () => Promise<Launch> };

/**
 * Tools and checkers never share a process, so that a tool cannot reach the code which judges it; nor do languages.
 */
type Room = { language: Language; host: HostProcess | undefined; tail: Promise<unknown> };

/** `dir` is a real path. */
export function createSession(dir: string, launches: Launches): SandboxSession {
  const rooms = new Map<string, Room>();
  let isClosed = false;

  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  const roomOf = (module: string): Room => {
    const language = languageOf(module);
    const name = `${module.split('/')[0]} ${language}`;
    const room = rooms.get(name) ?? { language, host: undefined, tail: Promise.resolve() };
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
    const host =
      room.host ?? (await startHost(room.language === 'python' ? await launches.python() : launches.javascript));
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
      const answer = room.tail
        .then(() => askRoom(room, { module, name, args }, timeoutMs, signal))
        .then((outcome) => placed(outcome, dir, module));
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

/** Node does not tell a module where its syntax is wrong; whoever has to repair it needs the line. */
async function placed(outcome: SandboxOutcome, dir: string, module: string): Promise<SandboxOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  const place = module.endsWith('.py') ? undefined : await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
