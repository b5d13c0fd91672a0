/** `tandem import <format> <source>`: converts files of other harnesses, and lists what is missing. */
import { existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isZip } from '../../disk/unzip.ts';
import { findHome } from '../../config/home.ts';
import { createLineFinder, readYamlFile } from '../../config/yaml-file.ts';
import { parseForeignJson } from '../../interop/foreign-text.ts';
import { createSlugs, type ImportedFiles } from '../../interop/imported-files.ts';
import { readEvalFile } from '../../interop/inspect/eval-file.ts';
import { importInspect } from '../../interop/inspect/import.ts';
import { importPromptfoo } from '../../interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../interop/promptfoo/shapes.ts';
import type { SuiteFolder, TestPlace } from '../../interop/promptfoo/suite-files.ts';
import { readNamedFile, readNamedText } from '../../disk/read-named-file.ts';
import { readRecorded } from '../../interop/tau/runs/read-recorded.ts';
import { rejudge } from '../../interop/tau/runs/rejudge.ts';
import { importRecorded } from '../../interop/tau/runs/import.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { Slug } from '../../scenario/brief.ts';
import type { Call, JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { SandboxFlags } from '../open-command-sandbox.ts';
import { importTraces } from './import-traces.ts';
import { writeImported } from './write-imported.ts';

export type ImportOptions = TextFlags<'name' | 'out' | 'scorer' | 'for'> & JsonFlag & SandboxFlags;
type ImportSource = { format: string; source: string };

const MOST_GAPS = 12;

export async function importCommand(
  { format, source }: ImportSource,
  options: ImportOptions,
  call: Call,
): Promise<number> {
  const { io } = call;
  const path = resolve(io.cwd, source);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new HarnessError('not_found', `${source}: is not there. Check the path.`);
  const isTraces = format === 'traces';
  if (found.isDirectory() && !isTraces)
    throw usageError(`${source}: is a folder, and ${format} is imported from a file.`);
  const name = chooseImportName(source, options);
  const imported = isTraces
    ? await importTraces({ path, shown: source, named: options.for }, options, call)
    : await readImportFile({ format, source }, path, options.scorer);
  const target =
    options.out === undefined
      ? join(findHome(io.cwd).project, chooseHome(isTraces ? options.for : undefined, io), name)
      : resolve(io.cwd, options.out);
  await writeImported(target, imported, `${format} ${source}`);
  const made = { folder: target, files: imported.files.length, gaps: [...imported.gaps, ...(imported.todo ?? [])] };
  const { todo } = imported;
  if (options.json === true) io.out(JSON.stringify({ ...made, ...omitUndefined({ todo }) }));
  else {
    io.out(`Made ${target}: ${made.files} files`);
    for (const gap of imported.gaps.slice(0, MOST_GAPS)) io.out(terminalText(`  missing: ${gap}`));
    for (const one of (todo ?? []).slice(0, MOST_GAPS)) io.out(terminalText(`  to add: ${one}`));
    if (isTraces)
      io.out('Nothing was added. A person copies a draft into samples/, or names proposals.md under reads.');
    if (imported.gaps.length > MOST_GAPS) io.out(`  … and ${imported.gaps.length - MOST_GAPS} more in GAPS.md`);
  }
  return EXIT.met;
}

/** Proposals for a scenario lie in its folder, where `reads` can name them as a source for Init. */
function chooseHome(scenario: string | undefined, io: Io): string {
  const folder = join('scenarios', scenario ?? '');
  const isScenario = scenario !== undefined && existsSync(join(findHome(io.cwd).project, folder, 'scenario.yaml'));
  return isScenario ? join(folder, 'evidence') : 'imported';
}

function chooseImportName(source: string, { name, out }: ImportOptions): string {
  if (out?.trim() === '') throw usageError('--out is empty: name the new folder.');
  const plain = name ?? basename(source).replace(/\..*$/, '');
  // A name that is too long for a folder is cut, and stays unique; an imported file that goes elsewhere needs none.
  const slug = /[a-z0-9]/i.test(plain) || out !== undefined ? createSlugs('imported')(plain) : '';
  if (name !== undefined && name !== slug) throw usageError(`--name "${name}": use small letters, digits and dashes.`);
  if (!Slug.safeParse(slug).success) throw usageError(`${source}: no name can be made of it; give one with --name.`);
  return slug;
}

async function readImportFile(
  { format, source: shown }: ImportSource,
  path: string,
  scorer?: string,
): Promise<ImportedFiles> {
  switch (format) {
    case 'tau':
    case 'tau2':
      return importRecorded(rejudge(shown, await readRecorded(path, shown), () => []));
    case 'promptfoo':
      return readPromptfoo(path, shown);
    case 'inspect':
      return importInspect(await readInspect(path, shown), shown, scorer);
    default:
      throw usageError(`"${format}": expected tau, tau2, promptfoo, inspect or traces.`);
  }
}

/** A gap names the file and the line of its test or assertion. */
async function readPromptfoo(path: string, shown: string): Promise<ImportedFiles> {
  const places: TestPlace[] = [];
  const config = await readYamlFile(path, promptfooConfig(openSuiteFolder(dirname(path)), places), shown);
  const findLine = createLineFinder(await readNamedText(path, shown));
  return importPromptfoo(config, shown, (test, path) => {
    const place = test === undefined ? { path: [] } : places[test];
    if (place !== undefined && 'file' in place) return `${place.file}:${place.findLine(path)}`;
    return `${shown}:${findLine([...(place?.path ?? []), ...path])}`;
  });
}

/** Inspect writes an archive; a converted log is JSON. */
async function readInspect(path: string, shown: string): Promise<unknown> {
  const bytes = await readNamedFile(path, shown);
  return isZip(bytes) ? readEvalFile(bytes, shown) : parseForeignJson(await readNamedText(path, shown), shown);
}

const MOST_BESIDE_BYTES = 8 * 1024 * 1024;

/** A suite is foreign, so it may read files of its own folder and no others. */
export function openSuiteFolder(dir: string): SuiteFolder {
  return {
    read: (path) => {
      try {
        const file = realpathSync(resolve(dir, path));
        if (!file.startsWith(`${realpathSync(dir)}${sep}`)) return undefined;
        const about = statSync(file);
        if (about.isFile() && about.size > MOST_BESIDE_BYTES)
          throw new HarnessError('config_invalid', `${path}: is larger than ${MOST_BESIDE_BYTES} bytes.`);
        return about.isFile() ? readFileSync(file, 'utf8') : undefined;
      } catch (missing) {
        if (missing instanceof HarnessError) throw missing;
        return undefined;
      }
    },
    find: (pattern) => globSync(pattern, { cwd: dir }).toSorted(),
  };
}
