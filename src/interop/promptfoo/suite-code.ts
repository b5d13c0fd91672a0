/** JavaScript of a suite, inline and in files. It becomes part of the checker, which runs in the sandbox; here it is parsed and never run. */
import * as nodeModule from 'node:module';
import { parse, type Node } from 'acorn';
import { describeError } from '../../errors.ts';
import type { ScriptFile } from './suite-files.ts';

/** Names that a checker lacks: other modules, the process, the network, timers. */
const UNAVAILABLE = new Set([
  ...['require', 'process', 'fetch', 'setTimeout', 'setInterval', 'globalThis', 'eval', 'Buffer', '__dirname'],
  ...['__filename', 'importScripts', 'Function'],
]);
/** Parts of promptfoo's `context` that are not available here. */
const UNKNOWN_CONTEXT = new Set(['test', 'logProbs', 'provider', 'providerResponse', 'metadata', 'trace']);

/** `note` says what promptfoo does differently with the same code. */
type ReadCode = { source: string; note?: string } | { lost: string };

/** A node of the tree; which fields there are depends on its type. */
type SyntaxNode = Node & Record<string, unknown>;

/** Returns the text of a function of `output` and `context`. */
export function readInlineCode(value: unknown): ReadCode {
  if (typeof value !== 'string' || value.trim() === '') return { lost: 'is no text' };
  const text = value.trim().replace(/;+$/, '');
  if (/^(file|package):\/\//.test(text)) return { lost: `is the file ${text}` };
  const isLines = value.trimEnd().includes('\n');
  const startsFunction = /^(?:async\s+)?(?:\(?[\w\s,{}]*\)?\s*=>|function\b)/.test(text);
  const isFunction = startsFunction && !(isLines && 'lost' in readProgram(`(${text}\n)`, 'script'));
  const isStatement = /^(?:if|return|for|while|switch|try)\b/.test(text);
  const body = isFunction || !(isLines || isStatement) ? returnLast(text) : text;
  const read = readProgram(body, 'script');
  if ('lost' in read) return read;
  const source = isFunction ? `(${text}\n)` : `(output, context) => {\n${read.globals}${body}\n}`;
  if (isFunction) return { source, note: 'is a function, which promptfoo does not call: the test always fails there' };
  return isStatement && !isLines
    ? { source, note: 'is a statement in one line, which always fails in promptfoo' }
    : { source };
}

/** A file is loaded anew for each call; `name` is the function of it that is wanted. */
export function readCodeFile({ path, name, text }: ScriptFile): ReadCode {
  if (path.endsWith('.py')) return { lost: `is the file ${path} in Python` };
  const isModule = path.endsWith('.mjs') || /^\s*(?:import|export)\b/m.test(text);
  try {
    const plain = path.endsWith('ts') ? nodeModule.stripTypeScriptTypes(text) : text;
    const read = readProgram(plain, isModule ? 'module' : 'script');
    if ('lost' in read) return read;
    const body = isModule ? exportInto(plain, read.body) : `${read.globals}${plain}`;
    const load = `(module, exports) => {\n${isModule ? "'use strict';\n" : ''}${body}\n}`;
    const about = `[${JSON.stringify(name ?? null)}, ${isModule}]`;
    return { source: `(output, context) => callFile(${load}, ${about}, [output, context])` };
  } catch (error) {
    return { lost: describeError(error) };
  }
}

/** In one line the last expression is returned; declarations may stand before it. */
function returnLast(text: string): string {
  const whole = `return (${text}\n);`;
  if (!/^(?:const|let|var)\s/.test(text)) return whole;
  // The same text with its strings blanked out has its semicolons at the same places.
  const blank = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (one) =>
    ' '.repeat(one.length),
  );
  for (let at = blank.lastIndexOf(';'); at >= 0; at = blank.lastIndexOf(';', at - 1)) {
    const made = `${text.slice(0, at + 1)} return (${text.slice(at + 1)}\n);`;
    if (!('lost' in readProgram(made, 'script'))) return made;
  }
  return text;
}

type Program = { body: SyntaxNode[]; globals: string };

