/** Parses `--subject`: the gold paths, or a YAML file in the form of `subject:` in scenario.yaml. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { readYamlFile } from '../../config/yaml-file.ts';
import { usageError } from '../../errors.ts';
import { Slug } from '../../scenario/brief.ts';
import { SubjectBrief } from '../../scenario/subject.ts';

export type NamedSubject = { name: string; subject: 'gold' | SubjectBrief };

export async function namedSubjects(values: readonly string[], cwd: string): Promise<NamedSubject[]> {
  const found: NamedSubject[] = [];
  for (const value of values) {
    const one = await namedSubject(value, cwd);
    const twin = found.find(({ name }) => name === one.name);
    if (twin !== undefined)
      throw usageError(`--subject ${value}: another one is named "${one.name}" too; rename a file.`);
    found.push(one);
  }
  return found;
}

async function namedSubject(value: string, cwd: string): Promise<NamedSubject> {
  if (value === 'gold') return { name: 'gold', subject: 'gold' };
  const path = resolve(cwd, value);
  const name = basename(path).replace(/\.ya?ml$/, '');
  if (!existsSync(path))
    throw usageError(
      `--subject ${value}: expected gold, or a YAML file that holds what \`subject:\` of scenario.yaml does.`,
    );
  if (!Slug.safeParse(name).success)
    throw usageError(`--subject ${value}: the file names the subject; use small letters, digits, dashes.`);
  return { name, subject: await readYamlFile(path, SubjectBrief, value) };
}
