/** Several sandbox sessions behind the face of one: each call goes to the one that has the least to do. */
import type { Sandbox, SandboxSession } from '../ports/sandbox.ts';

export async function openSessions(sandbox: Sandbox, dir: string, count: number): Promise<SandboxSession> {
  const members: { session: SandboxSession; busy: number }[] = [];
  for (let made = 0; made < count; made += 1) members.push({ session: await sandbox.open(dir), busy: 0 });
  return {
    async call(module, name, args, timeoutMs, signal) {
      const member = members.reduce((least, other) => (other.busy < least.busy ? other : least));
      member.busy += 1;
      try {
        return await member.session.call(module, name, args, timeoutMs, signal);
      } finally {
        member.busy -= 1;
      }
    },
    async close() {
      await Promise.all(members.map(({ session }) => session.close()));
    },
  };
}
