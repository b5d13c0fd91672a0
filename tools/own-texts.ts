/** The part of every build that turns files of other languages into text, because a built program is one file. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const CALL = /\breadOwnText\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
/** The function itself, and this file. */
const DEFINITIONS = /\/own-(?:file|texts)\.ts$/;

/** YAML becomes JSON, which every reader of YAML takes too, and which is read far faster. */
function readBuiltText(file: URL): string {
  const text = readFileSync(file, 'utf8');
  return file.pathname.endsWith('.yaml') ? JSON.stringify(parse(text)) : text;
}

/** Replaces each call of `readOwnText` by the text that it would read. */
export const ownTexts = {
  name: 'own-texts',
  transform(code: string, id: string): string | undefined {
    if (!code.includes('readOwnText(') || DEFINITIONS.test(id)) return undefined;
    if (code.replaceAll(CALL, '').includes('readOwnText('))
      throw new Error(
        `${id}: readOwnText takes a path in quotes and import.meta.url, so that a build can read the file`,
      );
    return code.replaceAll(CALL, (_, path: string) => JSON.stringify(readBuiltText(new URL(path, pathToFileURL(id)))));
  },
};
