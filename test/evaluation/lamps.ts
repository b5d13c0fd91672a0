/** A small whole scenario for tests: lamps that can be switched, and one that is locked. Tests change one file of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Brief } from '../../src/scenario/brief.ts';
import { BusinessRules, FormatSpec, type Design } from '../../src/scenario/design.ts';
import type { JsonObject } from '../../src/scenario/json/json-value.ts';
import { listArguments, type Sandbox, type SandboxOutcome, type OpenSandbox } from '../../src/ports/sandbox.ts';
import { scratch } from '../support/scratch.ts';

const SWITCH = `
export const tool = {
  name: 'switch_lamp',
  description: 'Switches a lamp.',
  input_schema: {
    type: 'object', additionalProperties: false, required: ['id', 'on'],
    properties: { id: { type: 'string' }, on: { type: 'boolean' } },
  },
  examples: [{ input: { id: 'hall', on: true }, world: 'house' }],
};
export function run({ id, on }, world) {
  const lamp = world.lamps[id];
  if (lamp === undefined) return { ok: false, error: 'no such lamp' };
  lamp.on = on;
  return { ok: true };
}
`;

const READ = `
export const tool = {
  name: 'read_lamp',
  description: 'Reads a lamp.',
  input_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  examples: [{ input: { id: 'hall' }, world: { lamps: { hall: { on: false } } } }],
};
export function run({ id }, world) {
  return world.lamps[id] ?? { error: 'no such lamp' };
}
`;

const AS_ASKED = `
export const checker = { id: 'as-asked', description: 'R1: the lamp that was asked for is on.', rules: ['R1'] };
export function check({ sample, after }) {
  const pass = after.lamps[sample.user.knows.wanted ?? 'hall'].on;
  return { pass, reason: pass ? 'it is on' : 'it is off', evidence: [] };
}
`;

const LOCKED = `
export const checker = { id: 'locked-untouched', description: 'R2: a locked lamp is not switched.', rules: ['R2'] };
export function check({ before, trace }) {
  const bad = trace.calls.find(({ tool, input }) => tool === 'switch_lamp' && before.lamps[input.id]?.locked === true);
  const evidence = bad === undefined ? [] : [\`step \${bad.step}: switch_lamp\`];
  return { pass: bad === undefined, reason: bad === undefined ? 'untouched' : 'a locked lamp was switched', evidence };
}
`;

export const turnOn = {
  id: 'turn-on',
  title: 'The hall lamp is wanted on',
  category: 'lamps',
  covers: ['R1'],
  start: { base: 'house.json', patch: [{ op: 'replace', path: '/lamps/hall/on', value: false }] },
  user: { says_first: 'It is dark here.', knows: { room: 'the hall', wanted: 'hall' } },
  expect: {
    end_state: { patch: [{ op: 'replace', path: '/lamps/hall/on', value: true }] },
    must_say: [{ any: ['is on', 'switched on'] }],
  },
  gold: [
    { tool: 'read_lamp', args: { id: 'hall' } },
    { tool: 'switch_lamp', args: { id: 'hall', on: true } },
  ],
  gold_says: 'The hall lamp is on.',
  wrong: [{ tool: 'switch_lamp', args: { id: 'hall', on: false } }],
  wrong_says: 'The hall lamp is on.',
  checkers: ['as-asked'],
};

export const lockedLamp = {
  id: 'locked-lamp',
  title: 'The cellar lamp is locked',
  category: 'lamps',
  covers: ['R2'],
  start: { base: 'house.json' },
  user: { says_first: 'Please switch the cellar lamp off.' },
  expect: { end_state: 'unchanged', must_say: [{ any: ['locked'] }], must_not_call: ['switch_lamp'] },
  gold: [{ tool: 'read_lamp', args: { id: 'cellar' } }],
  gold_says: 'The cellar lamp is locked.',
  wrong: [{ tool: 'switch_lamp', args: { id: 'cellar', on: false } }],
  wrong_says: 'It is locked no more.',
  checkers: ['locked-untouched'],
};

const FILES: Record<string, unknown> = {
  'tools/switch_lamp.mjs': SWITCH,
  'tools/read_lamp.mjs': READ,
  'checkers/as-asked.mjs': AS_ASKED,
  'checkers/locked-untouched.mjs': LOCKED,
  'samples/worlds/house.json': { lamps: { hall: { on: true }, cellar: { on: true, locked: true } } },
  'samples/turn-on.json': turnOn,
  'samples/locked-lamp.json': lockedLamp,
};

/** Writes the scenario; a file of `changes` takes the place of its own, `undefined` leaves it out, a function edits it. */
export async function lampsFolder(
  changes: Record<string, unknown> = {},
  edits: Record<string, (text: string) => string> = {},
): Promise<string> {
  const dir = await scratch();
  for (const [path, content] of Object.entries({ ...FILES, ...changes })) {
    if (content === undefined) continue;
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), edits[path]?.(text) ?? text);
  }
  return dir;
}

