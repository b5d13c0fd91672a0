/** The toolkit of a tau2-bench domain: writes its files, and calls it in the sandbox. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import type { CallArguments, SandboxOutcome, OpenSandbox } from '../../../ports/sandbox.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import type { ImportedFiles } from '../../imported-files.ts';
import { BASE_PY } from '../standin/base.ts';
import { DESCRIBE_PY } from '../standin/describe.ts';
import { LATER_PY } from '../standin/lazy-table.ts';
import { PYDANTIC_PY } from '../standin/pydantic.ts';
import { RUNNER_PY } from '../standin/runner.ts';
import { VALUES_PY } from '../standin/values.ts';

/** Folders in `tools/` are no tools. */
const TOOLKIT = 'tools/toolkit';
const CALL_MS = 30_000;

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
  const own = {
    'pydantic.py': PYDANTIC_PY,
    'tau2_base.py': BASE_PY,
    'tau2_describe.py': DESCRIBE_PY,
    'tau2_later.py': LATER_PY,
    'tau2_runner.py': RUNNER_PY,
    'tau2_standins.py': STANDINS_PY,
    'tau2_values.py': VALUES_PY,
    'domain.json': `${JSON.stringify({ domain })}\n`,
  };
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

/** Python: puts the stand-ins where copied sources of tau2-bench import them from. */
const STANDINS_PY = String.raw`"""Puts the stand-ins where the copied sources look for them: pydantic, loguru, tau2.environment, tau2.utils."""
import os, sys, types


class Silent:
    def __getattr__(self, name):
        return lambda *args, **rest: self


def place(name, members, path=None):
    made = sys.modules.get(name) or types.ModuleType(name)
    vars(made).update(members)
    if path is not None:
        made.__path__ = path
    sys.modules[name] = made
    parent, _, child = name.rpartition('.')
    if parent:
        setattr(sys.modules[parent], child, made)


def install(here):
    import tau2_base
    import json
    with open(os.path.join(here, 'domain.json'), encoding='utf-8') as file:
        domain = json.load(file)['domain']
    base = {name: value for name, value in vars(tau2_base).items() if not name.startswith('_')}
    missing = lambda name: type(name, (tau2_base.BaseModel,), {'model_config': {'extra': 'allow'}})
    place('loguru', {'logger': Silent()})
    place('typing_extensions', {**{n: v for n, v in vars(__import__('typing')).items() if not n.startswith('_')}, 'override': lambda f: f})
    place('tau2', {}, [])
    for name in ('environment', 'utils', 'data_model', 'domains'):
        place('tau2.' + name, base if name == 'utils' else {}, [])
    for name in ('environment.toolkit', 'environment.db', 'environment.environment', 'environment.tool', 'utils.utils', 'utils.pydantic_utils', 'utils.io_utils'):
        place('tau2.' + name, base)
    place('tau2.data_model.tasks', {name: missing(name) for name in ('Task', 'EnvAssertion', 'EnvFunctionCall')})
    place('tau2.data_model.message', {name: missing(name) for name in ('Message', 'ToolCall', 'ToolMessage')})
    place('tau2.domains.' + domain, {}, [os.path.join(here, 'domain')])
`;
