/** Writes docs/reference/ and man/tandem.1 from the code: commands, keys, events, exit codes, the library. `npm run reference`. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { listNodes, toCommandNode, type CommandNode } from './command-tree.ts';
import { EXIT, EXIT_MEANS } from '../src/cli/command-context.ts';
import { buildProgram } from '../src/cli/program.ts';
import { packageVersion } from '../src/own-file.ts';
import { EventBody } from '../src/run/event.ts';

const NOTE = '<!-- Made by npm run reference; a test compares it with the code. -->';

/** Path -> text. */
export async function renderReference(): Promise<Record<string, string>> {
  const nodes = listNodes(toCommandNode(await wholeProgram()));
  return {
    'docs/reference/commands.md': commandsPage(nodes),
    'docs/reference/keys.md': keysPage(),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/exit-codes.md': exitPage(),
    'docs/reference/library.md': libraryPage(),
    'man/tandem.1': manPage(nodes),
  };
}

/** Nothing in it is ever called. */
function wholeProgram() {
  const ignore = (): void => undefined;
  const io = { out: ignore, err: ignore, draw: ignore, screen: undefined, ask: undefined, env: {}, cwd: '.' };
  const call = { io, signal: new AbortController().signal, done: () => Promise.resolve() };
  return buildProgram(call, { shown: (text) => text });
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const rowOf = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const table = (names: string[], rows: string[][]): string[] =>
  rows.length === 0 ? [] : ['', rowOf(names), `|${'---|'.repeat(names.length)}`, ...rows.map(rowOf)];

function usage({ path, args, options, inner }: CommandNode): string {
  const words = [
    path,
    ...args.map(({ shown }) => shown),
    ...(inner.length > 0 ? ['<command>'] : []),
    ...(options.length > 0 ? ['[options]'] : []),
  ];
  return ['tandem', ...words].filter((word) => word !== '').join(' ');
}

function commandsPage(nodes: readonly CommandNode[]): string {
  const parts = nodes
    .filter(({ path }) => path !== '')
    .flatMap((node) => [
      '',
      `## tandem ${node.path}`,
      sentence(node.does),
      '',
      '```text',
      usage(node),
      '```',
      ...table(
        ['argument', 'meaning'],
        node.args.filter(({ does }) => does !== '').map(({ shown, does }) => [`\`${shown}\``, does]),
      ),
      ...table(
        ['option', 'meaning', 'default'],
        node.options.map((one) => [
          `\`${one.flags}\``,
          one.does + (one.choices.length > 0 ? ` (${one.choices.join(', ')})` : ''),
          one.default ?? '',
        ]),
      ),
      ...(node.examples.length === 0
        ? []
        : ['', '```text', ...node.examples.map(([line, does]) => `tandem ${line}   # ${does}`), '```']),
    ]);
  return [
    `# Commands`,
    NOTE,
    '',
    'The same as `tandem <command> --help`. Exit codes: [exit-codes.md](exit-codes.md).',
    ...parts,
    '',
  ].join('\n');
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
  $ref?: string;
};

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(' · ');
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return [...new Set(several.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const least =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`);
  const most = schema.maximum === undefined || schema.maximum >= Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const range = [
    ...(least === undefined ? [] : [`${typeof least === 'number' ? 'from ' : ''}${least}`]),
    ...(most === undefined ? [] : [`to ${most}`]),
  ];
  return [
    [schema.type ?? 'anything'].flat().join(' or '),
    ...(range.length === 0 ? [] : [`(${range.join(' ')})`]),
  ].join(' ');
}

export type KeyRow = [key: string, type: string, need: string, means: string];

/** Each key with all that it holds, as `queue.lock_ms`. */
export function keysOf(schema: Schema, prefix = '', depth = 0): KeyRow[] {
  if (depth > 5) return [];
  const open = typeof schema.additionalProperties === 'object' ? { '<name>': schema.additionalProperties } : {};
  const own = Object.entries({ ...schema.properties, ...open }).flatMap(([name, inner]): KeyRow[] => {
    const key = `${prefix}${name}`;
    const need = schema.required?.includes(name) === true ? 'yes' : '';
    const byDefault = inner.default === undefined ? need : `\`${JSON.stringify(inner.default)}\``;
    return [[key, typeOf(inner), byDefault, inner.description ?? ''], ...keysOf(inner, `${key}.`, depth + 1)];
  });
  const others = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => keysOf(one, prefix, depth + 1));
  const items = schema.items === undefined ? [] : keysOf(schema.items, prefix.replace(/\.$/, '[].'), depth + 1);
  const seen = new Set<string>();
  return [...own, ...others, ...items].filter(([key]) => !seen.has(key) && seen.add(key));
}

/** Nobody writes these: docs/evaluation.md says what they hold. */
export const isRead = (path: string): boolean => /(?:results|trace-line)\.schema\.json$/.test(path);

function keysPage(): string {
  const files = globSync('schemas/*.schema.json').toSorted();
  const parts = files.flatMap((path) => {
    const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema;
    const rows = keysOf(schema).map(([key, type, need, means]) => [
      `\`${key}\``,
      ...(isRead(path) ? [] : [means]),
      type,
      need,
    ]);
    const names = ['key', ...(isRead(path) ? [] : ['meaning']), 'value', 'needed, or default'];
    return ['', `## ${schema.title ?? path}`, `Schema: [${path}](../../${path}).`, ...table(names, rows)];
  });
  const about =
    'Editors that know JSON Schema complete these keys; `config/*.yaml` name their schema in the first line. An empty last column: may be left out.';
  return ['# Keys of every file', NOTE, '', about, ...parts, ''].join('\n');
}

