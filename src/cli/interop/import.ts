/** `tandem import <format> <source>`: converts files of other harnesses, and lists what is missing. */
import { existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { stat, mkdir, rename, rm, writeFile, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep, relative } from 'node:path';
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
import { HarnessError, usageError, describeError, isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { Slug } from '../../scenario/brief.ts';
import { type Call, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { type SandboxFlags, sandboxOver } from '../open-command-sandbox.ts';
import { confinePath } from '../../disk/confine.ts';
import { failFastSession, openSessions } from '../../evaluation/components/open-sessions.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { writeProposals } from '../../interop/traces/proposal-files.ts';
import { proposeSamples, type Proposal } from '../../interop/traces/propose.ts';
import { readTraces, type ReadTrace } from '../../interop/traces/read-traces.ts';
import { createRedactor } from '../../interop/traces/redact.ts';
import { designFor, namedComponents } from '../evaluate/read-iteration.ts';

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
      throw usageError(
        `Recordings of ${format} are imported no more: tandem rejudge ${shown} judges them where they are.`,
      );
    case 'promptfoo':
      return readPromptfoo(path, shown);
    case 'inspect':
      return importInspect(await readInspect(path, shown), shown, scorer);
    default:
      throw usageError(`"${format}": expected promptfoo, inspect or traces.`);
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

type NewFile = { path: string; content: string | Uint8Array; executable?: boolean };

/** Writes the files of an import or export into a new folder, completely or not at all. */
async function writeImported(target: string, { files, gaps, todo }: ImportedFiles, source: string): Promise<void> {
  await writeNewFolder(target, [...files, gapsFile(gaps, `What could not be carried over from ${source}`, todo)]);
}

/** Throws `usage` if anything exists there; nothing is overwritten. */
async function writeNewFolder(target: string, files: readonly NewFile[]): Promise<void> {
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

function gapsFile(gaps: readonly string[], title: string, todo: readonly string[] = []): NewFile {
  const list = gaps.length === 0 ? 'Nothing is missing.' : gaps.map((gap) => `- ${gap}`).join('\n');
  const rest = todo.length === 0 ? '' : `\n## What is for you to add\n\n${todo.map((one) => `- ${one}`).join('\n')}\n`;
  return { path: 'GAPS.md', content: `# ${title}\n\n${list}\n${rest}` };
}

const MOST_FILES = 2000;
const MOST_BYTES = 64 * 1024 * 1024;
const ENDINGS = /\.(?:json|jsonl|ndjson)$/i;

/** `tandem import traces <file|folder> --for <design>`: proposals of samples from recorded conversations. */
async function importTraces(
  { path, shown, named }: { path: string; shown: string; named: string | undefined },
  options: SandboxFlags,
  { io, signal }: Call,
): Promise<ImportedFiles> {
  if (named === undefined)
    throw usageError('Samples are proposed for a design: name a scenario, a run or a folder of components with --for.');
  const { traces, refused } = await readTraceFiles(path, shown);
  const dir = await namedComponents(named, io);
  const design = await designFor(dir, undefined);
  const sandbox = await sandboxOver(dir, options, io);
  const session = failFastSession(await openSessions(sandbox, dir));
  try {
    const { components } = await loadInSession(session, dir, signal);
    const { redact, report } = createRedactor();
    // Redacting comes first, so that nothing that follows can hold what was taken out.
    const clean = traces.map((trace) => ({ ...redact(trace, trace.place), format: trace.format }));
    const proposals = await proposeSamples(clean, { components, design, session }, signal);
    const failed = refused.map((one) => redact(one, one.place));
    return writeProposals([...proposals, ...failed], report());
  } finally {
    await session.close();
  }
}

/** A file without a conversation is refused by its line, and alone it ends the command. */
async function readTraceFiles(path: string, shown: string): Promise<{ traces: ReadTrace[]; refused: Proposal[] }> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? await listTraceFiles(path, shown) : [path];
  const traces: ReadTrace[] = [];
  const refused: Proposal[] = [];
  let fault: unknown;
  for (const file of files) {
    const name = isFolder ? join(shown, relative(path, file)) : shown;
    try {
      if ((await stat(file)).size > MOST_BYTES)
        throw usageError(`${name}:1: is larger than ${MOST_BYTES} bytes: split it.`);
      traces.push(...readTraces(await readFile(file, 'utf8'), name));
    } catch (error) {
      if (!isHarnessError(error, 'usage') && !isHarnessError(error, 'config_invalid')) throw error;
      fault ??= error;
      const base = { id: `file-${refused.length + 1}`, place: `${name}:1`, group: 'not read', steps: [] };
      refused.push({ ...base, disposition: 'refused', notes: [describeError(error)] });
    }
  }
  if (traces.length === 0) throw fault;
  return { traces, refused };
}

async function listTraceFiles(path: string, shown: string): Promise<string[]> {
  const names = (await readdir(path, { recursive: true })).filter((name) => ENDINGS.test(name)).toSorted();
  if (names.length === 0) throw usageError(`${shown}: holds no .json or .jsonl file.`);
  if (names.length > MOST_FILES)
    throw usageError(`${shown}: holds more than ${MOST_FILES} files: name a smaller folder.`);
  return names.map((name) => resolve(path, name));
}
