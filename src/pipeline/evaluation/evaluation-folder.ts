/** Opens the folder of an evaluation without agents: the input is copied into it, so that it can be judged again and a killed one resumed. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { listMarks, openLiveMark } from '../../disk/live-mark.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { packageVersion } from '../../own-file.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import { RULES_VERSION } from '../../scenario/attribution/problem-code.ts';
import type { TrialMemory } from '../../evaluation/trial/recall-trial.ts';
import { Verification } from '../../scenario/result.ts';
import { openFinishedWork } from './finished-work.ts';
import { COMPONENT_FOLDERS, digestComponents } from '../../disk/components-digest.ts';

/** Also the format of `evaluation.json` on disk: what is evaluated there, and how it proved itself. */
const EvaluationFolderRecord = z.strictObject({
  version: z.literal(1),
  components: z.string(),
  design: z.string(),
  verification: Verification.optional(),
  /** What each proven module exports as its description, by its path; missing in older files. */
  described: z.record(z.string(), z.unknown()).optional(),
  /** Missing in older files. */
  subject: z.record(z.string(), z.string()).optional(),
});
type EvaluationFolderRecord = z.infer<typeof EvaluationFolderRecord>;

/** Digests of what decides the answers of a subject, by their names. */
export type SubjectIdentity = Record<string, string>;

/** A proof, with the descriptions of the modules where they are known. */
export type EarlierProof = { verification: Verification } & Pick<EvaluationFolderRecord, 'described'>;

export type EvaluationFolder = {
  dir: string;
  componentsDigest: string;
  resumed: boolean;
  /** The names of what has changed of the subject since an unfinished evaluation, which therefore is not resumed. */
  changed: readonly string[];
  subject: SubjectIdentity | undefined;
  /** The proof of the same components under the same design, when there is an earlier one. */
  proof: EarlierProof | undefined;
  memory: TrialMemory;
  remember: (proof: EarlierProof) => Promise<void>;
  /** Removes what only another attempt would need; after it the folder is never played again. */
  finish: () => Promise<void>;
  /** Lets another process resume the evaluation. */
  close: () => Promise<void>;
};

export type EvaluationFolderInput = {
  /** Absolute path of the folder. */
  components: string;
  design: string;
  designDigest: string;
  subject?: SubjectIdentity;
  /** Holds the numbered folders of evaluations. */
  parent: string;
  /** A folder to use in place of a numbered one. */
  out: string | undefined;
};

/** Contract: `usage` for an existing folder with other content, or one in which another process is at work. */
export async function openEvaluationFolder(what: EvaluationFolderInput): Promise<EvaluationFolder> {
  const digest = await digestComponents(what.components);
  const given: EvaluationFolderRecord = {
    version: 1,
    components: digest,
    design: what.designDigest,
    ...omitUndefined({ subject: what.subject }),
  };
  const { dir, resumed, changed, stale } =
    what.out === undefined ? await chooseNumberedDir(what.parent, given) : await chooseNamedDir(what.out, given);
  await mkdir(dir, { recursive: true });
  const release = await claimFolder(dir);
  // Only now: another process may have been at work on them.
  for (const name of stale) await rm(join(dir, name), { recursive: true, force: true });
  await mkdir(join(dir, UNFINISHED), { recursive: true });
  const memory = await openFinishedWork(join(dir, UNFINISHED));
  if (!resumed) {
    // Hundreds of small files: at once this takes a fifth of the time.
    for (const part of COMPONENT_FOLDERS) {
      const from = join(what.components, part);
      if (part !== 'graders' || existsSync(from)) cpSync(from, join(dir, part), { recursive: true });
    }
    cpSync(what.design, join(dir, 'design'), { recursive: true });
    await writeRecord(dir, given);
  }
  const proofs = proofFolder(what.parent, given);
  const isProven = existsSync(proofs);
  return {
    dir,
    componentsDigest: digest,
    resumed,
    changed,
    subject: what.subject,
    proof: await findEarlierProof([dir, proofs], given),
    memory,
    remember: async (proof) => {
      await writeRecord(dir, { ...given, ...proof });
      // A scenario that cannot be written to is evaluated all the same, and proven each time.
      if (!isProven) await writeRecord(proofs, { ...given, ...proof }).catch(() => undefined);
    },
    finish: () => rm(join(dir, UNFINISHED), { recursive: true, force: true }),
    close: async () => {
      await memory.close();
      await release();
    },
  };
}

const AT_WORK = 'at-work';
/** Lies in the folder until every trial has a verdict. */
const UNFINISHED = 'unfinished';

/** Two processes that begin at the same moment may both be refused, but never do both continue. Returns what ends the claim. */
export async function claimFolder(dir: string): Promise<() => Promise<void>> {
  const name = randomUUID();
  const mark = await openLiveMark(openSharedFiles(dir), `${AT_WORK}/${name}.json`);
  const others = (await listMarks(openSharedFiles(dir), AT_WORK)).filter((one) => one.alive && one.name !== name);
  if (others.length === 0)
    return async () => {
      await mark.end();
      await rm(join(dir, AT_WORK), { recursive: true, force: true });
    };
  await mark.end();
  throw usageError(
    `Another process is evaluating in ${dir}. Wait for it, or stop it and give the same command again: its finished trials are stored.`,
  );
}

