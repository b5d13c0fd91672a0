/** Combines two sandboxes: components that need only the language run in QuickJS, the rest in another sandbox or not at all. */
import { getOrCreate } from '../../get-or-create.ts';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';
import { digestVisible } from '../sandbox/visible-files.ts';
import { openQuickjs, startThreadFor } from './open-quickjs.ts';

/** `rest` is undefined where no other sandbox may run generated code. */
export function pureFirst(rest: Sandbox | undefined): Sandbox {
  return combineSandboxes(
    () => rest,
    () => Promise.resolve(rest),
  );
}

/**
 * Starts the hosts for the components of one folder at once. `openRest` is called when a component needs more than
 * QuickJS; until then this is QuickJS alone, in reports too.
 */
export function pureFirstIn(folder: string, openRest: () => Promise<Sandbox | undefined>): Sandbox {
  let opened: Sandbox | undefined;
  let opening: Promise<Sandbox | undefined> | undefined;
  const restOf = (): Promise<Sandbox | undefined> => (opening ??= openRest().then((rest) => (opened = rest)));
  const needs = listNeeds(folder);
  if (needs.includes('pure')) startThreadFor(folder);
  // The first call of that component reports how opening has failed.
  if (needs.includes('more')) restOf().catch(() => undefined);
  return combineSandboxes(() => opened, restOf);
}

/** Both are bubblewrap: what QuickJS turns out not to have is asked again in `rest`, where Node has it. */
export function pureFirstInBubblewrap(walled: Sandbox, rest: Sandbox): Sandbox {
  const open = async (dir: string): Promise<OpenSandbox> => {
    const session = await walled.open(dir);
    return combineSessions(dir, { ...session, fallsBack: true }, () => rest.open(dir));
  };
  return { ...rest, open };
}

/** `known` returns the other sandbox once it is open. */
function combineSandboxes(known: () => Sandbox | undefined, restOf: () => Promise<Sandbox | undefined>): Sandbox {
  const quickjs = openQuickjs();
  return {
    get kind() {
      const rest = known();
      return rest === undefined ? 'quickjs' : `quickjs, and ${rest.kind} for what needs more`;
    },
    get gaps() {
      return known()?.gaps ?? [];
    },
    open: async (dir) => combineSessions(dir, await quickjs.open(dir), async () => (await restOf())?.open(dir)),
  };
}

/** Reads synchronously: the caller loads its modules next, and the hosts start meanwhile. */
function listNeeds(folder: string): ('pure' | 'more')[] {
  return ['tools', 'checkers'].flatMap((part) => {
    const dir = join(folder, part);
    const files = existsSync(dir) ? readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
    const modules = files.filter(({ name }) => /\.(?:mjs|m?ts|py)$/.test(name));
    return modules.map(({ name }) => {
      const source = name.endsWith('.py') ? undefined : readFileSync(join(dir, name), 'utf8');
      return source === undefined || needsMore(source) !== undefined ? 'more' : 'pure';
    });
  });
}

type HostChoice = { session: OpenSandbox } | { refusal: SandboxOutcome };

type OpenOther = () => Promise<OpenSandbox | undefined>;

/** With `fallsBack`, an answer that QuickJS may owe to what it has not is replaced by the other session's. */
type PureSession = OpenSandbox & { fallsBack?: boolean };

