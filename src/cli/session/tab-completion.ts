/** Tab completion in a session: slash commands, and after an @ anywhere in the line the names of files and folders. */
import { listVisibleFiles } from '../../pipeline/session/attachments.ts';
import { READABLE_OF_RUNS } from '../../pipeline/chat/mentioned-files.ts';
import type { PromptOptions } from '../io.ts';
import { join } from 'node:path';

/** Matches as a mention does: Chinese text may stand right before the @, and an e-mail address is no mention. */
const LAST_MENTION = /(?<![\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])@([\p{L}\p{N}_./-]*)$/u;

/** `parts` lists the tools, skills and sub-agents that can be named. */
export type CompleterInput = {
  cwd: string;
  runDir: string | undefined;
  words: readonly string[];
  parts: () => Promise<readonly string[]>;
};

export function createCompleter({ cwd, runDir, words, parts }: CompleterInput): NonNullable<PromptOptions['complete']> {
  return async (line) => {
    const slash = /^\/([a-z-]*)$/.exec(line);
    if (slash !== null) return [words.map((word) => `/${word}`).filter((word) => word.startsWith(line)), line];
    const begun = LAST_MENTION.exec(line)?.[1];
    if (begun === undefined) return [[], line];
    const names = [...(await listFileNames(cwd, '')), ...(await listRunNames(runDir)), ...(await parts())];
    return [listNextNames(begun, names).map((name) => `@${name}`), `@${begun}`];
  };
}

/** Completes one folder level at a time: returns the matching names up to the next slash. */
export function listNextNames(begun: string, names: readonly string[]): string[] {
  const found = names
    .filter((name) => name.startsWith(begun))
    .map((name) => {
      const slash = name.indexOf('/', begun.length);
      return slash === -1 ? name : name.slice(0, slash + 1);
    });
  return [...new Set(found)].toSorted();
}

async function listFileNames(root: string, top: string): Promise<string[]> {
  return (await listVisibleFiles(join(root, top))).map((path) => join(top, path));
}

async function listRunNames(dir: string | undefined): Promise<string[]> {
  if (dir === undefined) return [];
  return (await Promise.all(READABLE_OF_RUNS.map((top) => listFileNames(dir, top)))).flat();
}
