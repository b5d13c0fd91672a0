/** Compares two designs of a run: their rules, their formats and the differences between their files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { sha256 } from '../disk/sha256.ts';
import { HarnessError } from '../errors.ts';
import { ruleChanges, type ClaimedChange } from './rules/design-changes.ts';
import { formatChanges } from './rules/format-changes.ts';
import type { DesignChange, DesignContent } from '../ports/decisions.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { DESIGN_FILES } from '../scenario/design.ts';
import { readDesign } from '../run-folder/read-design.ts';

/**
 * The most removed and added lines of one file that are shown one by one; the rules are compared in any case.
 * The limit counts lines instead of seconds, so that every machine makes the same pack.
 */
const MAX_CHANGED_LINES = 1200;

export async function readDesignContent(run: RunFolder, dir: string): Promise<DesignContent> {
  const { content, problems } = await readDesignFolder(join(run.dir, dir), dir);
  if (content !== undefined) return content;
  throw new HarnessError('data_corrupt', `The committed ${dir} cannot be read: ${problems.join(' ')}`);
}

/** Reads the design in a folder that need not be committed; `problems` says why `content` is absent. */
export async function readDesignFolder(
  place: string,
  dir: string,
): Promise<{ content?: DesignContent; problems: string[] }> {
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
  const patches = DESIGN_FILES.map((name) => createFilePatch(name, before, after));
  return {
    rules: ruleChanges(before.rules, after.rules, claims),
    format: formatChanges(before.format, after.format),
    ...(before.format.subject_prompt === after.format.subject_prompt
      ? {}
      : { prompt: { before: before.format.subject_prompt, after: after.format.subject_prompt } }),
    diff: patches.flatMap(({ text }) => text ?? []).join('\n'),
    ...(patches.some(({ isWhole }) => !isWhole) && { diffIncomplete: true as const }),
    files: DESIGN_FILES.map((name) => ({
      name,
      before: sha256(before.files[name] ?? ''),
      after: sha256(after.files[name] ?? ''),
    })),
  };
}

/** Makes the unified diff of one file; `text` is absent when both sides are equal. */
function createFilePatch(
  name: string,
  before: DesignContent,
  after: DesignContent,
): { text?: string; isWhole: boolean } {
  const [old, now] = [before.files[name] ?? '', after.files[name] ?? ''];
  if (old === now) return { isWhole: true };
  const [from, to] = [`${before.dir}/${name}`, `${after.dir}/${name}`];
  const text = createTwoFilesPatch(from, to, old, now, undefined, undefined, { maxEditLength: MAX_CHANGED_LINES });
  if (text !== undefined) return { text, isWhole: true };
  const why = `more than ${MAX_CHANGED_LINES} lines differ, too large to show line by line`;
  return { text: `${to}: ${why}; the rules are compared one by one.`, isWhole: false };
}
