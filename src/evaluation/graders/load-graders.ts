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
    const read = await readGrader(dir, file);
    if ('id' in read) loaded.push(read);
    else
      for (const fault of read.faults)
        problems.push({ ...createProblem('schema', file.name, `${file.path}: ${fault}`), layer: 3 });
  }
  return { loaded, problems };
}

async function readGrader(dir: string, { path, name }: ComponentFile): Promise<GraderSpec | { faults: string[] }> {
  let value: unknown;
  try {
    // Loaded only where there is a grader.
    const { parse } = await import('yaml');
    value = parse(await readFile(join(dir, path), 'utf8'), { maxAliasCount: 50 });
  } catch (error) {
    return { faults: [`it is no YAML: ${describeError(error)}`] };
  }
  const parsed = GraderSpec.safeParse(value);
  if (!parsed.success) return { faults: schemaIssues(parsed.error, Object.keys(GraderSpec.shape)) };
  const { id } = parsed.data;
  if (id === 'expect') return { faults: ['"expect" is the name of the built-in check; choose another'] };
  return id === name ? parsed.data : { faults: [`its id is "${id}"; it must be "${name}", as the file is named`] };
}
