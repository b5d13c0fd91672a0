/** Writes what an importer made into a new folder: whole, or not at all. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { ImportedFiles } from '../../interop/imported-files.ts';

export async function writeImported(target: string, { files, gaps }: ImportedFiles, source: string): Promise<void> {
  if (existsSync(target))
    throw new HarnessError(
      'usage',
      `${target} is there already; nothing was written. Choose another with --out or --name.`,
    );
  const draft = `${target}.new-${process.pid}`;
  try {
    for (const { path, content } of [...files, { path: 'GAPS.md', content: gapsText(gaps, source) }]) {
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await writeFile(join(draft, path), content);
    }
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function gapsText(gaps: readonly string[], source: string): string {
  const list = gaps.length === 0 ? 'Nothing is missing.' : gaps.map((gap) => `- ${gap}`).join('\n');
  return `# What could not be carried over from ${source}\n\n${list}\n`;
}