/** Only a whole program parses, so the code cannot close the function around it early. `globals` declares what sloppy code only assigns. */
function readProgram(text: string, sourceType: 'script' | 'module'): Program | { lost: string } {
  let program: SyntaxNode;
  try {
    const options = { ecmaVersion: 'latest', sourceType, allowReturnOutsideFunction: true } as const;
    program = parse(text, options) as Node as SyntaxNode;
  } catch (error) {
    return { lost: `is no JavaScript (${describeError(error)})` };
  }
  const names: Names = {
    ...{ read: new Set(), declared: new Set(['arguments']), assigned: new Set(), contexts: new Set(['context']) },
    missing: undefined,
  };
  visitNode(program, names, false);
  const missing = names.missing ?? [...names.read].find((name) => UNAVAILABLE.has(name) && !names.declared.has(name));
  if (missing !== undefined) return { lost: `uses ${missing}, which a checker does not have` };
  const free = [...names.assigned].filter((name) => !names.declared.has(name) && !/^(?:module|exports)$/.test(name));
  return {
    body: program['body'] as SyntaxNode[],
    globals: free.length === 0 || sourceType === 'module' ? '' : `let ${free.join(', ')};\n`,
  };
}

type Names = {
  read: Set<string>;
  declared: Set<string>;
  assigned: Set<string>;
  /** Names of promptfoo's context: the second parameter of a function may be it. */
  contexts: Set<string>;
  missing: string | undefined;
};

/** Fields whose plain names are no variables. */
const KEY_FIELDS = new Set(['property', 'key', 'label', 'exported', 'imported']);

function visitNode(node: SyntaxNode, names: Names, isDeclared: boolean): void {
  const { type, left, id, params, object, property, init } = node;
  const isContext = (one: unknown): boolean => isNode(one) && names.contexts.has(String(one['name']));
  if (type === 'Identifier') void (isDeclared ? names.declared : names.read).add(String(node['name']));
  if (type === 'MetaProperty') names.missing ??= 'import.meta';
  if (type.startsWith('Import') || (type.startsWith('Export') && isNode(node['source'])))
    names.missing ??= type === 'ImportExpression' ? 'import' : `the module ${readName(node['source'])}`;
  if (type === 'AssignmentExpression' && isNode(left) && left.type === 'Identifier') names.assigned.add(readName(left));
  if (params !== undefined) {
    const [, given] = nodesIn(params);
    if (given?.type === 'Identifier') names.contexts.add(readName(given));
    else names.missing ??= findUnknown(given);
  }
  if (type === 'MemberExpression' && isContext(object))
    names.missing ??= findUnknown({ properties: [{ key: property }] });
  if (type === 'VariableDeclarator' && isContext(init)) names.missing ??= findUnknown(id);
  for (const [field, value] of Object.entries(node)) {
    if (KEY_FIELDS.has(field) && node['computed'] !== true && isNode(value) && value.type === 'Identifier') continue;
    const declares = isDeclared ? field !== 'right' : value === id || field === 'params' || field === 'param';
    for (const child of nodesIn(value)) visitNode(child, names, declares);
  }
}

/** The first key of a pattern that promptfoo's context has only there. */
function findUnknown(pattern: unknown): string | undefined {
  const properties = (pattern as { properties?: { key?: unknown }[] } | undefined)?.properties ?? [];
  const unknown = properties.map(({ key }) => readName(key)).find((key) => UNKNOWN_CONTEXT.has(key));
  return unknown === undefined ? undefined : `context.${unknown}`;
}

/** The name of an identifier, or the value of a literal. */
function readName(node: unknown): string {
  return isNode(node) ? String(node['name'] ?? node['value']) : '';
}

/** The text of a module with `exports.name = …` in the place of its exports. */
function exportInto(text: string, body: readonly SyntaxNode[]): string {
  const exported: string[] = [];
  const parts = body.map((statement) => {
    const { type, declaration, specifiers } = statement;
    if (!type.startsWith('Export')) return text.slice(statement.start, statement.end);
    const own = isNode(declaration) ? text.slice(declaration.start, declaration.end) : '';
    const declared = isNode(declaration) ? [declaration, ...nodesIn(declaration['declarations'])] : [];
    const names = declared.map(({ id }) => readName(id)).filter((name) => name !== '');
    const isDefault = type === 'ExportDefaultDeclaration';
    if (isDefault && names.length === 0) return `exports.default = ${own};`;
    exported.push(...names.map((name) => `exports.${isDefault ? 'default' : name} = ${name};`));
    for (const one of nodesIn(specifiers))
      exported.push(`exports.${readName(one['exported'])} = ${readName(one['local'])};`);
    return own;
  });
  return [...parts, ...exported].join('\n');
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}

function nodesIn(value: unknown): SyntaxNode[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode);
}
