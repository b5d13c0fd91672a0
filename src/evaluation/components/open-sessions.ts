/** Sandbox sessions that wrap others: several that share the work, and one that gives up on a module that hangs. */
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';

/** `calls`: when each open one began, the oldest first. */
type PooledSession = { session: Promise<OpenSandbox>; calls: Set<{ at: number }> };

/** Most sessions on one folder of components. */
export const SESSIONS = 2;

/** Another session opens when each has AT_WORK calls and one has waited for LONG_MS: where answers come soon, it would only cost. */
const AT_WORK = 4;
const LONG_MS = 250;

/** Acts as one session: opens one immediately, and up to `most` when there is work; the least busy takes a call. */
export async function openSessions(
  sandbox: Sandbox,
  dir: string,
  { most = SESSIONS, now = () => performance.now() }: { most?: number; now?: () => number } = {},
): Promise<OpenSandbox> {
  const members: PooledSession[] = [];
  const add = (): PooledSession => {
    const member: PooledSession = { session: sandbox.open(dir), calls: new Set() };
    members.push(member);
    return member;
  };
  const free = (): PooledSession => {
    const least = members.reduce((one, other) => (other.calls.size < one.calls.size ? other : one));
    const [oldest] = least.calls;
    const isLong = oldest !== undefined && least.calls.size >= AT_WORK && now() - oldest.at > LONG_MS;
    return isLong && members.length < most ? add() : least;
  };
  const through = async <T>(work: (session: OpenSandbox) => Promise<T>): Promise<T> => {
    const member = free();
    const call = { at: now() };
    member.calls.add(call);
    try {
      return await work(await member.session);
    } finally {
      member.calls.delete(call);
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
