/** Two designs of a run side by side: their rules, their format, and the difference of their files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { HarnessError } from '../errors.ts';
import { ruleChanges, type ClaimedChange } from './rules/design-changes.ts';
import { formatChanges } from './rules/format-changes.ts';
import type { DesignChange, DesignContent } from '../ports/decisions.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { DESIGN_FILES } from '../scenario/design.ts';
import { readDesign } from '../run-folder/read-design.ts';

/** For all files together: what takes longer nobody reads line by line either; the rules are compared all the same. */
const DIFF_MS = 200;

export async function readDesignContent(run: RunFolder, dir: string): Promise<DesignContent> {
  const { content, problems } = await contentOf(join(run.dir, dir), dir);
  if (content !== undefined) return content;
  throw new HarnessError('data_corrupt', `The committed ${dir} cannot be read: ${problems.join(' ')}`);
}

/** The design in a folder that need not be committed; without `content`, `problems` says why. */
export async function contentOf(place: string, dir: string): Promise<{ content?: DesignContent; problems: string[] }> {
  const { parts, problems } = await readDesign(place, dir);
  if (parts === undefined) return { problems };
  const files = await Promise.all(
    DESIGN_FILES.map(async (name) => [name, await readFile(join(place, name), 'utf8')] as const),
  );
  return { content: { dir, rules: parts.rules, format: parts.format, files: Object.fromEntries(files) }, problems };
}

export function compareDesigns(
  before: DesignContent,
  after: DesignContent,
  claims: readonly ClaimedChange[] = [],
): DesignChange {
  return {
    rules: ruleChanges(before.rules, after.rules, claims),
    format: formatChanges(before.format, after.format),
    diff: diffOf(before, after),
  };
}

function diffOf(before: DesignContent, after: DesignContent): string {
  const end = performance.now() + DIFF_MS;
  return DESIGN_FILES.flatMap((name) => {
    const [old, fresh] = [before.files[name] ?? '', after.files[name] ?? ''];
    if (old === fresh) return [];
    const [from, to] = [`${before.dir}/${name}`, `${after.dir}/${name}`];
    const timeout = Math.max(1, end - performance.now());
    const patch = createTwoFilesPatch(from, to, old, fresh, undefined, undefined, { timeout });
    return [patch ?? `${to}: the difference is too large to show line by line; the rules are compared one by one.`];
  }).join('\n');
}
