/** Folders that are made in `wip/`, then committed once by a rename and never changed. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, copyFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import type { Artifacts, Attempt, CommittedFolder } from '../../ports/artifacts.ts';
import { Manifest } from '../../scenario/design.ts';
import { atomicWrite, syncFolder, createExclusive } from '../../disk/atomic-write.ts';
import { answersInFile, openGroupedWrites } from './grouped-writes.ts';
import { confinePath, makeFolders, refuseLinks, walkFolders, walkFiles } from '../../disk/confine.ts';
import { getErrno, onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { checkManifest, manifestDigest, makeManifest, MANIFEST } from '../../disk/manifest.ts';
import { parseFile, parseJsonFile } from '../../disk/parse-file.ts';
import { guardAttempt } from '../../disk/attempt-folder.ts';

/** Names such as `design.r1` and `execute.i3`; none contains the `@` of an attempt's folder. */
const STEP = /^[a-z][a-z0-9._-]{0,99}$/;

/** `isCopy`: takeovers are decided elsewhere, and another job of this process may still be at work in the attempt's folder. */
export function openFileArtifacts(runDir: string, worker: string, { isCopy = false } = {}): Artifacts {
  const wip = join(runDir, 'wip');
  const attemptAt = (folder: string, target: string): Attempt =>
    createAttempt(folder.slice(0, folder.indexOf('@')), confinePath(wip, folder), target);

  return {
    committed: (target, verify = false) => onDisk(`Reading ${target}`, () => readCommitted(runDir, target, verify)),

    begin: (step, target, seed) =>
      onDisk(`Beginning ${step}`, async () => {
        checkStep(step);
        confinePath(runDir, target);
        await makeFolders(runDir, wip);
        const dir = join(wip, `${step}@${worker}-${randomBytes(4).toString('hex')}`);
        if (isCopy || !(await takeOver(wip, step, dir))) await mkdir(dir);
        const attempt = createAttempt(step, dir, target);
        await guardAttempt(step, dir, async () => {
          await rm(attempt.out, { recursive: true, force: true });
          await mkdir(attempt.out);
          for (const one of seed) await copySeed(runDir, attempt.out, one);
        });
        // From here on the attempt knows its own folder.
        await attempt.exists();
        return attempt;
      }),

    attemptAt,

    join: async (folder, target) => {
      const attempt = attemptAt(folder, target);
      return (await attempt.exists()) ? attempt : undefined;
    },

    commit: (attempt) => onDisk(`Committing ${attempt.target}`, () => commitAttempt(runDir, attempt)),

    live: () => onDisk('Looking for attempts', () => valueOnErrno('ENOENT', [], readdir(wip))),

    discard: (step) =>
      onDisk(`Clearing what ${step} left`, async () => {
        checkStep(step);
        for (const name of await listAttempts(wip, step)) await rm(join(wip, name), { recursive: true, force: true });
      }),
  };
}

function checkStep(step: string): void {
  if (STEP.test(step)) return;
  throw usageError(`${JSON.stringify(step)} is no step: expected a name such as design.r1 or execute.i3.`);
}

async function listAttempts(wip: string, step: string): Promise<string[]> {
  const names = await valueOnErrno('ENOENT', [], readdir(wip));
  return names.filter((name) => name.startsWith(`${step}@`)).sort();
}

/** Takes over the attempt that holds the most turns; false when there is none. The rename fences its old owner. */
async function takeOver(wip: string, step: string, dir: string): Promise<boolean> {
  for (;;) {
    const names = await listAttempts(wip, step);
    const ranked = await Promise.all(names.map(async (name) => ({ name, turns: await countTurns(join(wip, name)) })));
    const [best] = ranked.sort((one, other) => other.turns - one.turns);
    if (best === undefined) return false;
    // Another worker may have taken it first; then the search is repeated.
    const taken = await valueOnErrno('ENOENT', false as const, rename(join(wip, best.name), dir));
    if (taken !== false) return true;
  }
}

async function countTurns(dir: string): Promise<number> {
  const names = await valueOnErrno('ENOENT', [], readdir(join(dir, 'turns'), { recursive: true }));
  return names.reduce((held, name) => held + answersInFile(name), 0);
}

async function readCommitted(runDir: string, target: string, verify: boolean): Promise<CommittedFolder | undefined> {
  const dir = confinePath(runDir, target);
  await refuseLinks(runDir, dir);
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, MANIFEST), 'utf8'));
  if (text === undefined) return refuseUncommitted(dir, target);
  const manifest = parseFile(Manifest, text, `${target}/${MANIFEST}`);
  if (verify) await checkManifest(dir, manifest);
  return { dir, digest: manifestDigest(manifest), manifest };
}

/** Throws for a folder without a manifest, which no commit made. An empty folder is replaced by a commit instead. */
async function refuseUncommitted(dir: string, target: string): Promise<undefined> {
  const names = await valueOnErrno('ENOENT', [], readdir(dir));
  if (names.length === 0) return undefined;
  const message = `${target}/${MANIFEST} is missing: restore it from a copy of the run, or delete the folder to make it anew.`;
  throw new HarnessError('data_corrupt', message, { details: { dir } });
}