function eventsPage(): string {
  const schema = z.toJSONSchema(EventBody, { io: 'input', unrepresentable: 'any' }) as Schema;
  const parts = (schema.oneOf ?? schema.anyOf ?? []).flatMap((event) => {
    const { type, ...properties } = event.properties ?? {};
    const rows = keysOf({ ...event, properties }).map(([key, kind, need]) => [`\`${key}\``, kind, need]);
    return [
      '',
      `## ${String(type?.const)}`,
      ...(rows.length === 0 ? ['It holds nothing but its type.'] : table(['field', 'value', 'needed'], rows)),
    ];
  });
  const about =
    'One line of `events/` in a run folder. Each also has `seq`, `at` and the hash of the line before. Fields are only ever added ([versioning.md](../versioning.md)).';
  return ['# Events of a run', NOTE, '', about, ...parts, ''].join('\n');
}

function exitPage(): string {
  const rows = Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_MEANS[name as keyof typeof EXIT]]);
  return [
    '# Exit codes',
    NOTE,
    '',
    'What a job should do about each: [ci.md](../ci.md#what-an-exit-code-means).',
    ...table(['code', 'means'], rows),
    '',
  ].join('\n');
}

const DOORS = [
  ['tandem-harness', 'src/library/index.ts'],
  ['tandem-harness/context', 'src/library/context.ts'],
  ['tandem-harness/evaluation', 'src/app/evaluation/evaluate-folder.ts'],
  ['tandem-harness/testing', 'src/app/testing.ts'],
] as const;

function libraryPage(): string {
  const parts = DOORS.flatMap(([name, path]) => [
    '',
    `## ${name}`,
    ...table(
      ['export', 'what it is'],
      exportsOf(path).map(({ name: one, does }) => [`\`${one}\``, does]),
    ),
  ]);
  const about =
    'What may be imported; how to use it: [context-library.md](../context-library.md), [evaluation.md](../evaluation.md). Types are in the package.';
  return ['# Library', NOTE, '', about, ...parts, ''].join('\n');
}

/** Every name that a door exports, with the first sentence of what is written above it. */
function exportsOf(path: string): { name: string; does: string }[] {
  const text = readFileSync(path, 'utf8');
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      names
        .split(',')
        .map((one) =>
          one
            .trim()
            .replace(/^type /, '')
            .split(' as '),
        )
        .filter(([name]) => name !== '')
        .map(([name = '', as = name]) => ({ name: as, does: sentenceAbove(name, join(dirname(path), from)) })),
  );
  const own = [...text.matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm)].map(
    ([, name = '']) => ({ name, does: sentenceAbove(name, path) }),
  );
  // The core's own functions are described where they stand: a door beside this one is a part of it.
  const parts = [...text.matchAll(/^export \* from '(\.\/[^']+)'/gm)].flatMap(([, from = '']) =>
    exportsOf(join(dirname(path), from)),
  );
  return [...parts, ...passedOn, ...own];
}

function sentenceAbove(name: string, path: string): string {
  const text = readFileSync(path, 'utf8');
  const at = text.search(
    new RegExp(`^export (?:async )?(?:declare )?(?:function|const|class|type|interface) ${name}\\b`, 'm'),
  );
  if (at < 0) {
    const from = new RegExp(`\\b${name}\\b[^}]*\\} from '([^']+)'`).exec(text)?.[1];
    return from === undefined ? '' : sentenceAbove(name, join(dirname(path), from));
  }
  const comment =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, at))?.[1] ?? /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? '';
  const plain =
    comment
      .replaceAll(/^\s*\* ?/gm, '')
      .trim()
      .split(/\n\s*\n/)[0] ?? '';
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(plain)?.[0].replaceAll('\n', ' ') ?? plain;
}

/** As man(7) reads it: a line that begins with a dot or a quote would be a command. */
function manPage(nodes: readonly CommandNode[]): string {
  const safe = (text: string): string =>
    text
      .replaceAll('\\', String.raw`\e`)
      .replaceAll('-', String.raw`\-`)
      .replace(/^([.'])/gm, String.raw`\&$1`);
  const [program, ...rest] = nodes;
  const entry = (title: string, does: string): string[] => ['.TP', `.B ${safe(title)}`, safe(does)];
  return [
    `.TH TANDEM 1 "" "tandem ${packageVersion()}" "Tandem"`,
    '.SH NAME',
    safe(`tandem - ${program?.does ?? ''}`),
    '.SH SYNOPSIS',
    safe('tandem <command> [options]'),
    ...rest
      .filter(({ inner }) => inner.length === 0)
      .flatMap((node) => [
        `.SH "${safe(`tandem ${node.path}`).toUpperCase()}"`,
        safe(usage(node)),
        '.PP',
        safe(sentence(node.does)),
        ...node.options.flatMap((one) => entry(one.flags, sentence(one.does))),
        ...node.examples.flatMap(([line, does]) => [
          '.PP',
          safe(`Example: tandem ${line}`),
          '.br',
          safe(sentence(does)),
        ]),
      ]),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT).flatMap(([name, code]) =>
      entry(String(code), sentence(EXIT_MEANS[name as keyof typeof EXIT])),
    ),
    '',
  ].join('\n');
}

if (process.argv[1]?.endsWith('reference.ts') === true) {
  mkdirSync('docs/reference', { recursive: true });
  mkdirSync('man', { recursive: true });
  for (const [path, text] of Object.entries(await renderReference())) writeFileSync(path, text);
}
