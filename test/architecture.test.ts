/** The house keeps its form: imports run downward, pure rooms stay pure, a vendor is named in one folder, files stay small. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A room is a folder of `src`, or the part of one that is named here; the higher may import the lower. */
const FLOORS: Record<string, number> = {
  cli: 15,
  library: 14,
  app: 14,
  web: 13,
  batch: 12,
  worker: 12,
  pipeline: 11,
  gate: 10,
  'run-folder': 9,
  interop: 9,
  config: 8,
  agent: 7,
  evaluation: 7,
  adapters: 7,
  disk: 6,
  report: 6,
  ports: 5,
  'context-lab': 5,
  run: 4,
  'gate/rules': 3,
  context: 3,
  scenario: 2,
  transcript: 1,
  'optional-package': 1,
  errors: 0,
  'own-file': 0,
  'omit-undefined': 0,
  'get-or-create': 0,
  'parse-json': 0,
};
const PURE = new Set(['transcript', 'scenario', 'context', 'context-lab', 'gate/rules', 'run', 'report', 'errors']);
/** Rooms that only some others may know, whatever floor they are on. */
const KNOWN_BY: Record<string, readonly string[]> = {
  adapters: ['app'],
  interop: ['app', 'cli', 'library'],
  'context-lab': ['cli', 'report', 'library', 'pipeline'],
};
/** Packages that are as pure as the rooms that name them. */
const PURE_VENDORS = ['zod', '@cfworker/json-schema', 're2js', 'diff'];
/** Where each vendor may be named; `zod` may be named anywhere. */
const VENDORS: Record<string, string[]> = {
  '@cfworker/json-schema': ['scenario/json'],
  re2js: ['scenario/json'],
  '@anthropic-ai/sdk': ['adapters/anthropic', 'adapters/file-tools', 'library/shapes'],
  bullmq: ['adapters/bullmq'],
  ioredis: ['adapters/bullmq'],
  hono: ['web'],
  '@hono/node-server': ['web'],
  nodemailer: ['adapters/notices'],
  '@modelcontextprotocol/client': ['adapters/mcp'],
  '@modelcontextprotocol/server': ['cli/mcp'],
  'quickjs-emscripten-core': ['adapters/quickjs'],
  '@jitl/quickjs-ng-wasmfile-release-sync': ['adapters/quickjs'],
  commander: ['cli'],
  '@commander-js/extra-typings': ['cli'],
};
/** Over the cap on purpose; each file says why at its head. */
const LONG_FILES = new Set<string>([]);
const MAX_LINES = 250;
const MAX_MEDIAN = 90;
const MAX_FILES = 25;

type Source = { path: string; room: string; text: string; imports: { spec: string; typeOnly: boolean }[] };

function sources(): Source[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => {
      const text = readFileSync(join('src', path), 'utf8');
      const found = [
        ...text.matchAll(/^\s*(?:import|export)\s+(type\s+)?[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'/gm),
      ];
      const bare = [...text.matchAll(/^import\s+'([^']+)'/gm)];
      const imports = [
        ...found.map((match) => ({ spec: match[2] ?? match[3] ?? '', typeOnly: match[1] !== undefined })),
        ...bare.map((match) => ({ spec: match[1] ?? '', typeOnly: false })),
      ];
      return { path, room: roomOf(path), text, imports };
    });
}

function roomOf(path: string): string {
  if (path.startsWith('gate/rules/')) return 'gate/rules';
  return path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/\.\w+$/, '');
}

const all = sources();

