/** A JavaScript component and its mutants as one module: each is a body of its own, so one host tries many. */
import { readOwnText } from '../../../../own-file.ts';
import { type SyntaxNode, isNode, nodesIn, type JavaScriptMutants } from './mutate-javascript.ts';

const DRIVER = readOwnText('./try-javascript-mutants.js', import.meta.url);
const OTHER_ZONE = readOwnText('./other-zone.js', import.meta.url).replace('export ', '');

/** The hours by which the clocks of two other places are ahead of UTC. */
const OTHER_ZONES = [13, -11];

/** The whole component where `Date` is that of another time zone and language; none where it has to do with neither. */
export function listOtherZones(text: string): Edit[] {
  if (!/\bDate\b/.test(text) || /\b(?:const|let|var|class|function)\s+Date\b/.test(text)) return [];
  const zones = OTHER_ZONES.map((hours) => `${OTHER_ZONE}\nconst Date = createOtherDate(globalThis.Date, ${hours});\n`);
  return zones.map((now) => ({ start: 0, end: 0, now }));
}

/**
 * The export `tryAll(inputs, ids, name)` answers for each input what the original does, then for each mutant by its number the
 * first input on which it does something else: see `MutantsAnswer`. Inputs are the arguments of one call, as JSON text, or
 * those of a checker packed, which it answers with null where they must not be shared.
 */
export function javaScriptModule({ text, body }: JavaScriptMutants, mutants: readonly Edit[]): string | undefined {
  const exported = body.filter(({ type }) => type.startsWith('Export'));
  if (exported.some((node) => node.type !== 'ExportNamedDeclaration' || node['source'] !== null)) return undefined;
  if (exported.some(({ declaration }) => !isNode(declaration))) return undefined;
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  const original = { start: 0, end: 0, now: '' };
  const cut = [...imports.map(({ start, end }) => ({ start, end, now: '' })), ...exported.map(exportWord)];
  const bodies = [original, ...mutants].map(
    (mutant) => `() => { ${applyEdits(text, [...cut, mutant])}\nreturn { ${namesIn(exported)} }; }`,
  );
  const driver = DRIVER.replace(`'{{bodies}}'`, () => `[\n${bodies.join(',\n')}\n]`);
  return `${imports.map(({ start, end }) => text.slice(start, end)).join('\n')}\n${driver}`;
}

function exportWord({ start, declaration }: SyntaxNode): { start: number; end: number; now: string } {
  return { start, end: isNode(declaration) ? declaration.start : start, now: '' };
}

function namesIn(exported: readonly SyntaxNode[]): string {
  return exported
    .flatMap(({ declaration }) => {
      if (!isNode(declaration)) return [];
      const declared = isNode(declaration['id']) ? [declaration] : nodesIn(declaration['declarations']);
      return declared.map(({ id }) => (isNode(id) ? String(id['name']) : ''));
    })
    .join(', ');
}

type Edit = { start: number; end: number; now: string };

/** Applies the edits. Two edits overlap only when one contains the other, which happens only in the spec. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((made, { start, end, now }) => made.slice(0, start) + now + made.slice(end), text);
}
