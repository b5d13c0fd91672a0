/** A session that does not wait twice for a module that never ends: for proofs, which would else ask it hundreds of times. */
import type { SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';

export function failFastSession(session: SandboxSession): SandboxSession {
  const late = new Map<string, SandboxOutcome>();
  const noted = (module: string, outcome: SandboxOutcome): SandboxOutcome => {
    if (!outcome.ok && outcome.kind === 'timeout')
      late.set(module, { ...outcome, message: `${outcome.message}, and was not asked again` });
    return outcome;
  };
  return {
    async call(module, ...rest) {
      return late.get(module) ?? noted(module, await session.call(module, ...rest));
    },
    async askAll(inquiry, ...rest) {
      const modules = inquiry.modules.filter((module) => !late.has(module));
      const answers = modules.length === 0 ? [] : await session.askAll({ ...inquiry, modules }, ...rest);
      const found = new Map(
        modules.map((module, index) => [module, (answers[index] ?? []).map((one) => noted(module, one))]),
      );
      return inquiry.modules.map((module) => {
        const known = late.get(module);
        return found.get(module) ?? (known === undefined ? [] : [known]);
      });
    },
    close: () => session.close(),
  };
}