describe('the house', () => {
  test('has files, and every room stands on a floor', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((file) => FLOORS[file.room] === undefined).map((file) => file.path)).toEqual([]);
  });

  test('imports run downward, and rooms on one floor do not import each other', () => {
    const wrong = crossings()
      .filter(({ from, to }) => (FLOORS[to] ?? 99) >= (FLOORS[from] ?? 0))
      .map(
        ({ file, spec, from, to }) =>
          `${file} (${from}, floor ${FLOORS[from]}) imports ${spec} (${to}, floor ${FLOORS[to]}): move what both need below ${from}, or hand it in from above`,
      );
    expect(wrong).toEqual([]);
  });

  test('adapters are known to app alone, importers and the context lab to the edge', () => {
    const wrong = crossings()
      .filter(({ from, to }) => KNOWN_BY[to] !== undefined && !KNOWN_BY[to].includes(from))
      .map(
        ({ file, spec, to }) => `${file} imports ${spec}: only ${KNOWN_BY[to]?.join(', ')} may; ask for a port instead`,
      );
    expect(wrong).toEqual([]);
  });

  test('paid models are composed in one place', () => {
    const parts = ['openModels', 'openModelLimiter', 'createAnthropicModel', 'tracedModel'];
    const wrong = all
      .filter(({ path }) => path !== 'app/models/open-model-access.ts')
      .flatMap(({ path, text }) =>
        parts
          .filter((part) => new RegExp(`\\b${part}\\(`).test(withoutComments(text)))
          .filter(
            (part) => !text.includes(`export async function ${part}`) && !text.includes(`export function ${part}`),
          )
          .map((part) => `${path} calls ${part}: open models by openModelAccess of src/app/models`),
      );
    // The adapter is called by a part of the composition.
    expect(wrong.filter((line) => !line.startsWith('app/models/open-models.ts calls createAnthropicModel'))).toEqual(
      [],
    );
  });

  test('one function builds what an agent needs for a turn, in a step, a session and a chat', () => {
    const builders = all.filter(({ text }) => text.includes('createRequestFitter({')).map(({ path }) => path);
    // The library has no pipeline, and a sub-agent works inside the turn that called it.
    expect(builders.toSorted()).toEqual([
      'agent/subagent.ts',
      'library/open-context.ts',
      'pipeline/steps/agent-turn.ts',
    ]);
  });

  test('a journal is read and folded in one place', () => {
    const wrong = all
      .filter(({ path, room }) => room !== 'run' && room !== 'adapters' && path !== 'run-folder/snapshot.ts')
      .filter(({ text }) => /\bfold\(|\.journal\.read\(/.test(withoutComments(text)))
      .map(({ path }) => `${path} reads a journal by hand: use openSnapshot or transact of src/run-folder`);
    expect(wrong).toEqual([]);
  });

  test('a room is entered by the doors that its README.md names, and each of them is used', () => {
    const entered = crossings().map(({ file, spec }) => ({ file, spec, folder: folderOf(spec) }));
    const outside = entered.filter(({ file, folder }) => folder !== undefined && folder !== folderOf(file));
    const wrong = outside
      .filter(({ spec, folder = '' }) => doorsOf(folder)?.has(spec.slice(folder.length + 1)) === false)
      .map(
        ({ file, spec, folder }) => `${file} imports ${spec}: use a door of src/${folder}/README.md, or add this one`,
      );
    expect(wrong).toEqual([]);
    const used = new Set([...outside.map(({ spec }) => spec), 'cli/main.ts', 'library/index.ts', 'library/context.ts']);
    const unused = rooms().flatMap((room) =>
      [...(doorsOf(room) ?? [])].map((door) => `${room}/${door}`).filter((door) => !used.has(door)),
    );
    expect(unused).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(circles()).toEqual([]);
  });

  test(`no folder holds more than ${MAX_FILES} files`, () => {
    const sizes = Map.groupBy(all, ({ path }) => dirname(path));
    const full = [...sizes]
      .filter(([, files]) => files.length > MAX_FILES)
      .map(([folder, files]) => `${folder}: ${files.length}`);
    expect(full).toEqual([]);
  });

  test('pure rooms know no node:, no vendor that is not pure itself, and no async', () => {
    const wrong = all
      .filter((file) => PURE.has(file.room))
      .flatMap((file) => [
        ...file.imports
          .filter(({ spec }) => !spec.startsWith('.') && !PURE_VENDORS.includes(spec))
          .map(({ spec }) => `${file.path} imports ${spec}`),
        ...(/\basync\b|\bawait\b|\bPromise</.test(withoutComments(file.text)) ? [`${file.path} is async`] : []),
        ...(/\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\./.test(withoutComments(file.text))
          ? [`${file.path} reads clock, chance or env`]
          : []),
      ]);
    expect(wrong).toEqual([]);
  });

  test('a vendor is named in one folder', () => {
    const wrong = all.flatMap((file) =>
      file.imports
        .filter(({ spec }) => !spec.startsWith('.') && !spec.startsWith('node:'))
        .map(({ spec }) => ({
          spec,
          vendor: Object.keys(VENDORS).find((name) => spec === name || spec.startsWith(`${name}/`)),
        }))
        .filter(
          ({ vendor }) =>
            vendor !== undefined && !(VENDORS[vendor] ?? []).some((folder) => file.path.startsWith(folder)),
        )
        .map(({ spec }) => `${file.path} names ${spec}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every file opens with the sentence that a map would print under its name', () => {
    expect(all.filter((file) => !/^(#!.*\n)?\/\*\*[\s*]+\S/.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  test(`no file is longer than ${MAX_LINES} lines, and half of them are under ${MAX_MEDIAN}`, () => {
    const lengths = all.map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }));
    expect(lengths.filter(({ path, lines }) => lines > MAX_LINES && !LONG_FILES.has(path))).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(MAX_MEDIAN + 1);
  });

  test('the core knows no agent by name (S0.1)', () => {
    const core = all.filter((file) => ['agent', 'context', 'transcript'].includes(file.room));
    expect(
      core.filter((file) => /['"`](init|execute)['"`]/.test(withoutComments(file.text))).map((file) => file.path),
    ).toEqual([]);
  });
});

/** Every import that leaves its room. */
function crossings(): { file: string; spec: string; from: string; to: string }[] {
  return all.flatMap(({ path, room, imports }) =>
    imports
      .filter(({ spec }) => spec.startsWith('.'))
      .map(({ spec }) => posix.normalize(posix.join(dirname(path), spec)))
      .map((spec) => ({ file: path, spec, from: room, to: roomOf(spec) }))
      .filter(({ from, to }) => from !== to),
  );
}

function rooms(): string[] {
  return readdirSync('src', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

function folderOf(path: string): string | undefined {
  return path.includes('/') ? path.split('/')[0] : undefined;
}

/** Undefined for a room in which every file is a door. */
function doorsOf(room: string): Set<string> | undefined {
  const text = readFileSync(join('src', room, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ');
  if (text.includes('Every file is a door.')) return undefined;
  const list = text.slice(text.indexOf(' Doors:'));
  return new Set([...list.matchAll(/`([^`]+\.m?ts)`/g)].map(([, name = '']) => name));
}

/** Each circle once, as the way around it. */
function circles(): string[] {
  const edges = new Map(
    all.map(({ path, imports }) => [
      path,
      imports
        .filter(({ spec }) => spec.startsWith('.'))
        .map(({ spec }) => posix.normalize(posix.join(dirname(path), spec))),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (way.includes(path) || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return found;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
