/** Two sandboxes that act as one: components that need only the language run in QuickJS, the rest in another sandbox or not at all. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { openQuickjs } from './open-quickjs.ts';

/** `rest` is undefined where nothing else may run generated code. */
export function pureFirst(rest: Sandbox | undefined): Sandbox {
  const quickjs = openQuickjs();
  return {
    kind: rest === undefined ? 'quickjs' : `quickjs, and ${rest.kind} for what needs more`,
    gaps: rest?.gaps ?? [],
    open: async (dir) => {
      const pure = await quickjs.open(dir);
      return joined(dir, pure, await rest?.open(dir));
    },
  };
}

type HostChoice = { session: SandboxSession } | { refusal: SandboxOutcome };

function joined(dir: string, pure: SandboxSession, rest: SandboxSession | undefined): SandboxSession {
  const places = new Map<string, Promise<HostChoice>>();
  const placeOf = (module: string): Promise<HostChoice> => {
    const known = places.get(module) ?? findPlace(module, { dir, pure, rest });
    places.set(module, known);
    return known;
  };
  return {
    async call(call, signal) {
      const place = await placeOf(call.module);
      return 'refusal' in place ? place.refusal : place.session.call(call, signal);
    },
    async askAll(inquiry, signal) {
      const ask = async (module: string): Promise<SandboxOutcome[]> => {
        const place = await placeOf(module);
        if ('refusal' in place) return [place.refusal];
        const [outcomes = []] = await place.session.askAll({ ...inquiry, modules: [module] }, signal);
        return outcomes;
      };
      return Promise.all(inquiry.modules.map(ask));
    },
    async close() {
      await Promise.all([pure.close(), rest?.close()]);
    },
  };
}

async function findPlace(
  module: string,
  { dir, pure, rest }: { dir: string; pure: SandboxSession; rest: SandboxSession | undefined },
): Promise<HostChoice> {
  const isPython = module.endsWith('.py');
  // QuickJS itself refuses a file that cannot be read.
  const source = isPython ? '' : await readFile(join(dir, module), 'utf8').catch(() => '');
  const more = isPython ? 'Python' : needsMore(source);
  if (more === undefined) return { session: pure };
  if (rest !== undefined) return { session: rest };
  const where = isPython ? `${module}: Python` : `${module}:${more}`;
  const message =
    `${where} needs more than QuickJS has, and nothing else may run it here: install bubblewrap (package ` +
    '"bubblewrap"), write it without, or accept the risk with --allow-unsandboxed';
  return { refusal: { ok: false, kind: 'bad_module', message } };
}

/** Things that only node has, or that QuickJS does differently. A match in a comment only changes the place. */
const MORE: readonly RegExp[] = [
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

/** `12: setTimeout(`, or undefined when it is pure. */
export function needsMore(source: string): string | undefined {
  for (const [index, line] of source.split('\n').entries()) {
    const found = MORE.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined);
    if (found !== undefined) return `${index + 1}: ${found.trim()}`;
  }
  return undefined;
}
