/** Writes the files of an import or export into a new folder, completely or not at all. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { confinePath } from '../../disk/confine.ts';
import { usageError } from '../../errors.ts';
import type { ImportedFiles } from '../../interop/imported-files.ts';

type NewFile = { path: string; content: string | Uint8Array; executable?: boolean };

export async function writeImported(
  target: string,
  { files, gaps, todo }: ImportedFiles,
  source: string,
): Promise<void> {
  await writeNewFolder(target, [...files, gapsFile(gaps, `What could not be carried over from ${source}`, todo)]);
}

/** Throws `usage` if anything exists there; nothing is overwritten. */
export async function writeNewFolder(target: string, files: readonly NewFile[]): Promise<void> {
  if (existsSync(target))
    throw usageError(`${target} is there already; nothing was written. Choose another with --out or --name.`);
  const draft = `${target}.new-${process.pid}`;
  try {
    for (const { path, content, executable } of files) {
      const file = confinePath(draft, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: executable === true ? 0o755 : 0o644 });
    }
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

export function gapsFile(gaps: readonly string[], title: string, todo: readonly string[] = []): NewFile {
  const list = gaps.length === 0 ? 'Nothing is missing.' : gaps.map((gap) => `- ${gap}`).join('\n');
  const rest = todo.length === 0 ? '' : `\n## What is for you to add\n\n${todo.map((one) => `- ${one}`).join('\n')}\n`;
  return { path: 'GAPS.md', content: `# ${title}\n\n${list}\n${rest}` };
}
