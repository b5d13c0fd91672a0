/** Parses `--subject`: the gold paths, or a YAML file in the form of `subject:` in scenario.yaml. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readYamlFile } from '../../config/yaml-file.ts';
import { usageError } from '../../errors.ts';
import { SubjectBrief } from '../../scenario/subject.ts';

export type NamedSubject = 'gold' | SubjectBrief;

/** Undefined where none is named, so that the scenario's own subject plays. */
export async function readNamedSubject(values: readonly string[], cwd: string): Promise<NamedSubject | undefined> {
  const [value, another] = values;
  if (another !== undefined)
    throw usageError(
      `--subject ${another}: one evaluation plays one subject. Evaluate each into its own folder, and compare them: tandem evaluate <scenario> --subject ${value} --out one; tandem evaluate <scenario> --subject ${another} --out other; tandem compare one other`,
    );
  if (value === undefined || value === 'gold') return value;
  const path = resolve(cwd, value);
  if (existsSync(path)) return readYamlFile(path, SubjectBrief, value);
  throw usageError(
    `--subject ${value}: expected gold, or a YAML file that holds what \`subject:\` of scenario.yaml does.`,
  );
}
