/** The house keeps its form: imports run downward, pure rooms stay pure, a vendor is named in one folder, files stay small. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const FLOORS: Record<string, number> = {
  cli: 10,
  commands: 9,
  app: 8,
  index: 7,
  pipeline: 7,
  config: 7,
  agent: 6,
  evaluation: 6,
  review: 6,
  adapters: 6,
  ports: 5,
  report: 5,
  run: 4,
  context: 3,
  gate: 3,
  transcript: 2,
  scenario: 2,
  errors: 1,
  'own-file': 1,
};
const PURE = new Set(['transcript', 'scenario', 'context', 'gate', 'run', 'report', 'errors']);
/** Where each vendor may be named; `zod` may be named anywhere. */
const VENDORS: Record<string, string[]> = {
  '@anthropic-ai/sdk': ['adapters/anthropic'],
  bullmq: ['adapters/bullmq'],
  ioredis: ['adapters/bullmq'],
  '@bull-board/api': ['adapters/bullmq'],
  '@bull-board/hono': ['adapters/bullmq'],
  hono: ['review'],
  '@hono/node-server': ['review', 'adapters/bullmq'],
  nodemailer: ['adapters/notices'],
  'quickjs-emscripten-core': ['adapters/quickjs'],
  '@jitl/quickjs-ng-wasmfile-release-sync': ['adapters/quickjs'],
  '@anthropic-ai/sandbox-runtime': ['adapters/sandbox-runtime'],
  commander: ['cli'],
  '@commander-js/extra-typings': ['cli'],
};
/** Same floor, and still allowed, each with its reason. */
const NEIGHBOURS = new Set([
  // Traces hold the usage numbers of the wire.
  'scenario -> transcript',
  // The pipeline and the library's face are handed the loaded config.
  'pipeline -> config',
  'index -> pipeline',
  'index -> config',
]);
/** Over the cap on purpose; each file says why at its head. */
const LONG_FILES = new Set<string>([]);
const MAX_LINES = 250;
const MAX_MEDIAN = 75;

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
  return path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/\.\w+$/, '');
}

const all = sources();

describe('the house', () => {
  test('has files, and every room stands on a floor', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((file) => FLOORS[file.room] === undefined).map((file) => file.path)).toEqual([]);
  });

  test('imports run downward, and rooms on one floor do not import each other', () => {
    const wrong = all.flatMap((file) =>
      file.imports
        .filter(({ spec }) => spec.startsWith('.'))
        .map(({ spec }) => ({ file, room: roomOf(posix.normalize(posix.join(dirname(file.path), spec))) }))
        .filter(({ room }) => room !== file.room && !NEIGHBOURS.has(`${file.room} -> ${room}`))
        .filter(({ room }) => (FLOORS[room] ?? 99) >= (FLOORS[file.room] ?? 0))
        .map(({ room }) => `${file.path} imports ${room}`),
    );
    expect(wrong).toEqual([]);
  });

  test('pure rooms know no node:, no vendor but zod, and no async', () => {
    const wrong = all
      .filter((file) => PURE.has(file.room))
      .flatMap((file) => [
        ...file.imports
          .filter(({ spec }) => !spec.startsWith('.') && spec !== 'zod')
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

  test('only ports, never adapters, are known to agent and evaluation', () => {
    const wrong = all
      .filter((file) => ['agent', 'evaluation'].includes(file.room))
      .flatMap((file) =>
        file.imports
          .filter(({ spec }) => spec.includes('/adapters/'))
          .map(({ spec }) => `${file.path} imports ${spec}`),
      );
    expect(wrong).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
