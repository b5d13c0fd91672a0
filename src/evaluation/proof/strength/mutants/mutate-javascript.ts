/** Mutants of a JavaScript component: conditions, boundaries, fields, constants and branches of its code, never of its spec. */
import * as nodeModule from 'node:module';
import { parse, type Node } from 'acorn';
import { shownSource, type Mutant, type MutationKind, type TextMutant } from './mutant.ts';

/** The text without types, its tree, and every mutant in the order of the text. */
export type JavaScriptMutants = { text: string; body: readonly SyntaxNode[]; mutants: TextMutant[] };

/** A node of the tree; which fields there are depends on its type. */
export type SyntaxNode = Node & Record<string, unknown>;

/** Returns undefined for source that cannot be parsed or has a top-level `await`: it is not mutated. */
export function mutateJavaScript(source: string, path: string): JavaScriptMutants | undefined {
  try {
    const text = path.endsWith('ts') ? nodeModule.stripTypeScriptTypes(source) : source;
    const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true }) as Node as SyntaxNode;
    const body = nodesIn(program['body']);
    const search: MutantSearch = { text, fields: collectFields(body), found: [], guards: [] };
    for (const statement of codeIn(body)) visitNode(statement, search);
    const mutants = search.found
      .filter(({ start, end, now }) => text.slice(start, end) !== now)
      .map((mutant) => ({ ...mutant, ...describeGuard(mutant, search) }));
    return { text, body, mutants: mutants.toSorted((a, b) => a.start - b.start || a.end - b.end) };
  } catch {
    return undefined;
  }
}

type MutantSearch = { text: string; fields: FieldsByHolder; found: TextMutant[]; guards: Guard[] };

/** An `if` whose branch ends the call with a refusal. */
type Guard = { test: SyntaxNode; branch: SyntaxNode };

/** A refusal throws, or returns an object of which a field is false. */
function isRefusal(branch: unknown): branch is SyntaxNode {
  if (!isNode(branch)) return false;
  if (branch.type === 'BlockStatement') return isRefusal(nodesIn(branch['body']).at(-1));
  const { argument } = branch;
  if (branch.type !== 'ReturnStatement' || !isNode(argument)) return branch.type === 'ThrowStatement';
  return nodesIn(argument['properties']).some(({ value }) => isNode(value) && value['value'] === false);
}

/** The guard, or the part of one, that no path comes to where the mutant survives. */
function describeGuard(
  { start, end, kind, was, now }: TextMutant,
  { guards, text }: MutantSearch,
): Pick<Mutant, 'guard'> {
  const isWhole = ({ branch }: Guard): boolean => branch.start === start && branch.end === end;
  const found = guards.find((one) => isWhole(one) || (one.test.start <= start && end <= one.test.end));
  if (found === undefined) return {};
  const say = (says: string) => ({ guard: { line: found.test.loc?.start.line ?? 1, says } });
  if (isWhole(found)) return say(`\`${shownSource(text.slice(found.test.start, found.test.end))}\``);
  if (kind === 'shift-boundary' && /[<>]/.test(was)) return say(`\`${was}\` at its boundary`);
  const isPart = kind === 'drop-condition' && / (?:\|\||&&|\?\?) /.test(was) && now !== '(true)';
  return isPart ? say(`\`${was}\`, of which \`${shownSource(now.slice(1, -1))}\` is enough`) : {};
}

/** `export const tool = …`, `export const checker = …` */
function isSpec(statement: SyntaxNode): boolean {
  const declared = isNode(statement['declaration']) ? nodesIn(statement['declaration']['declarations']) : [];
  return declared.some(({ id }) => isNode(id) && (id['name'] === 'tool' || id['name'] === 'checker'));
}

/** Returns all statements except the spec and constants that only the spec uses. */
function codeIn(body: readonly SyntaxNode[]): SyntaxNode[] {
  const statements = body.filter((statement) => !isSpec(statement));
  const constants = statements.filter(({ type }) => type === 'VariableDeclaration');
  const live = new Set(statements.filter((one) => !constants.includes(one)));
  for (let size = -1; size !== live.size;) {
    size = live.size;
    const names = new Set([...live].flatMap(identifiersIn));
    for (const one of constants) if (declaredBy(one).some((name) => names.has(name))) live.add(one);
  }
  return statements.filter((one) => live.has(one));
}

function declaredBy(declaration: SyntaxNode): string[] {
  return nodesIn(declaration['declarations']).flatMap(({ id }) => nodesIn(id).flatMap(identifiersIn));
}

function identifiersIn(node: SyntaxNode): string[] {
  const own = node.type === 'Identifier' ? [String(node['name'])] : [];
  return [...own, ...Object.values(node).flatMap((value) => nodesIn(value).flatMap(identifiersIn))];
}

/** Skips template texts, which are words for people, and loop conditions, whose mutants might never end. */
function visitNode(node: SyntaxNode, search: MutantSearch): void {
  if (node.type === 'TemplateLiteral' || node.type === 'ImportDeclaration') return;
  mutantsAt(node, search);
  for (const [key, value] of Object.entries(node)) {
    const isLoop = /^(?:While|DoWhile|For)Statement$/.test(node.type) && key !== 'body';
    if (isLoop || (node.type === 'Property' && key === 'key' && node['computed'] !== true)) continue;
    for (const child of nodesIn(value)) visitNode(child, search);
  }
}

