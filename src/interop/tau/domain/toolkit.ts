/** The toolkit of a tau2-bench domain: writes its files, and calls it in the sandbox. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { readOwnText } from '../../../own-file.ts';
import type { CallArguments, SandboxOutcome, OpenSandbox } from '../../../ports/sandbox.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import type { ImportedFiles } from '../../imported-files.ts';

/** Folders in `tools/` are no tools. */
const TOOLKIT = 'tools/toolkit';
const CALL_MS = 30_000;

/** Stands in for the packages that copied sources import. */
const STANDINS = {
  'pydantic.py': readOwnText('../standin/pydantic.py', import.meta.url),
  'tau2_base.py': readOwnText('../standin/tau2_base.py', import.meta.url),
  'tau2_describe.py': readOwnText('../standin/tau2_describe.py', import.meta.url),
  'tau2_later.py': readOwnText('../standin/tau2_later.py', import.meta.url),
  'tau2_runner.py': readOwnText('../standin/tau2_runner.py', import.meta.url),
  'tau2_standins.py': readOwnText('../standin/tau2_standins.py', import.meta.url),
  'tau2_values.py': readOwnText('../standin/tau2_values.py', import.meta.url),
};

const Side = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    changes: z.boolean(),
    kind: z.string(),
    input_schema: z.looseObject({ type: z.literal('object') }),
  }),
);
const Offer = z.object({ assistant: Side.default([]), user: Side.default([]) });

export type ToolkitMethod = z.infer<typeof Side>[number];
export type ToolkitOffer = {
  assistant: ToolkitMethod[];
  user: ToolkitMethod[];
  /** The world as the data models write it. */
  world: JsonObject;
};

/** `sources` are Python files by their path in the checkout. */
export function toolkitFiles(domain: string, sources: Readonly<Record<string, string>>): ImportedFiles['files'] {
  const own = { ...STANDINS, 'domain.json': `${JSON.stringify({ domain })}\n` };
  const copied = Object.entries(sources).map(
    ([path, content]) => [`domain/${path.split('/').at(-1)}`, content] as const,
  );
  return [...Object.entries(own), ...copied].map(([name, content]) => ({ path: `${TOOLKIT}/${name}`, content }));
}

export async function writeToolkit(dir: string, files: ImportedFiles['files']): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
  }
}

/** Arguments of which the first is a world: a large one travels once. */
export function withWorld(args: readonly unknown[], base: JsonObject): CallArguments {
  return { args, shared: [{ at: ['0'], base }] };
}

/** Calls a function of the stand-in; the outcome contains the arguments as it left them. */
export async function askToolkit(
  session: OpenSandbox,
  { file, name, args }: { file: 'tau2_runner' | 'tau2_describe'; name: string; args: CallArguments },
  signal: AbortSignal,
): Promise<Extract<SandboxOutcome, { ok: true }>> {
  const outcome = await session.call({ module: `${TOOLKIT}/${file}.py`, name, args, timeoutMs: CALL_MS }, signal);
  if (outcome.ok) return outcome;
  throw new HarnessError('config_invalid', outcome.message.replaceAll(`${TOOLKIT}/domain/`, ''));
}

/** Constructs that cannot be imported, as `file:line: what`; with `stops` the toolkit does not work. */
export async function scanSources(
  session: OpenSandbox,
  sources: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ text: string; stops: boolean }[]> {
  const { value } = await askToolkit(session, { file: 'tau2_describe', name: 'scan', args: [sources] }, signal);
  const found = z.array(z.tuple([z.string(), z.string(), z.boolean()])).parse(value);
  return found.map(([place, what, stops]) => ({ text: `${place}: ${what}`, stops }));
}

export async function describeToolkit(
  session: OpenSandbox,
  world: JsonObject,
  signal: AbortSignal,
): Promise<ToolkitOffer> {
  const call = { file: 'tau2_describe' as const, name: 'describe', args: withWorld([world], world) };
  const { value, args } = await askToolkit(session, call, signal);
  return { ...Offer.parse(value), world: args[0] as JsonObject };
}
