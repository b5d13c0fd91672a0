/** Reads the scripts of a simulation folder; the error for a broken one has its line and a remedy. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { HarnessError, describeError } from '../../../errors.ts';
import { findContentFile } from './content-file.ts';
import { Script } from './script.ts';

const REMEDY = 'Correct the file; docs/internals/simulation.md shows every field.';

/** Loads all `*.yaml` and `*.yml` files directly in the folder, sorted by name. */
export function loadScripts(dir: string): Script[] {
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => /\.ya?ml$/.test(name));
  } catch (error) {
    const message = `The simulation folder ${dir} cannot be read: ${describeError(error)}.`;
    throw new HarnessError('config_invalid', message, { details: { dir }, cause: error });
  }
  return names.toSorted().map((name) => loadScript(dir, join(dir, name)));
}

function loadScript(dir: string, file: string): Script {
  const lines = new LineCounter();
  // Reading a pipe would block for ever.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw loadError(file, 1, 'it is not a file');
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines });
  const broken = document.errors[0];
  if (broken !== undefined) throw loadError(file, lines.linePos(broken.pos[0]).line, firstLine(broken.message));
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const parsed = Script.safeParse(toPlain(document, file, lines));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue === undefined) throw loadError(file, 1, 'it is not a script');
    const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    throw loadError(file, lineOf([...issue.path, ...extra]), `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  }
  checkContentFiles(parsed.data, { dir, file, lineOf });
  return parsed.data;
}

/** A dangling alias, or too many of them, fails only in this conversion. */
function toPlain(document: Document, file: string, lines: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (error) {
    let at = 0;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) !== undefined) return undefined;
        at = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    throw loadError(file, lines.linePos(at).line, firstLine(describeError(error)));
  }
}

type ScriptFile = { dir: string; file: string; lineOf: (path: PropertyKey[]) => number };

function checkContentFiles(script: Script, { dir, file, lineOf }: ScriptFile): void {
  script.turns.forEach(({ steps }, turn) =>
    steps.forEach(({ calls }, step) =>
      calls.forEach(({ content_file: path }, call) => {
        const found = path === undefined ? undefined : findContentFile(dir, path);
        if (found?.fault === undefined) return;
        const at = ['turns', turn, 'steps', step, 'calls', call, 'content_file'];
        throw loadError(file, lineOf(at), `${at.join('.')}: ${found.fault}`);
      }),
    ),
  );
}

function loadError(file: string, line: number, what: string): HarnessError {
  const message = `The simulation script ${file}, line ${line}: ${what}. ${REMEDY}`;
  return new HarnessError('config_invalid', message, { details: { file, line } });
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/[:.]\s*$/, '');
}