function combineSessions(dir: string, pure: PureSession, openRest: OpenOther): OpenSandbox {
  const places = new Map<string, Promise<HostChoice>>();
  const digests = new Map<string, Promise<string | undefined>>();
  let opened: ReturnType<OpenOther> | undefined;
  const rest: OpenOther = () => (opened ??= openRest());
  const placeOf = (module: string): Promise<HostChoice> =>
    getOrCreate(places, module, () => chooseHost(module, { dir, pure, rest }));
  /** Returns the other session for all further calls when the module needs more than was seen in its source. */
  const moveOn = async (module: string, outcomes: readonly SandboxOutcome[]): Promise<OpenSandbox | undefined> => {
    const place = await placeOf(module);
    const isMoving = pure.fallsBack === true && 'session' in place && place.session === pure;
    const other = isMoving && outcomes.some(isForLackOfNode) ? await rest() : undefined;
    if (other !== undefined) places.set(module, Promise.resolve({ session: other }));
    return other;
  };
  return {
    async call(call, signal) {
      const place = await placeOf(call.module);
      if ('refusal' in place) return place.refusal;
      const outcome = await place.session.call(call, signal);
      const other = await moveOn(call.module, [outcome]);
      return other === undefined ? outcome : other.call(call, signal);
    },
    async askAll(inquiry, signal) {
      const answers = new Map<string, SandboxOutcome[]>();
      const bySession = new Map<OpenSandbox, string[]>();
      for (const module of inquiry.modules) {
        const place = await placeOf(module);
        if ('refusal' in place) answers.set(module, [place.refusal]);
        else bySession.set(place.session, [...(bySession.get(place.session) ?? []), module]);
      }
      const ask = async ([session, modules]: [OpenSandbox, string[]]): Promise<void> => {
        const found = await session.askAll({ ...inquiry, modules }, signal);
        for (const [index, module] of modules.entries()) {
          const outcomes = found[index] ?? [];
          const other = await moveOn(module, outcomes);
          const [again] = (await other?.askAll({ ...inquiry, modules: [module] }, signal)) ?? [outcomes];
          answers.set(module, again ?? outcomes);
        }
      };
      await Promise.all([...bySession].map(ask));
      return inquiry.modules.map((module) => answers.get(module) ?? []);
    },
    async digestModule(module) {
      const digest = digests.get(module) ?? digestVisible(dir, module).catch(() => undefined);
      digests.set(module, digest);
      return digest;
    },
    async close() {
      const more = await opened?.catch(() => undefined);
      await Promise.all([pure.close(), more?.close()]);
    },
  };
}

/** The prelude and the loader name QuickJS when they refuse; syntax of V8 alone is a module that cannot be loaded. */
function isForLackOfNode(outcome: SandboxOutcome): boolean {
  return !outcome.ok && (outcome.kind === 'bad_module' || outcome.message.includes('QuickJS'));
}

async function chooseHost(
  module: string,
  { dir, pure, rest }: { dir: string; pure: OpenSandbox; rest: OpenOther },
): Promise<HostChoice> {
  const isPython = module.endsWith('.py');
  // QuickJS itself reports a file that cannot be read.
  const source = isPython ? '' : await readFile(join(dir, module), 'utf8').catch(() => '');
  const more = isPython ? 'Python' : needsMore(source);
  if (more === undefined) return { session: pure };
  const other = await rest();
  if (other !== undefined) return { session: other };
  const where = isPython ? `${module}: Python` : `${module}:${more}`;
  const message =
    `${where} needs more than QuickJS has, and nothing else may run it here: install bubblewrap (package ` +
    '"bubblewrap"), write it without, or accept the risk with --allow-unsandboxed';
  return { refusal: { ok: false, kind: 'bad_module', message } };
}

/** Features that only Node has, or that QuickJS does differently. A match in a comment only changes the sandbox. */
const NODE_ONLY: readonly RegExp[] = [
  /^\s*import\b(?!\s*type\b)[^\n]*/,
  /\bimport\s*[(.]/,
  /\bexport\b[^\n;]*\bfrom\s*['"]/,
  /\brequire\s*\(/,
  /\b(?:process|Intl|Temporal|performance|crypto|WebAssembly|navigator)\s*[.[]/,
  /\bBuffer\s*[.(]/,
  /\bfetch\s*\(/,
  /\bset(?:Timeout|Interval|Immediate)\s*\(/,
  /\.toLocale\w+\s*\(/,
  /\.localeCompare\s*\(/,
  /\bnew\s+(?:URL|URLSearchParams|TextEncoder|TextDecoder|Worker|AbortController|EventTarget|Event|Intl)\b/,
  /\b(?:atob|btoa)\s*\(/,
];

const NODE_ONLY_ANYWHERE = NODE_ONLY.map(({ source }) => new RegExp(source, 'm'));

/** Returns a place such as `12: setTimeout(`, or undefined when the source is pure. */
export function needsMore(source: string): string | undefined {
  // Nearly all sources are pure, so lines are searched only when there is something to report.
  if (!NODE_ONLY_ANYWHERE.some((pattern) => pattern.test(source))) return undefined;
  for (const [index, line] of source.split('\n').entries()) {
    const found = NODE_ONLY.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined);
    if (found !== undefined) return `${index + 1}: ${found.trim()}`;
  }
  return undefined;
}
