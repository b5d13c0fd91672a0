/* Tries the mutants of one component. It uses only the language itself, so it runs in every JavaScript sandbox. */
/** The original and its mutants, each a body of its own; the original is the first. */
const MUTANT_BODIES = '{{bodies}}';

const mutantOutcome = (id, name, args) => {
  try {
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
// The inputs that `packInputs` packed. A checker that leaves its input alone can be given the same one again.
const unpackInputs = ({ parts, roots }) => {
  const made = [];
  const take = (number) => made[number];
  const join = (value) =>
    Array.isArray(value)
      ? value.map(take)
      : Object.fromEntries(Object.entries(value).map(([name, number]) => [name, take(number)]));
  for (const { isSplit, value } of parts) made.push(isSplit ? Object.freeze(join(value)) : deeplyFrozen(value));
  return roots.map(take);
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
export function tryAll(given, ids, name) {
  const inputs = Array.isArray(given) ? given : unpackInputs(given);
  const read = (index) => (Array.isArray(given) ? JSON.parse(inputs[index]) : inputs[index]);
  const original = inputs.map((_, index) => mutantOutcome(0, name, read(index)));
  // It may have tried to write into its input: then each call needs an input of its own.
  if (!Array.isArray(given) && original.includes('threw')) return null;
  const compared = name === 'check' ? passOf : (outcome) => outcome;
  const mutants = ids.map((id) => {
    let words = false;
    for (let index = 0; index < inputs.length; index += 1) {
      const outcome = mutantOutcome(id, name, read(index));
      if (outcome === original[index]) continue;
      if (compared(outcome) !== compared(original[index])) return index;
      words = true;
    }
    return words ? 'words' : 'same';
  });
  return {
    original: original.map(name === 'check' ? passOf : (outcome) => (outcome === 'threw' ? 'threw' : 'ok')),
    mutants,
  };
}