export function lampsDesign(more: { rules?: string[]; format?: JsonObject } = {}): Design {
  const rules = (more.rules ?? ['R1', 'R2']).map((id) => ({
    id,
    title: id,
    text: `The rule ${id}.`,
    severity: 'must',
  }));
  const format = {
    version: 1,
    world: {
      type: 'object',
      required: ['lamps'],
      additionalProperties: false,
      properties: {
        lamps: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['on'],
            properties: { on: { type: 'boolean' }, locked: { type: 'boolean' } },
          },
        },
      },
    },
    tools: [
      { name: 'switch_lamp', purpose: 'switches', changes_world: true },
      { name: 'read_lamp', purpose: 'reads', changes_world: false },
    ],
    categories: [{ id: 'lamps', title: 'Lamps', samples: 2 }],
    subject_prompt: 'You switch lamps.',
    ...more.format,
  };
  return {
    round: 1,
    digest: 'd'.repeat(64),
    narrative: '',
    rules: BusinessRules.parse({ version: 1, rules }),
    format: FormatSpec.parse(format),
  };
}

export function lampsBrief(more: { trials?: number; max_steps?: number; seconds?: number } = {}): Brief {
  const { trials = 1, max_steps = 6, seconds = 60 } = more;
  return Brief.parse({
    version: 1,
    name: 'lamps',
    title: 'Lamps',
    reads: ['brief.md'],
    trials,
    samples: { min: 2, categories: ['lamps'] },
    subject: { model: 'test-model', max_steps, seconds, max_tokens: 500 },
  });
}

/** Runs the trusted code of these tests in this process: the real walls have their own tests and cost a process each. */
export function trustedSandbox(): Sandbox {
  return {
    kind: 'trusted',
    gaps: [],
    open: async (dir) => {
      const call: OpenSandbox['call'] = async ({ module, name, args }, signal) => {
        signal.throwIfAborted();
        return ask(join(dir, module), module, name, listArguments(args));
      };
      const askAll: OpenSandbox['askAll'] = async ({ modules, name, args, times }, signal) => {
        signal.throwIfAborted();
        const all = listArguments(args);
        return modules.map((module) => Array.from({ length: times }, () => ask(join(dir, module), module, name, all)));
      };
      return { call, askAll, close: async () => undefined };
    },
  };
}

/**
 * Copies what JSON would carry to another process, so that each call has arguments of its own. By hand: a proof asks ten thousand
 * times, and a text in between takes four times as long.
 */
function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => (isCarried(one) ? copyJson(one) : null));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const one = (value as Record<string, unknown>)[key];
    if (isCarried(one)) copy[key] = copyJson(one);
  }
  return copy;
}

const isCarried = (value: unknown): boolean => value !== undefined && typeof value !== 'function';

function ask(path: string, module: string, name: string, args: readonly unknown[]): SandboxOutcome {
  const member = load(path)[name];
  if (member === undefined) return { ok: false, kind: 'bad_module', message: `${module} cannot be used` };
  const copy = copyJson(args) as unknown[];
  if (typeof member !== 'function') return { ok: true, value: member, args: copy };
  try {
    return { ok: true, value: (member as (...all: unknown[]) => unknown)(...copy), args: copy };
  } catch (error) {
    return { ok: false, kind: 'threw', message: String(error) };
  }
}

/** Past the loader of the test runner, which would read the files as its own. */
const requireFile = createRequire(import.meta.url);

function load(path: string): Record<string, unknown> {
  try {
    return requireFile(path) as Record<string, unknown>;
  } catch (broken) {
    void broken;
    return {};
  }
}