async function commitAttempt(runDir: string, attempt: Attempt): Promise<CommittedFolder> {
  const { step, dir, out, target } = attempt;
  const place = confinePath(runDir, target);
  await refuseLinks(runDir, place);
  try {
    const manifest = await guardAttempt(step, dir, () => sealOutput(out));
    await makeFolders(runDir, dirname(place));
    await guardAttempt(step, dir, () => rename(out, place));
    await syncFolder(dirname(place));
    return { dir: place, digest: manifestDigest(manifest), manifest };
  } catch (error) {
    return findOtherWinner(runDir, attempt, error);
  }
}

/** Writes the manifest and syncs all bytes to disk before the folder gets its name. */
async function sealOutput(out: string): Promise<Manifest> {
  if (!(await lstat(out)).isDirectory())
    throw new HarnessError('data_corrupt', `${out} is not a folder: begin the step again.`);
  const manifest = await makeManifest(out, true);
  await atomicWrite(join(out, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const folder of await walkFolders(out)) await syncFolder(folder);
  return manifest;
}

/** When the step was committed before, returns that folder and drops this one; otherwise rethrows the error. */
async function findOtherWinner(runDir: string, { target, out }: Attempt, error: unknown): Promise<CommittedFolder> {
  const lost = error instanceof HarnessError && error.code === 'attempt_lost';
  if (!lost && !['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(getErrno(error) ?? '')) throw error;
  const theirs = await readCommitted(runDir, target, false);
  if (theirs === undefined) throw error;
  await rm(out, { recursive: true, force: true });
  return theirs;
}

/** Copies `from` (in the run) to `to` (in `out`; `.` is `out` itself). An old manifest is left out; later seeds overwrite earlier ones. */
async function copySeed(runDir: string, out: string, { from, to }: { from: string; to: string }): Promise<void> {
  const source = confinePath(runDir, from);
  const target = to === '.' || to === '' ? out : confinePath(out, to);
  await refuseLinks(runDir, source);
  const found = await valueOnErrno('ENOENT', undefined, lstat(source));
  if (found === undefined) {
    const message = `${from} is not in the run ${runDir}, and the step must start from it: restore it from a copy.`;
    throw new HarnessError('data_corrupt', message, { details: { runDir, from } });
  }
  if (!found.isDirectory()) return copyOne(source, out, target);
  await makeFolders(out, target);
  for (const path of await walkFiles(source)) {
    if (path !== MANIFEST) await copyOne(join(source, path), out, join(target, path));
  }
}

async function copyOne(source: string, out: string, target: string): Promise<void> {
  await makeFolders(out, dirname(target));
  await copyFile(source, target);
}

/** Every write goes by path: after a takeover the path is gone, and so is the right to write. */
export function createAttempt(step: string, dir: string, target: string): Attempt {
  const [out, turns] = [join(dir, 'out'), join(dir, 'turns')];
  const together = openGroupedWrites(dir);
  let inode: number | undefined;
  return {
    step,
    dir,
    out,
    target,
    exists: () =>
      onDisk(`Looking for ${step}`, async () => {
        const found = await valueOnErrno('ENOENT', undefined, stat(dir));
        // A folder of the same name that somebody made after a takeover is another folder.
        inode ??= found?.ino;
        return found !== undefined && found.ino === inode;
      }),
    write: (path, content) =>
      onDisk(`Writing ${path} of ${step}`, () =>
        guardAttempt(step, dir, () => writeFile(confinePath(out, path), content)),
      ),
    recall: (name) =>
      onDisk(`Recalling ${name} of ${step}`, async () => {
        const path = confinePath(turns, `${name}.json`);
        const alone = async () => parseJsonFile(await readFile(path, 'utf8'), `turns/${name}.json of ${step}`);
        return guardAttempt(step, dir, () => together.read(name, alone));
      }),
    remember: (name, value) =>
      onDisk(`Remembering ${name} of ${step}`, () => {
        const path = confinePath(turns, `${name}.json`);
        // People read the calls of agents; the records of trials hold whole traces.
        const alone = () => writeAlone(dir, path, `${JSON.stringify(value, null, isShared(name) ? 0 : 2)}\n`);
        return guardAttempt(step, dir, () => (isShared(name) ? alone() : together.write(name, value, alone)));
      }),
    // By path, so that after a takeover it cannot get into the new attempt.
    rememberFirst: (name, value) =>
      onDisk(`Remembering ${name} of ${step}`, () =>
        guardAttempt(step, dir, async () => {
          const path = confinePath(turns, `${name}.json`);
          await makeFolders(dir, dirname(path));
          await createExclusive(path, `${JSON.stringify(value, null, 2)}\n`);
        }),
      ),
    remembered: (lane) =>
      onDisk(`Looking for ${lane} of ${step}`, async () => {
        const names = await valueOnErrno('ENOENT', [], readdir(confinePath(turns, lane)));
        if (names.length === 0) await guardAttempt(step, dir, () => stat(dir));
        return names.flatMap((name) => (name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : []));
      }),
    forget: (lane) =>
      onDisk(`Forgetting ${lane} of ${step}`, () => rm(confinePath(turns, lane), { recursive: true, force: true })),
    // Workers elsewhere read this very folder.
    share: () => Promise.resolve(),
  };
}

/** The records of trials are looked for by other workers, each under its own name. */
function isShared(name: string): boolean {
  return name.startsWith('trials/');
}

async function writeAlone(dir: string, path: string, text: string): Promise<void> {
  // Once in a lane the folder is missing; asking before each call would be a trip to the disk for nothing.
  if ((await valueOnErrno('ENOENT', 'missing' as const, atomicWrite(path, text))) !== 'missing') return;
  await makeFolders(dir, dirname(path));
  await atomicWrite(path, text);
}
