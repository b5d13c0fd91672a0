/** A JavaScript component and its mutants as one module: each is a body of its own, so one host tries many. */
import type { SyntaxNode } from './mutate-javascript.ts';
import { isNode, nodesIn, type JavaScriptMutants } from './mutate-javascript.ts';
import type { TextMutant } from './mutant.ts';

/**
 * The export `tryAll(inputs, ids, name)` answers for each input what the original does, then for each mutant by its number the
 * first input on which it does something else: see `MutantsAnswer`. Inputs are the arguments of one call, as JSON text.
 */
export function javaScriptModule(
  { text, body }: JavaScriptMutants,
  mutants: readonly TextMutant[],
): string | undefined {
  const exported = body.filter(({ type }) => type.startsWith('Export'));
  if (exported.some((node) => node.type !== 'ExportNamedDeclaration' || node['source'] !== null)) return undefined;
  if (exported.some(({ declaration }) => !isNode(declaration))) return undefined;
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  const original = { start: 0, end: 0, now: '' };
  const cut = [...imports.map(({ start, end }) => ({ start, end, now: '' })), ...exported.map(exportWord)];
  const bodies = [original, ...mutants].map(
    (mutant) => `() => { ${applyEdits(text, [...cut, mutant])}\nreturn { ${namesIn(exported)} }; }`,
  );
  return `${imports.map(({ start, end }) => text.slice(start, end)).join('\n')}\n${DRIVER}\nconst MUTANT_BODIES = [\n${bodies.join(',\n')}\n];\n`;
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

/** The driver uses only the language itself, so it runs in every JavaScript sandbox. */
const DRIVER = String.raw`
const mutantOutcome = (id, name, text, frozen) => {
  try {
    const args = frozen === undefined ? JSON.parse(text) : frozen;
    const value = MUTANT_BODIES[id]()[name](...args);
    return JSON.stringify([value, name === 'run' ? args[1] : null]);
  } catch {
    return 'threw';
  }
};
const deeplyFrozen = (value) => {
  if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) deeplyFrozen(part);
    Object.freeze(value);
  }
  return value;
};
// A checker that leaves its input alone can be given the same one again.
const frozenInputs = (inputs, ids, original) => {
  if (ids.length === 0) return [];
  const frozen = inputs.map((text) => deeplyFrozen(JSON.parse(text)));
  return frozen.every((args, index) => mutantOutcome(0, 'check', '', args) === original[index]) ? frozen : [];
};
export function callAll(inputs, name) {
  return inputs.map((text) => {
    try {
      const args = JSON.parse(text);
      return { value: MUTANT_BODIES[0]()[name](...args), args };
    } catch {
      return null;
    }
  });
}
const passOf = (outcome) => {
  const value = outcome === 'threw' ? null : JSON.parse(outcome)[0];
  return value !== null && typeof value === 'object' && typeof value.pass === 'boolean' ? String(value.pass) : 'broken';
};
export function tryAll(inputs, ids, name) {
  const original = inputs.map((text) => mutantOutcome(0, name, text));
  const compared = name === 'check' ? passOf : (outcome) => outcome;
  const frozen = name === 'check' ? frozenInputs(inputs, ids, original) : [];
  const mutants = ids.map((id) => {
    let words = false;
    for (let index = 0; index < inputs.length; index += 1) {
      const outcome = mutantOutcome(id, name, inputs[index], frozen[index]);
      if (compared(outcome) !== compared(original[index])) return index;
      if (outcome !== original[index]) words = true;
    }
    return words ? 'words' : 'same';
  });
  return { original: original.map(name === 'check' ? passOf : (outcome) => (outcome === 'threw' ? 'threw' : 'ok')), mutants };
}`;
