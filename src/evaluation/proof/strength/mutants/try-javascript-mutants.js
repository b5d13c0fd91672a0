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
// A checker that leaves its input alone can be given the same one again.
const frozenInputs = (inputs, ids, original) => {
  if (ids.length === 0) return [];
  const frozen = inputs.map((text) => deeplyFrozen(JSON.parse(text)));
  return frozen.every((args, index) => mutantOutcome(0, 'check', args) === original[index]) ? frozen : [];
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
  const original = inputs.map((text) => mutantOutcome(0, name, JSON.parse(text)));
  const compared = name === 'check' ? passOf : (outcome) => outcome;
  const frozen = name === 'check' ? frozenInputs(inputs, ids, original) : [];
  const mutants = ids.map((id) => {
    let words = false;
    for (let index = 0; index < inputs.length; index += 1) {
      const outcome = mutantOutcome(id, name, frozen[index] ?? JSON.parse(inputs[index]));
      if (compared(outcome) !== compared(original[index])) return index;
      if (outcome !== original[index]) words = true;
    }
    return words ? 'words' : 'same';
  });
  return {
    original: original.map(name === 'check' ? passOf : (outcome) => (outcome === 'threw' ? 'threw' : 'ok')),
    mutants,
  };
}
