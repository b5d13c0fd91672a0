/** Reads `graders/<id>.yaml`, which is data and needs no sandbox. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../errors.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import { GraderSpec } from '../../scenario/grader.ts';
import type { Problem } from '../../scenario/result.ts';
import { listComponentFiles, type ComponentFile } from '../components/component-files.ts';
import { schemaIssues } from '../components/schema-issues.ts';

const MAX_BYTES = 64 * 1024;

export async function loadGraders(dir: string): Promise<{ loaded: GraderSpec[]; problems: Problem[] }> {
  const folder = { folder: 'graders', endings: ['.yaml'], layer: 3 as const, maxBytes: MAX_BYTES };
  const { files, problems } = await listComponentFiles(dir, folder);
  const loaded: GraderSpec[] = [];
  for (const file of files) {
    const { spec, faults } = await readGrader(dir, file);
    if (spec !== undefined) loaded.push(spec);
    for (const fault of faults)
      problems.push({ ...createProblem('schema', file.name, `${file.path}: ${fault}`), layer: 3 });
  }
  return { loaded, problems };
}

async function readGrader(
  dir: string,
  { path, name }: ComponentFile,
): Promise<{ spec?: GraderSpec; faults: string[] }> {
  const value = await valueIn(join(dir, path));
  if ('fault' in value) return { faults: [value.fault] };
  const parsed = GraderSpec.safeParse(value.read);
  if (!parsed.success) return { faults: schemaIssues(parsed.error, Object.keys(GraderSpec.shape)) };
  const { id } = parsed.data;
  if (id === 'expect') return { faults: ['"expect" is the name of the built-in check; choose another'] };
  return id === name
    ? { spec: parsed.data, faults: [] }
    : { faults: [`its id is "${id}"; it must be "${name}", as the file is named`] };
}

async function valueIn(path: string): Promise<{ read: unknown } | { fault: string }> {
  try {
    // Loaded only where there is a grader.
    const { parse } = await import('yaml');
    return { read: parse(await readFile(path, 'utf8'), { maxAliasCount: 50 }) };
  } catch (error) {
    return { fault: `it is no YAML: ${describeError(error)}` };
  }
}
