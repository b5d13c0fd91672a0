/** `tandem import <format> <source>`: what other harnesses recorded or defined, in our own form, with a list of what is missing. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { findHome } from '../config/home.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import type { Imported } from '../evaluation/recorded/imported.ts';
import { importInspect } from '../evaluation/recorded/inspect-import.ts';
import { importPromptfoo } from '../evaluation/recorded/promptfoo.ts';
import { PromptfooConfig } from '../evaluation/recorded/promptfoo-shapes.ts';
import { readRecorded, readText } from '../evaluation/recorded/read-recorded.ts';
import { rejudge } from '../evaluation/recorded/rejudge.ts';
import { importRecorded } from '../evaluation/recorded/tau-import.ts';
import { importTau2Domain } from '../evaluation/recorded/tau2-domain.ts';
import { HarnessError } from '../errors.ts';
import { terminalText } from '../report/sanitise.ts';
import { Slug } from '../scenario/brief.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { writeImported } from './write-imported.ts';

export type ImportOptions = {
  domain?: string | undefined;
  name?: string | undefined;
  out?: string | undefined;
  scorer?: string | undefined;
  json?: boolean | undefined;
};

const MOST_GAPS = 12;

export async function importCommand(format: string, source: string, options: ImportOptions, io: Io): Promise<number> {
  const path = resolve(io.cwd, source);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new HarnessError('not_found', `${source}: is not there. Check the path.`);
  const isScenario = format === 'tau2' && found.isDirectory();
  const name = nameFor(source, options, isScenario);
  const imported = isScenario ? await readDomain(path, name, options) : await readFileOf(format, path, source, options);
  const home = findHome(io.cwd);
  const target =
    options.out === undefined
      ? join(home.project, isScenario ? 'scenarios' : 'imported', name)
      : resolve(io.cwd, options.out);
  await writeImported(target, imported, `${format} ${source}`);
  const made = { folder: target, files: imported.files.length, gaps: imported.gaps };
  if (options.json === true) io.out(JSON.stringify(made));
  else {
    io.out(`Made ${target}: ${made.files} files`);
    for (const gap of imported.gaps.slice(0, MOST_GAPS)) io.out(terminalText(`  missing: ${gap}`));
    if (imported.gaps.length > MOST_GAPS) io.out(`  … and ${imported.gaps.length - MOST_GAPS} more in GAPS.md`);
  }
  return EXIT.met;
}

function nameFor(source: string, { name, domain }: ImportOptions, isScenario: boolean): string {
  const plain = name ?? (isScenario ? domain : undefined) ?? basename(source).replace(/\..*$/, '');
  const slug = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (name !== undefined && name !== slug)
    throw new HarnessError('usage', `--name "${name}": use small letters, digits and dashes.`);
  if (!Slug.safeParse(slug).success)
    throw new HarnessError('usage', `${source}: no name can be made of it; give one with --name.`);
  return slug;
}

async function readFileOf(format: string, path: string, shown: string, { scorer }: ImportOptions): Promise<Imported> {
  switch (format) {
    case 'tau':
    case 'tau2':
      return importRecorded(rejudge(shown, await readRecorded(path, shown), () => []));
    case 'promptfoo':
      return importPromptfoo(await readYamlFile(path, PromptfooConfig, shown), shown);
    case 'inspect':
      return importInspect(parseJson(await readText(path, shown), shown), shown, scorer);
    default:
      throw new HarnessError('usage', `"${format}": expected tau, tau2, promptfoo or inspect.`);
  }
}

/** The layout of a checkout: `data/tau2/domains/<domain>/` and `src/tau2/domains/<domain>/`. */
async function readDomain(checkout: string, name: string, { domain }: ImportOptions): Promise<Imported> {
  if (domain === undefined || !/^[a-z0-9][a-z0-9_-]*$/.test(domain))
    throw new HarnessError('usage', 'Name the domain of the checkout, such as --domain airline.');
  const data = join(checkout, 'data/tau2/domains', domain);
  const code = join(checkout, 'src/tau2/domains', domain);
  const need = async (file: string): Promise<string> => {
    const text = await readFile(join(data, file), 'utf8').catch(() => undefined);
    if (text === undefined)
      throw new HarnessError('not_found', `${join(data, file)}: is not there. Is it a checkout of tau2-bench?`);
    return text;
  };
  const optional = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
  const userDb = await optional(join(data, 'user_db.json'));
  return importTau2Domain(
    {
      domain,
      policy: await need('policy.md'),
      tasks: parseJson(await need('tasks.json'), 'tasks.json'),
      db: parseJson(await need('db.json'), 'db.json'),
      userDb: userDb === undefined ? undefined : parseJson(userDb, 'user_db.json'),
      toolkit: (await optional(join(code, 'tools.py'))) ?? '',
    },
    name,
  );
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HarnessError('config_invalid', `${shown}: is no JSON: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  }
}
