/** Loads skills, one folder each, with a `SKILL.md` that gives its name, its purpose and the tools it wants. */
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { Skill } from '../agent/definition.ts';
import { createConfigError } from '../errors.ts';
import { NO_SKILL } from '../context/facts/active-skill.ts';
import { findFile, type Home } from './home.ts';
import { parseYaml } from './yaml-file.ts';

const FILE = 'SKILL.md';
/** Upper limit of a `SKILL.md`; longer content belongs in files that the skill names. */
const MOST_BYTES = 200_000;
const MOST_SKILLS = 200;
const MOST_FILES = 100;

const Tools = z.union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+(?![^(]*\))/))]);

/** Other fields, such as `license` or `metadata`, are for other programs and ignored here. */
const FrontMatter = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected small letters, digits and single dashes')
    .max(64),
  description: z.string().trim().min(1).max(1024),
  'allowed-tools': Tools.optional(),
});

/** Sorted by name. Throws `config_invalid` with file and line for the first `SKILL.md` that cannot be used. */
export async function loadSkills(home: Home, folder: string, shown: string): Promise<Skill[]> {
  const root = await realpath(findSkillsRoot(home, folder, shown));
  const items = await readdir(root, { withFileTypes: true });
  const names = items.map(({ name }) => name).filter((name) => existsSync(join(root, name, FILE)));
  if (names.length > MOST_SKILLS)
    throw createConfigError(
      `${folder}: ${names.length} skills, and ${MOST_SKILLS} are the most that one agent can have.`,
    );
  return Promise.all(names.toSorted().map((name) => loadSkill(root, name, `${folder}/${name}/${FILE}`)));
}

/** Finds the folder in the project or among the shipped files; a path that leads out of either is refused. */
function findSkillsRoot(home: Home, folder: string, shown: string): string {
  const leadsOut = folder.startsWith('/') || folder.includes('\\') || folder.split('/').includes('..');
  if (leadsOut)
    throw createConfigError(`${shown}: skills.folder "${folder}": expected a folder of the project, without "..".`);
  return findFile(home, folder);
}

async function loadSkill(root: string, folder: string, shown: string): Promise<Skill> {
  const dir = await resolveConfined(root, join(root, folder), shown);
  const path = await resolveConfined(root, join(dir, FILE), shown);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw createConfigError(`${shown}: cannot be read.`, cause);
  });
  if (bytes.length > MOST_BYTES)
    throw createConfigError(
      `${shown}: ${bytes.length} bytes, and ${MOST_BYTES} are the most: move the details into files beside it.`,
    );
  const { front, body, bodyLine } = splitFrontMatter(bytes.toString('utf8'), shown);
  const parsed = parseYaml(front, FrontMatter, shown);
  const line = front.split('\n').findIndex((one) => one.startsWith('name:')) + 1;
  if (parsed.name !== folder)
    throw createConfigError(`${shown}:${line}: name "${parsed.name}": expected "${folder}", as its folder is called.`);
  if (parsed.name === NO_SKILL)
    throw createConfigError(`${shown}: no skill can be called "${NO_SKILL}": that puts a skill away.`);
  if (body === '') throw createConfigError(`${shown}:${bodyLine}: expected the skill's text after the front matter.`);
  const { name, description, 'allowed-tools': tools } = parsed;
  const allowedTools = tools?.map((tool) => tool.trim()).filter((tool) => tool !== '');
  return { name, description, allowedTools, body, dir, files: await listSkillFiles(dir) };
}

/** Refuses a link that leads out of the folder of skills; a link between skills is allowed. */
async function resolveConfined(root: string, path: string, shown: string): Promise<string> {
  const real = await realpath(path);
  if (real.startsWith(`${root}${sep}`)) return real;
  throw createConfigError(`${shown}: a link leads out of the folder of skills.`);
}

/** The front matter keeps its line numbers, so that errors name the right line. */
function splitFrontMatter(text: string, shown: string): { front: string; body: string; bodyLine: number } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const isFence = (line: string | undefined) => line?.trimEnd() === '---';
  if (!isFence(lines[0]))
    throw createConfigError(`${shown}:1: expected front matter: a line "---", name and description, a line "---".`);
  const end = lines.findIndex((line, place) => place > 0 && isFence(line));
  if (end < 0) throw createConfigError(`${shown}:1: the front matter is not closed: expected a second line "---".`);
  const front = ['', ...lines.slice(1, end)].join('\n');
  return {
    front,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    bodyLine: end + 2,
  };
}

async function listSkillFiles(dir: string): Promise<string[]> {
  const items = await readdir(dir, { withFileTypes: true, recursive: true });
  return items
    .filter((item) => item.isFile())
    .map((item) => relative(dir, join(item.parentPath, item.name)).split(sep).join('/'))
    .filter((file) => file !== FILE)
    .toSorted()
    .slice(0, MOST_FILES);
}