function mutantsAt(node: SyntaxNode, search: MutantSearch): void {
  const { text } = search;
  const add = (at: unknown, kind: MutationKind, now: string): void => {
    if (!isNode(at)) return;
    const [was, line] = [shownSource(text.slice(at.start, at.end)), at.loc?.start.line ?? 1];
    search.found.push({ kind, line, was, now, start: at.start, end: at.end });
  };
  const code = (part: unknown): string => (isNode(part) ? `(${text.slice(part.start, part.end)})` : '');
  switch (node.type) {
    case 'IfStatement':
      add(node['test'], 'drop-condition', '(true)');
      add(node['consequent'], 'empty-branch', '{}');
      if (isNode(node['test']) && isRefusal(node['consequent']))
        search.guards.push({ test: node['test'], branch: node['consequent'] });
      if (node['alternate'] !== null) add(node['alternate'], 'empty-branch', '{}');
      break;
    case 'ConditionalExpression':
      add(node, 'drop-condition', code(node['consequent']));
      add(node, 'drop-condition', code(node['alternate']));
      break;
    case 'LogicalExpression':
      add(node, 'drop-condition', code(node['left']));
      add(node, 'drop-condition', code(node['right']));
      break;
    case 'UnaryExpression':
      if (node['operator'] === '!') add(node, 'drop-condition', code(node['argument']));
      break;
    case 'BinaryExpression': {
      const other = OTHER_OPERATORS[String(node['operator'])];
      if (other !== undefined) add(node, other[1], `${code(node['left'])} ${other[0]} ${code(node['right'])}`);
      break;
    }
    case 'ExpressionStatement':
      if (!isDirective(node)) add(node, 'empty-branch', ';');
      break;
    case 'Literal':
      literalMutants(node, add);
      break;
    case 'MemberExpression':
      for (const field of otherFields(node, search)) add(node['property'], 'swap-field', field);
      break;
    case 'CallExpression':
      argumentMutants(node, add);
      break;
    default:
  }
}

type AddMutant = (at: unknown, kind: MutationKind, now: string) => void;

function isDirective(node: SyntaxNode): boolean {
  return typeof node['directive'] === 'string';
}

/** What takes the place of a comparison or a sum. */
const OTHER_OPERATORS: Readonly<Record<string, [operator: string, kind: MutationKind]>> = {
  '<': ['<=', 'shift-boundary'],
  '<=': ['<', 'shift-boundary'],
  '>': ['>=', 'shift-boundary'],
  '>=': ['>', 'shift-boundary'],
  '===': ['!==', 'drop-condition'],
  '!==': ['===', 'drop-condition'],
  '==': ['!=', 'drop-condition'],
  '!=': ['==', 'drop-condition'],
  '+': ['-', 'shift-boundary'],
  '-': ['+', 'shift-boundary'],
};

function literalMutants(node: SyntaxNode, add: AddMutant): void {
  const { value } = node;
  if (typeof value === 'number') add(node, 'shift-boundary', `(${value + 1})`);
  if (typeof value === 'boolean') add(node, 'change-constant', String(!value));
  // Only single words are mutated: a sentence is meant for people.
  if (typeof value === 'string' && /^[\w.:/-]+$/.test(value)) add(node, 'change-constant', JSON.stringify(`${value}~`));
}

/** Replaces arguments by `undefined`, except in calls whose first argument is a literal text: these only format. */
function argumentMutants(node: SyntaxNode, add: AddMutant): void {
  if (!isNode(node['callee']) || node['callee'].type !== 'Identifier') return;
  const args = nodesIn(node['arguments']);
  if (args[0]?.type === 'Literal' || args[0]?.type === 'TemplateLiteral') return;
  for (const given of args)
    if (given.type === 'Identifier' || given.type === 'MemberExpression') add(given, 'ignore-argument', 'undefined');
}

/** Source of an object -> the fields that the code reads of it. */
type FieldsByHolder = ReadonlyMap<string, ReadonlySet<string>>;

function collectFields(body: readonly SyntaxNode[]): FieldsByHolder {
  const fields = new Map<string, Set<string>>();
  const note = (node: SyntaxNode, isCalled: boolean): void => {
    const name = node.type === 'MemberExpression' && !isCalled ? fieldName(node) : undefined;
    if (name !== undefined) {
      const holder = findHolder(node);
      fields.set(holder, (fields.get(holder) ?? new Set()).add(name));
    }
    for (const [key, value] of Object.entries(node))
      for (const child of nodesIn(value)) note(child, node.type === 'CallExpression' && key === 'callee');
  };
  for (const statement of body) note(statement, false);
  return fields;
}

/** The last name of what holds the field: `order.items`, `before.order.items` -> `order`, `order`. */
function findHolder({ object }: SyntaxNode): string {
  if (!isNode(object)) return '';
  if (object.type === 'Identifier') return String(object['name']);
  return object.type === 'MemberExpression' ? (fieldName(object) ?? findHolder(object)) : '';
}

function fieldName(node: SyntaxNode): string | undefined {
  const { property } = node;
  return node['computed'] !== true && isNode(property) && property.type === 'Identifier'
    ? String(property['name'])
    : undefined;
}

/** The next field that the code reads from the same object; undefined if it reads no other. */
function otherFields(node: SyntaxNode, { fields }: MutantSearch): string[] {
  const name = fieldName(node);
  const known = [...(fields.get(findHolder(node)) ?? [])].toSorted();
  if (name === undefined || !known.includes(name)) return [];
  const next = known[(known.indexOf(name) + 1) % known.length];
  return next === undefined || next === name ? [`${name}_`] : [next];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export function nodesIn(value: unknown): SyntaxNode[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}
