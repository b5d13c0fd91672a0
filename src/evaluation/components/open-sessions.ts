/** Several sandbox sessions behind the face of one: each call goes to the one that has the least to do. */
import type { Sandbox, SandboxSession } from '../../ports/sandbox.ts';

/** `since`: when it last began to have something to do. */
type Member = { session: Promise<SandboxSession>; busy: number; since: number };

/** At most, for one folder of components. */
export const SESSIONS = 2;

/** Work for another session: so many calls at each open one, which has not been idle for so long. Opening one takes less. */
const AT_WORK = 4;
const LONG_MS = 200;

/** Opens one at once, and up to `most` when there is work for them. */
export async function openSessions(
  sandbox: Sandbox,
  dir: string,
  most: number = SESSIONS,
  now: () => number = () => performance.now(),
): Promise<SandboxSession> {
  const members: Member[] = [];
  const add = (): Member => {
    const member = { session: sandbox.open(dir), busy: 0, since: now() };
    members.push(member);
    return member;
  };
  const free = (): Member => {
    const least = members.reduce((one, other) => (other.busy < one.busy ? other : one));
    const isLong = least.busy >= AT_WORK && now() - least.since > LONG_MS;
    return isLong && members.length < most ? add() : least;
  };
  const through = async <T>(work: (session: SandboxSession) => Promise<T>): Promise<T> => {
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
    call: (...call) => through((session) => session.call(...call)),
    askAll: (...inquiry) => through((session) => session.askAll(...inquiry)),
    async close() {
      const opened = await Promise.allSettled(members.map(({ session }) => session));
      await Promise.all(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
    },
  };
}
