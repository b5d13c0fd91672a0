/** Gives a session that is attached to a run a copy of its paused step's files; changes go to the run under the person's name. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { COMPONENT_FOLDERS } from '../../disk/components-digest.ts';
import { confinePath, walkFiles } from '../../disk/confine.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { MANIFEST } from '../../disk/manifest.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import type { RunFolder, SessionFolder } from '../../ports/run-store.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';
import { designDir, outputDir } from '../../run/layout.ts';
import { listSteering, stepAtWork, type ChangedFile } from '../../run/steering.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { maySteer, steer } from '../control/steer.ts';
import { getStepAgent } from '../sessions/read-sessions.ts';

/** A run that a session is attached to, and the people who may decide in it; everybody when undefined. */
export type AttachedRun = { run: RunFolder; deciders: readonly string[] | undefined };

/** `folders` are those that the step's agent may write, as the run names them. */
export type PausedStep = AttachedRun & { step: string; folders: readonly string[] };

/** Holds all copies of run files in a session, with a folder for each turn. */
const FOLDER = 'run-files';
const MOST_NAMED = 20;
const REFUSALS: ReadonlySet<string> = new Set(['usage', 'gate_refused', 'event_refused']);
/** Files of the harness itself, which people do not change. */
const HARNESS_FILES: readonly string[] = [MANIFEST, 'submission.json'];

/**
 * Undefined while an agent is at work, at a gate, after the end, and for an actor who may not decide: the run is then
 * read-only. Returns a sentence where the files are out of reach of this machine.
 */
export async function findPausedStep(
  attached: AttachedRun | undefined,
  actor: string,
): Promise<PausedStep | string | undefined> {
  if (attached === undefined || !maySteer(actor, attached.deciders)) return undefined;
  const { run } = attached;
  const { state } = await openSnapshot(run);
  const step = stepAtWork(state);
  if (step === undefined || !('prev' in state)) return undefined;
  const live = (await run.artifacts.live()).filter((name) => name.startsWith(`${step}@`));
  if (live.length === 0) return undefined;
  const isDesign = state.prev.status === 'designing';
  const target = isDesign ? designDir(state.round) : outputDir(state.iteration);
  const joined = await Promise.all(live.map((name) => run.artifacts.join(name, target)));
  if (joined.every((attempt) => attempt === undefined)) return describeNotSent(run, step, live[0] ?? '');
  const folders = isDesign ? [target] : COMPONENT_FOLDERS.map((name) => `${target}/${name}`);
  return { ...attached, step, folders };
}

function describeNotSent({ id }: RunFolder, step: string, attempt: string): string {
  const worker = attempt.slice(step.length + 1);
  return `The files of ${step} are not in the store: ${worker} has not sent them. Try again in a moment. Where it was killed, tandem resume ${id} makes them again from the answers that are paid for; tandem pause ${id} then sends them.`;
}

export function formatFilesReminder({ run, step, folders }: PausedStep, template: string): string {
  return fillTemplate(template, { run: run.id, step, folders: folders.map((one) => `${one}/`).join(', ') });
}

export type RunFiles = {
  mounts: Mount[];
  /** Records the changes in the run; resolves with a message for the person. */
  handOver: () => Promise<string | undefined>;
};

