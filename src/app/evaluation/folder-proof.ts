/** The proof of a folder's components: the caller stores it, and passes it in to skip the next proof. */
import { sha256 } from '../../disk/sha256.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Components } from '../../evaluation/components/components.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { Verification } from '../../scenario/result.ts';

export const FolderProof = z.strictObject({
  version: z.literal(1),
  /** The digest of the requirements: the design, and the number of samples. */
  asked: z.string(),
  /** The digest of the whole folder. */
  components: z.string(),
  verification: Verification,
  /** Maps the path of a module to its exported description. */
  described: z.record(z.string(), z.unknown()),
});
export type FolderProof = z.infer<typeof FolderProof>;

export function buildFolderProof(
  { tools, checkers, paths }: Components,
  proved: Pick<FolderProof, 'asked' | 'components' | 'verification'>,
): FolderProof {
  const described = [
    ...tools.map((spec) => [paths.get(`tools/${spec.name}`) ?? '', spec] as const),
    ...checkers.map((spec) => [paths.get(`checkers/${spec.id}`) ?? '', spec] as const),
  ];
  return { version: 1, ...proved, described: Object.fromEntries(described) };
}

/** Wraps a session with the known module descriptions, so that components load before its hosts have started. */
export function findDescriptor({ described }: FolderProof, session: OpenSandbox): OpenSandbox {
  return {
    ...session,
    call: async (call, signal) => {
      const known = call.name === 'tool' || call.name === 'checker' ? described[call.module] : undefined;
      return known === undefined ? session.call(call, signal) : { ok: true, value: known, args: [] };
    },
  };
}

/** Digests the text of each module, and the content of each sample and world. */
export async function digestOfLoaded(dir: string, { paths, samples, worlds, graders }: Components): Promise<string> {
  const modules = [...paths.values()].toSorted();
  const texts = await Promise.all(modules.map((path) => readFile(join(dir, path), 'utf8')));
  return digestOfText([modules, texts, samples.map(({ sample }) => sample), [...worlds], ...(graders ?? [])]);
}

export function digestOfText(value: unknown): string {
  return sha256(JSON.stringify(value));
}
