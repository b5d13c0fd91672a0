/** How the components of a folder have proved themselves, kept by whoever asked for it: they need not do it again. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Components } from '../../evaluation/components/components.ts';
import type { SandboxSession } from '../../ports/sandbox.ts';
import { Verification } from '../../scenario/result.ts';

export const FolderProof = z.strictObject({
  version: z.literal(1),
  /** Digest of what was asked of them: the design, and how many samples. */
  asked: z.string(),
  /** Digest of all that lies in the folder. */
  components: z.string(),
  verification: Verification,
  /** Path of a module -> what it says of itself. */
  described: z.record(z.string(), z.unknown()),
});
export type FolderProof = z.infer<typeof FolderProof>;

export function proofOf(
  components: Components,
  digests: Pick<FolderProof, 'asked' | 'components'>,
  verification: Verification,
): FolderProof {
  const { tools, checkers, paths } = components;
  const described = [
    ...tools.map((spec) => [paths.get(`tools/${spec.name}`) ?? '', spec] as const),
    ...checkers.map((spec) => [paths.get(`checkers/${spec.id}`) ?? '', spec] as const),
  ];
  return {
    version: 1,
    ...digests,
    verification,
    described: Object.fromEntries(described),
  };
}

/** A session that is not asked what the modules say of themselves: so components load before its hosts are there. */
export function describedBy({ described }: FolderProof, session: SandboxSession): SandboxSession {
  return {
    ...session,
    call: async (call, signal) => {
      const known = call.name === 'tool' || call.name === 'checker' ? described[call.module] : undefined;
      return known === undefined ? session.call(call, signal) : { ok: true, value: known, args: [] };
    },
  };
}

/** Over the text of each module, and over what each sample and world holds. */
export async function digestOfLoaded(dir: string, { paths, samples, worlds }: Components): Promise<string> {
  const modules = [...paths.values()].toSorted();
  const texts = await Promise.all(modules.map((path) => readFile(join(dir, path), 'utf8')));
  return digestOfText([modules, texts, samples.map(({ sample }) => sample), [...worlds]]);
}

export function digestOfText(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
