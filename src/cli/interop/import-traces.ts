/** `tandem import traces <file|folder> --for <design>`: proposals of samples from recorded conversations. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { describeError, isHarnessError, usageError } from '../../errors.ts';
import { failFastSession, openSessions } from '../../evaluation/components/open-sessions.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import type { ImportedFiles } from '../../interop/imported-files.ts';
import { writeProposals } from '../../interop/traces/proposal-files.ts';
import { proposeSamples, type Proposal } from '../../interop/traces/propose.ts';
import { readTraces, type ReadTrace } from '../../interop/traces/read-traces.ts';
import { createRedactor } from '../../interop/traces/redact.ts';
import type { Call } from '../command-context.ts';
import { designFor, namedComponents } from '../evaluate/component-folder.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';

const MOST_FILES = 2000;
const MOST_BYTES = 64 * 1024 * 1024;
const ENDINGS = /\.(?:json|jsonl|ndjson)$/i;

export async function importTraces(
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
