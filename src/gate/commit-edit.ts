/** Commits a design that a reviewer has edited to its own folder, after the checks that Init's designs pass. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryFolder } from '../disk/temporary-folder.ts';
import { canonicalJson, sha256 } from '../disk/sha256.ts';
import { HarnessError } from '../errors.ts';
import type { EditCheck } from '../ports/decisions.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { DESIGN_FILES } from '../scenario/design.ts';
import { compareDesigns, readDesignFolder, readDesignContent } from './compare-designs.ts';
import { designDir } from '../run/layout.ts';
import { readDesign } from '../run-folder/read-design.ts';

type FileEdits = Readonly<Record<string, string>>;

const UNCHANGED = 'Nothing is changed: approve the design as it is.';

/** Commits edits to the design in `from`; equal edits share a folder. Throws `gate_refused` with `details.problems`. */
export async function commitEdit(
  run: RunFolder,
  { round, from }: { round: number; from: string },
  given: FileEdits,
): Promise<{ dir: string; digest: string }> {
  const edits = await changedOnly(run, from, given);
  if (Object.keys(edits).length === 0) throw invalidEditError([UNCHANGED]);
  const mark = sha256(canonicalJson({ from, edits })).slice(0, 12);
  const dir = `${designDir(round)}-edited-${mark}`;
  const there = await run.artifacts.committed(dir, true);
  if (there !== undefined) return { dir, digest: there.digest };
  const step = `edit.r${round}.${mark}`;
  const seed = [...DESIGN_FILES, 'submission.json'].map((name) => ({ from: `${from}/${name}`, to: name }));
  const attempt = await run.artifacts.begin(step, dir, seed);
  try {
    for (const [name, text] of Object.entries(edits)) await writeFile(join(attempt.out, name), text);
    const { problems } = await readDesign(attempt.out, dir);
    if (problems.length > 0) throw invalidEditError(problems);
    const { digest } = await run.artifacts.commit(attempt);
    return { dir, digest };
  } finally {
    await run.artifacts.discard(step);
  }
}

/** Applies the same checks to a temporary copy, so that a reviewer sees the patch before deciding. */
export async function checkEdit(run: RunFolder, from: string, given: FileEdits): Promise<EditCheck> {
  const before = await readDesignContent(run, from);
  const place = await createTemporaryFolder('edit');
  try {
    const edits = await changedOnly(run, from, given);
    if (Object.keys(edits).length === 0) return { problems: [UNCHANGED] };
    for (const name of DESIGN_FILES) await cp(join(run.dir, from, name), join(place, name));
    for (const [name, text] of Object.entries(edits)) await writeFile(join(place, name), text);
    const { content, problems } = await readDesignFolder(place, `${from} (edited)`);
    if (content === undefined) return { problems };
    const change = compareDesigns(before, content);
    return change.diff === '' ? { problems: [UNCHANGED] } : { problems, change };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Keeps only the files whose text differs; a file that nobody changed is not written again, byte for byte. */
async function changedOnly(run: RunFolder, from: string, given: FileEdits): Promise<FileEdits> {
  const unknown = Object.keys(given).filter((name) => !DESIGN_FILES.some((known) => known === name));
  const problems = unknown.map((name) => `${JSON.stringify(name)} is no design file: ${DESIGN_FILES.join(', ')}.`);
  if (problems.length > 0) throw invalidEditError(problems);
  const edits = await Promise.all(
    Object.entries(given).map(async ([name, text]) => {
      const before = await readFile(join(run.dir, from, name), 'utf8');
      return before === text ? [] : [[name, text] as const];
    }),
  );
  return Object.fromEntries(edits.flat());
}

function invalidEditError(problems: readonly string[]): HarnessError {
  const details = { refusal: 'edit_invalid', problems: problems.slice(0, 50) };
  const why = `The edited design cannot be used: ${problems.slice(0, 5).join(' ')}`;
  return new HarnessError('gate_refused', why, { details });
}
