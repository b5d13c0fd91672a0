/** Sandbox sessions that wrap others: several that share the work, and one that gives up on a module that hangs. */
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';

/** `since`: when it was last idle. */
type PooledSession = { session: Promise<OpenSandbox>; busy: number; since: number };

/** Most sessions on one folder of components. */
export const SESSIONS = 2;

/** Another session opens when each has AT_WORK calls and has been busy for LONG_MS; opening one takes less time. */
const AT_WORK = 4;
const LONG_MS = 500;

/** Acts as one session: opens one immediately, and up to `most` when there is work; the least busy takes a call. */
export async function openSessions(
  sandbox: Sandbox,
  dir: string,
  { most = SESSIONS, now = () => performance.now() }: { most?: number; now?: () => number } = {},
): Promise<OpenSandbox> {
  const members: PooledSession[] = [];
  const add = (): PooledSession => {
    const member = { session: sandbox.open(dir), busy: 0, since: now() };
    members.push(member);
    return member;
  };
  const free = (): PooledSession => {
    const least = members.reduce((one, other) => (other.busy < one.busy ? other : one));
    const isLong = least.busy >= AT_WORK && now() - least.since > LONG_MS;
    return isLong && members.length < most ? add() : least;
  };
  const through = async <T>(work: (session: OpenSandbox) => Promise<T>): Promise<T> => {
    const member = free();
    if (member.busy === 0) member.since = now();
    member.busy += 1;
    try {
      return await work(await member.session);
    } finally {
      member.busy -= 1;
    }
  };
  await add().session;
  return {
    call: (call, signal) => through((session) => session.call(call, signal)),
    askAll: (inquiry, signal) => through((session) => session.askAll(inquiry, signal)),
    digestModule: async (module) => (await members[0]?.session)?.digestModule?.(module),
    async close() {
      const opened = await Promise.allSettled(members.map(({ session }) => session));
      await Promise.all(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
    },
  };
}

/** Does not call a module again that once ran out of time: a proof would wait for it hundreds of times. */
export function failFastSession(session: OpenSandbox): OpenSandbox {
  const late = new Map<string, SandboxOutcome>();
  const noted = (module: string, outcome: SandboxOutcome): SandboxOutcome => {
    if (!outcome.ok && outcome.kind === 'timeout')
      late.set(module, { ...outcome, message: `${outcome.message}, and was not called again` });
    return outcome;
  };
  return {
    ...session,
    async call(call, signal) {
      return late.get(call.module) ?? noted(call.module, await session.call(call, signal));
    },
    async askAll(inquiry, signal) {
      const modules = inquiry.modules.filter((module) => !late.has(module));
      const answers = modules.length === 0 ? [] : await session.askAll({ ...inquiry, modules }, signal);
      const asked = new Map(modules.map((module, index) => [module, answers[index] ?? []]));
      return inquiry.modules.map(
        (module) => asked.get(module)?.map((one) => noted(module, one)) ?? [late.get(module) ?? []].flat(),
      );
    },
  };
}