/** `stale` must be removed before the folder is used. */
type ChosenFolder = { dir: string; resumed: boolean; changed: readonly string[]; stale: readonly string[] };

/** Chooses the last folder when it was killed and holds the same evaluation; else the next number. */
async function chooseNumberedDir(parent: string, given: EvaluationFolderRecord): Promise<ChosenFolder> {
  const last = Math.max(0, ...(await listNumbers(parent)));
  const dir = join(parent, String(last));
  const changed = last > 0 && !isFinished(dir) ? findChanges(await readRecord(dir), given) : undefined;
  if (changed?.length === 0) return { dir, resumed: true, changed, stale: [] };
  return { dir: join(parent, String(last + 1)), resumed: false, changed: changed ?? [], stale: [] };
}

/**
 * A folder that holds another subject's unfinished evaluation is emptied of what that subject did. One in which nothing was
 * played, because the components were refused, takes the repaired ones.
 */
async function chooseNamedDir(dir: string, given: EvaluationFolderRecord): Promise<ChosenFolder> {
  const names = await readdir(dir).catch((): string[] => []);
  if (names.length === 0) return { dir, resumed: false, changed: [], stale: [] };
  const changed = isFinished(dir) ? undefined : findChanges(await readRecord(dir), given);
  if (changed?.length === 0) return { dir, resumed: true, changed, stale: [] };
  if (changed !== undefined)
    return { dir, resumed: false, changed, stale: [UNFINISHED, 'traces', 'results.json', 'report.md'] };
  if (names.includes(UNFINISHED) && !names.includes('traces') && !names.includes('results.json'))
    return { dir, resumed: false, changed: [], stale: [...COMPONENT_FOLDERS, 'design'] };
  const isOwn = isFinished(dir) && findChanges(await readRecord(dir), given) !== undefined;
  const what = isOwn ? 'an evaluation that is finished' : 'something else';
  throw usageError(`${dir} is there already and holds ${what}; choose another with --out.`);
}

/** Tells what has changed of the subject since the evaluation in a folder; undefined when that was of other components. */
export async function findFolderChanges(dir: string, what: EvaluationFolderInput): Promise<string[] | undefined> {
  const { designDigest: design, subject } = what;
  const components = await digestComponents(what.components);
  return findChanges(await readRecord(dir), { version: 1, components, design, ...omitUndefined({ subject }) });
}

/** Undefined when something other than the subject differs. A record without an identity says nothing about it. */
function findChanges(found: EvaluationFolderRecord | undefined, given: EvaluationFolderRecord): string[] | undefined {
  if (found === undefined || !isSame(found, given)) return undefined;
  const [was, is] = [found.subject, given.subject];
  return was === undefined || is === undefined ? [] : listChanges(was, is);
}

/** The names of what differs between two identities of one subject. */
export function listChanges(was: SubjectIdentity, is: SubjectIdentity): string[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name]).toSorted();
}

/**
 * The proof of these components under this design, for every later evaluation of the scenario, wherever it writes. An
 * upgrade proves anew, because its proof may notice more.
 */
function proofFolder(parent: string, { components, design }: EvaluationFolderRecord): string {
  const rules = `${packageVersion()}-${RULES_VERSION}`;
  return join(parent, 'proofs', `${components.slice(0, 16)}-${design.slice(0, 16)}-${rules}`);
}

async function findEarlierProof(
  places: readonly string[],
  given: EvaluationFolderRecord,
): Promise<EarlierProof | undefined> {
  for (const place of places) {
    const found = await readRecord(place);
    if (found?.verification?.ok !== true || !isSame(found, given)) continue;
    const { verification, described } = found;
    return { verification, ...omitUndefined({ described }) };
  }
  return undefined;
}

async function listNumbers(parent: string): Promise<number[]> {
  const names = await readdir(parent).catch((): string[] => []);
  return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
}

function isFinished(dir: string): boolean {
  return existsSync(join(dir, 'results.json')) && !existsSync(join(dir, UNFINISHED));
}

function isSame(found: EvaluationFolderRecord | undefined, { components, design }: EvaluationFolderRecord): boolean {
  return found?.components === components && found.design === design;
}

/** Undefined when there is no valid `evaluation.json`. */
async function readRecord(dir: string): Promise<EvaluationFolderRecord | undefined> {
  return parseOrNone(EvaluationFolderRecord, await readFile(join(dir, 'evaluation.json'), 'utf8').catch(() => ''));
}

async function writeRecord(dir: string, given: EvaluationFolderRecord): Promise<void> {
  await mkdir(dir, { recursive: true });
  await atomicWrite(join(dir, 'evaluation.json'), `${JSON.stringify(given, null, 2)}\n`);
}
