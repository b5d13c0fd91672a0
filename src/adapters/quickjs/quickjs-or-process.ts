/** Two sandboxes behind the face of one: what needs the language alone runs in QuickJS, the rest where it can, or not at all. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { needsMore } from './needs-more.ts';
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

type Place = { session: SandboxSession } | { refusal: SandboxOutcome };

function joined(dir: string, pure: SandboxSession, rest: SandboxSession | undefined): SandboxSession {
  const places = new Map<string, Promise<Place>>();
  const placeOf = (module: string): Promise<Place> => {
    const known = places.get(module) ?? findPlace(dir, module, pure, rest);
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
  dir: string,
  module: string,
  pure: SandboxSession,
  rest: SandboxSession | undefined,
): Promise<Place> {
  const isPython = module.endsWith('.py');
  // What cannot be read is refused with its own words there.
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
