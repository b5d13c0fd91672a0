/** Python of a suite, inline and in files. It becomes part of a checker in Python; here it is only looked at. */
import { isScriptFile } from './suite-files.ts';

/** Modules of the standard library that need no file, network, process or clock. */
const MODULES = new Set(
  [
    '__future__ abc ast base64 bisect calendar collections copy csv dataclasses datetime decimal difflib enum fractions functools',
    'hashlib heapq html inspect io itertools json keyword logging math numbers operator pprint random re statistics string struct',
    'sys textwrap time traceback types typing unicodedata urllib.parse uuid warnings xml zoneinfo contextlib colorsys binascii',
  ].flatMap((line) => line.split(' ')),
);
const IMPORTS = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm;
/** Files, the network and other code. */
const UNAVAILABLE = /\b(open|exec|eval|input|__import__)\s*\(|\b(sys\.path)\b/;
const KNOWN_CONTEXT = new Set(['vars', 'config', 'prompt']);
const CONTEXT_KEY = /\bcontext(?:\.get\(|\[)\s*["'](\w+)["']/g;

/** Returns the JSON of the text, of the name of its file, and of the function that is called. */
export function readPython(value: unknown): { source: string } | { lost: string } {
  const file = isScriptFile(value) ? value : undefined;
  const text = file?.text ?? value;
  if (typeof text !== 'string' || text.trim() === '') return { lost: 'is no text' };
  if (file?.path.endsWith('.py') === false) return { lost: `is the file ${file.path}` };
  const code = text.replaceAll(/#.*$/gm, '');
  const modules = [...code.matchAll(IMPORTS)].flatMap(([, from, names = '']) =>
    from === undefined ? names.split(',').map((name) => name.trim().split(/\s/)[0] ?? '') : [from],
  );
  const foreign = modules.find((name) => !MODULES.has(name) && !MODULES.has(name.split('.')[0] ?? ''));
  if (foreign !== undefined) return { lost: `imports ${foreign}, which a checker does not have` };
  const [, called, path] = UNAVAILABLE.exec(code) ?? [];
  const key = [...code.matchAll(CONTEXT_KEY)].map(([, name = '']) => name).find((name) => !KNOWN_CONTEXT.has(name));
  const missing = called ?? path ?? (key === undefined ? undefined : `context.${key}`);
  if (missing !== undefined) return { lost: `uses ${missing}, which a checker does not have` };
  const parts =
    file === undefined ? [wrapInline(text), 'inline.py', 'main'] : [text, file.path, file.name ?? 'get_assert'];
  return { source: JSON.stringify(parts) };
}

/** One line is an expression; several are the body of a function, indented as promptfoo does it. */
function wrapInline(text: string): string {
  const indent = /^(?!\s*$)\s+/m.exec(text)?.[0] ?? '    ';
  const body = text.includes('\n') ? text.split('\n').map((line) => indent + line) : [`    return ${text}`];
  return `import json\n\ndef main(output, context):\n${body.join('\n')}\n`;
}