/** Contract: a turn that is made again finds the files as it left them. */
export async function openRunFiles(
  { dir, id }: Pick<SessionFolder, 'dir' | 'id'>,
  { turn, actor }: { turn: number; actor: string },
  paused: PausedStep,
): Promise<RunFiles> {
  const { run, step, folders } = paused;
  const copy = join(dir, FOLDER, `t${turn}-${step}`);
  const before = await readStepFiles(paused);
  if (!existsSync(copy)) await onDisk(`Copying the files of ${step}`, () => writeCopy(copy, before, folders));
  return {
    mounts: folders.map((logical) => ({ logical, physical: join(copy, logical), writable: true })),
    handOver: async () => {
      const files = await listChanges(copy, before);
      const names = files.map(({ path, text }) => (text === undefined ? `${path} (removed)` : path));
      const shown = [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ['…'] : [])].join(', ');
      try {
        if (files.length > 0) {
          const said = { text: `Changed in session ${id}: ${shown}`, via: `session:${id}`, nonce: `${id}.t${turn}` };
          const { seq } = await steer(run, { ...said, actor, changed: { step, files } }, paused.deciders);
          await rm(copy, { recursive: true, force: true });
          return `On record as event ${seq} of run ${run.id}: ${getStepAgent(step)} finds ${shown} as it is here when the run goes on, unless it has handed in before. It approves nothing: tandem resume ${run.id}`;
        }
      } catch (error) {
        if (!isHarnessError(error) || !REFUSALS.has(error.code)) throw error;
        return `${shown} did not go to run ${run.id}: ${describeError(error)} The copy is ${copy}.`;
      }
      await rm(copy, { recursive: true, force: true });
      return undefined;
    },
  };
}

/** Maps paths to the step's current texts, including people's changes that the agent has not read yet. */
async function readStepFiles({ run, step, folders }: PausedStep): Promise<Map<string, string>> {
  const attempt = await findBestAttempt(run, step);
  const target = folders[0]?.split('/').slice(0, 2).join('/') ?? '';
  const files = new Map<string, string>();
  for (const path of attempt?.files ?? []) {
    const inside = path.slice(`wip/${attempt?.name ?? ''}/out/`.length);
    const logical = `${target}/${inside}`;
    if (HARNESS_FILES.includes(inside) || !folders.some((folder) => logical.startsWith(`${folder}/`))) continue;
    const text = await run.read(path);
    if (text !== undefined && !/[\0\uFFFD]/.test(text)) files.set(logical, text);
  }
  const { events } = await openSnapshot(run);
  for (const words of listSteering(events)) {
    if (words.step !== step || words.heard !== undefined) continue;
    for (const { path, text } of words.files ?? []) {
      if (text === undefined) files.delete(path);
      else files.set(path, text);
    }
  }
  return files;
}

/** Chooses the attempt that has come furthest among several that were left behind, as the step itself does. */
async function findBestAttempt(run: RunFolder, step: string): Promise<{ name: string; files: string[] } | undefined> {
  const found = new Map<string, { turns: number; files: string[] }>();
  for (const path of await run.list('wip')) {
    const [, name = '', folder = ''] = path.split('/');
    if (!name.startsWith(`${step}@`)) continue;
    const one = found.get(name) ?? { turns: 0, files: [] };
    if (folder === 'turns') one.turns += 1;
    if (folder === 'out') one.files.push(path);
    found.set(name, one);
  }
  const [best] = [...found].toSorted(([, one], [, other]) => other.turns - one.turns);
  return best === undefined ? undefined : { name: best[0], files: best[1].files };
}

/** Writes all files or none: a process that dies half-way leaves no partial copy. */
async function writeCopy(copy: string, files: ReadonlyMap<string, string>, folders: readonly string[]): Promise<void> {
  const draft = `${copy}.new`;
  await rm(draft, { recursive: true, force: true });
  for (const folder of folders) await mkdir(join(draft, folder), { recursive: true });
  for (const [path, text] of files) {
    const to = confinePath(draft, path);
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, text);
  }
  await rename(draft, copy);
}

async function listChanges(copy: string, before: ReadonlyMap<string, string>): Promise<ChangedFile[]> {
  const now = existsSync(copy) ? (await walkFiles(copy)).toSorted() : [];
  const removed = [...before.keys()].filter((path) => !now.includes(path)).map((path) => ({ path }));
  const written = await Promise.all(
    now.map(async (path) => ({ path, text: await readFile(join(copy, path), 'utf8') })),
  );
  return [...written.filter(({ path, text }) => before.get(path) !== text.toWellFormed()), ...removed];
}
