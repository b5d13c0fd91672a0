/** A folder of its own with every component and its mutants as one module each, and a session of the sandbox on it. */
import { cp, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { createTemporaryFolder } from '../../../../disk/temporary-folder.ts';
import { sha256 } from '../../../../disk/sha256.ts';
import type { Sandbox, OpenSandbox } from '../../../../ports/sandbox.ts';
import type { ComponentPaths } from '../../../components/components.ts';
import { SERVED_ENDING } from '../../../../scenario/component.ts';
import { openSessions } from '../../../components/open-sessions.ts';
import type { AnswerMemory } from '../../answer-memory.ts';
import { javaScriptModule, listOtherZones } from './javascript-mutants-module.ts';
import { mutateJavaScript } from './mutate-javascript.ts';
import { MUTATION_KINDS, OTHER_ZONE, sampleEvenly, type Mutant } from './mutant.ts';

/** The mutants to try: an even choice, and all guards of a tool, which are asked about whatever else there is time for. */
function chooseMutants<One extends Mutant>(all: readonly One[], path: string, most: number): One[] {
  const chosen = new Set(sampleEvenly(all, most));
  const isTool = path.startsWith('tools/');
  return all.flatMap((one) => {
    if (chosen.has(one)) return [one];
    return isTool && one.guard !== undefined ? [{ ...one, isExtra: true }] : [];
  });
}

/** Larger files are libraries rather than components. */
const MOST_CHARS = 100_000;
const LISTING_MS = 5000;

/** A component with its mutants; the numbers are those that the module knows them by. */
export type MutatedModule = {
  path: string;
  module: string;
  original: string;
  digest: string;
  /** Equal for equal code, its helper files included. */
  identity: string;
  mutants: (Mutant & { id: number })[];
};

export type MutantBench = {
  session: OpenSandbox;
  /** The module that has a component alone, by its path; undefined for one that is not mutated. */
  originalOf(path: string): Pick<MutatedModule, 'original' | 'identity'> | undefined;
  /** Undefined for a component that cannot be mutated. */
  moduleOf(folder: 'tools' | 'checkers', name: string): Promise<MutatedModule | undefined>;
  close(): Promise<void>;
};

export type BenchInput = {
  dir: string;
  sandbox: Sandbox;
  paths: ComponentPaths;
  /** Most mutants of one component. */
  most: number;
  memory: AnswerMemory;
  signal: AbortSignal;
};

/** Contract: `close` removes everything that it wrote to disk. */
export async function openMutantBench({ dir, sandbox, paths, most, memory, signal }: BenchInput): Promise<MutantBench> {
  const bench = await createTemporaryFolder('mutants');
  const filter = async (source: string): Promise<boolean> => !(await lstat(source)).isSymbolicLink();
  const removed = (): Promise<void> => rm(bench, { recursive: true, force: true });
  try {
    for (const folder of ['tools', 'checkers'])
      await cp(join(dir, folder), join(bench, folder), { recursive: true, filter }).catch(() => undefined);
    const sources = new Map<string, MutatedModule | undefined>();
    const helpers = await helpersDigest(bench, new Set(paths.values()));
    for (const path of paths.values()) sources.set(path, await writeModule({ bench, path, most, helpers, memory }));
    const session = await openSessions(sandbox, bench);
    return {
      session,
      originalOf: (path) => sources.get(path),
      async moduleOf(folder, name) {
        const path = paths.get(`${folder}/${name}`);
        const made = path === undefined ? undefined : sources.get(path);
        return made?.path.endsWith('.py') === true ? listPython(session, made, { most, signal }) : made;
      },
      async close() {
        await session.close();
        await removed();
      },
    };
  } catch (error) {
    await removed();
    throw error;
  }
}

/** Digests the helper files, which any component may import. */
async function helpersDigest(bench: string, components: ReadonlySet<string>): Promise<string> {
  const files = await readdir(bench, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => relative(bench, join(file.parentPath, file.name)));
  const helpers = paths.filter((path) => !components.has(path) && /\.(m?[jt]s|py)$/.test(path)).toSorted();
  const texts = await Promise.all(helpers.map(async (path) => [path, await readFile(join(bench, path), 'utf8')]));
  return sha256(JSON.stringify(texts));
}

type ModuleInput = { bench: string; path: string; most: number; helpers: string; memory: AnswerMemory };

async function writeModule({ bench, path, most, helpers, memory }: ModuleInput): Promise<MutatedModule | undefined> {
  if (path.endsWith(SERVED_ENDING)) return undefined;
  const source = await readFile(join(bench, path), 'utf8').catch(() => undefined);
  if (source === undefined || source.length > MOST_CHARS) return undefined;
  const digest = sha256(source);
  const identity = `${path} ${most} ${digest} ${helpers}`;
  if (path.endsWith('.py')) {
    const { pythonModule, pythonZones } = await import('./python-mutants-module.ts');
    const { all, alone } = pythonModule(source, path);
    const original = path.replace(/\.py$/, '.original.py');
    await writeFile(join(bench, path), all);
    await writeFile(join(bench, original), alone);
    const mutants = pythonZones(source).map((id) => ({ ...OTHER_ZONE, id }));
    return { path, module: path, original, digest, identity, mutants };
  }
  const key = ['mutated', path, String(most), digest];
  const made = (memory.recall(key) as MutatedText | undefined) ?? mutatedText(source, path, most);
  if (made === undefined) return undefined;
  memory.remember(key, made);
  const rename = (ending: string): string => path.replace(/\.\w+$/, ending);
  const [module, original] = [rename('.mutants.mjs'), rename('.original.mjs')];
  await rm(join(bench, path));
  await writeFile(join(bench, module), made.all);
  await writeFile(join(bench, original), made.alone);
  return {
    path,
    module,
    original,
    digest,
    identity,
    mutants: made.mutants.map((mutant, index) => ({ ...mutant, id: index + 1 })),
  };
}

/** `all` is the component with its mutants, and then itself in other time zones; `alone` is without. */
type MutatedText = { all: string; alone: string; mutants: Mutant[] };

function mutatedText(source: string, path: string, most: number): MutatedText | undefined {
  const found = mutateJavaScript(source, path);
  if (found === undefined) return undefined;
  const chosen = chooseMutants(found.mutants, path, most);
  const zones = listOtherZones(found.text);
  const [all, alone] = [javaScriptModule(found, [...chosen, ...zones]), javaScriptModule(found, [])];
  if (all === undefined || alone === undefined) return undefined;
  return {
    all,
    alone,
    mutants: [...chosen.map(({ start: _start, end: _end, ...mutant }) => mutant), ...zones.map(() => OTHER_ZONE)],
  };
}

const Listing = z.array(
  z.strictObject({
    kind: z.enum(MUTATION_KINDS),
    line: z.int(),
    was: z.string(),
    now: z.string(),
    guard: z.strictObject({ line: z.int(), says: z.string() }).optional(),
  }),
);

/** Lists the mutants of a Python module in the sandbox; its hostile output is validated, and only shown. */
async function listPython(
  session: OpenSandbox,
  made: MutatedModule,
  { most, signal }: Pick<BenchInput, 'most' | 'signal'>,
): Promise<MutatedModule | undefined> {
  const call = { module: made.module, name: 'mutants', args: [], timeoutMs: LISTING_MS };
  const outcome = await session.call(call, signal);
  const listed = outcome.ok ? Listing.safeParse(outcome.value) : undefined;
  if (listed?.success !== true) return undefined;
  return {
    ...made,
    mutants: [
      ...chooseMutants(
        listed.data.map((one, index) => ({ ...one, id: index + 1 })),
        made.path,
        most,
      ),
      ...made.mutants,
    ],
  };
}
