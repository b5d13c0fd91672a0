/** Reads Harbor tasks that Tandem exported: the files from which each was made, checked against their digests. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { confinePath, refuseLinks } from '../../disk/confine.ts';
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError } from '../../errors.ts';
import { ORIGIN_AT, WORLD_AT, type HarborTasks } from '../../interop/harbor/import.ts';
import { HarborOrigin } from '../../interop/harbor/world-file.ts';
import { parseJson } from '../../parse-json.ts';
import { MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';

/** Reads one task or a folder of them; throws `config_invalid`, naming a task that is not ours or was changed. */
export async function readHarborTasks(path: string, shown: string): Promise<HarborTasks> {
  const names = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const isTask = (await lstat(join(path, 'task.toml')).catch(() => undefined)) !== undefined;
  const dirs = isTask ? [path] : names.map(({ name }) => join(path, name)).toSorted();
  const tasks = await Promise.all(dirs.map(readTask));
  const [first] = tasks;
  if (first === undefined) throw new HarnessError('config_invalid', `${shown}: holds no task of Harbor.`);
  const files = new Map<string, string>();
  for (const { dir, origin, texts } of tasks) {
    const { scenario, components, design } = origin;
    if (scenario !== first.origin.scenario || components !== first.origin.components || design !== first.origin.design)
      throw new HarnessError(
        'config_invalid',
        `${dir} and ${first.dir} are of different exports: import the tasks of one export.`,
      );
    for (const [file, text] of texts) files.set(file, text);
  }
  return { scenario: first.origin.scenario, digests: first.origin, files };
}

async function readTask(dir: string) {
  const found = await readFile(join(dir, ORIGIN_AT), 'utf8').catch(() => '');
  const read = HarborOrigin.safeParse(parseJson(found));
  if (!read.success)
    throw new HarnessError(
      'config_invalid',
      `${dir}: its environment is none of ours (no ${ORIGIN_AT}): only tasks that tandem export harbor wrote can be imported.`,
    );
  const texts = new Map<string, string>();
  for (const [file, digest] of Object.entries(read.data.files)) {
    texts.set(file, await readProven(join(dir, WORLD_AT), file, digest));
    // The agent's copy of a tool must be the one that is imported.
    if (file.startsWith('components/tools/')) await readProven(join(dir, 'environment/world'), file, digest);
  }
  return { dir, origin: read.data, texts };
}

async function readProven(root: string, file: string, digest: string): Promise<string> {
  const path = confinePath(root, file);
  await refuseLinks(root, path);
  const about = await lstat(path).catch(() => undefined);
  const isRead = about?.isFile() === true && about.size <= MAX_WORLD_BYTES;
  const text = isRead ? await readFile(path, 'utf8') : undefined;
  if (text !== undefined && sha256(text) === digest) return text;
  const why = text === undefined ? 'is missing, no plain file, or too large' : 'was changed after the export';
  throw new HarnessError('config_invalid', `${path}: ${why}; nothing was imported.`);
}
