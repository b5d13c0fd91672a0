/** Tab in a session: words after a slash, files and folders after an @, anywhere in the line. */
import { visibleFiles } from '../../pipeline/session/attachments.ts';
import { READABLE_OF_RUNS } from '../../pipeline/chat/mentioned-files.ts';
import type { Typing } from '../io.ts';
import { join } from 'node:path';

/** As in a mention: Chinese text may stand right before the sign, an address is none. */
const LAST_MENTION = /(?<![\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])@([\p{L}\p{N}_./-]*)$/u;

/** `parts`: tools, skills and sub-agents that can be named. */
export type Completing = {
  cwd: string;
  runDir: string | undefined;
  words: readonly string[];
  parts: () => Promise<readonly string[]>;
};

export function completer({ cwd, runDir, words, parts }: Completing): NonNullable<Typing['complete']> {
  return async (line) => {
    const slash = /^\/([a-z-]*)$/.exec(line);
    if (slash !== null) return [words.map((word) => `/${word}`).filter((word) => word.startsWith(line)), line];
    const begun = LAST_MENTION.exec(line)?.[1];
    if (begun === undefined) return [[], line];
    const names = [...(await namesBelow(cwd, '')), ...(await namesOfRun(runDir)), ...(await parts())];
    return [nextNames(begun, names).map((name) => `@${name}`), `@${begun}`];
  };
}

/** One level at a time: what begins so, up to the next slash. */
export function nextNames(begun: string, names: readonly string[]): string[] {
  const found = names
    .filter((name) => name.startsWith(begun))
    .map((name) => {
      const slash = name.indexOf('/', begun.length);
      return slash === -1 ? name : name.slice(0, slash + 1);
    });
  return [...new Set(found)].toSorted();
}

async function namesBelow(root: string, top: string): Promise<string[]> {
  return (await visibleFiles(join(root, top))).map((path) => join(top, path));
}

async function namesOfRun(dir: string | undefined): Promise<string[]> {
  if (dir === undefined) return [];
  return (await Promise.all(READABLE_OF_RUNS.map((top) => namesBelow(dir, top)))).flat();
}
