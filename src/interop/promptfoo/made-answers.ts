/** Answers for the proof of an imported test: one that satisfies its assertions, and one that does not. */
import type { CarriedAssert, CarriedTest } from './asserts-checker.ts';

/** The shortest text that satisfies the assertions; undefined when it cannot be constructed. */
export function createGoldAnswer({ asserts, transform }: CarriedTest): string | undefined {
  const wanted = listSingle(asserts).filter(({ type }) => !type.startsWith('not-'));
  const isRun = wanted.some((one) => one.transform !== undefined || one.code !== undefined);
  if (transform !== undefined || isRun) return undefined;
  const whole = wanted.find(({ type }) => type === 'equals');
  if (whole !== undefined) return toText(whole.value);
  const isJson = ({ type, value }: CarriedAssert) => /^(?:is|contains)-json$/.test(type) && value === undefined;
  if (wanted.length > 0 && wanted.every(isJson)) return '{}';
  if (wanted.some(({ type }) => /^(?:regex|is-json|contains-json)$/.test(type))) return undefined;
  const parts = wanted
    .toSorted((a, b) => Number(b.type === 'starts-with') - Number(a.type === 'starts-with'))
    .flatMap(({ type, value }) => {
      const values = (Array.isArray(value) ? value : [value ?? '']).map(toText);
      return type.endsWith('-any') ? values.slice(0, 1) : values;
    });
  return parts.join(' ') || 'An answer.';
}

const MADE_WRONG = 'I do not know.';

/** Where nothing is demanded, the wrong answer says what is forbidden; undefined when no such text can be constructed. */
export function createWrongAnswer({ asserts, transform }: CarriedTest): string | undefined {
  const single = listSingle(asserts);
  const isPlain = (one: CarriedAssert) => one.transform === undefined && one.code === undefined;
  if (single.length === 0 || single.some((one) => isPlain(one) && !one.type.startsWith('not-'))) return MADE_WRONG;
  if (transform !== undefined) return undefined;
  const made = single.flatMap((one) =>
    isPlain(one) ? (createGoldAnswer({ asserts: [{ ...one, type: one.type.slice('not-'.length) }] }) ?? []) : [],
  );
  return made[0];
}

/** True when an empty answer satisfies the test for sure; code that only the sandbox may run is not looked into. */
export function acceptsSilence({ asserts, threshold, transform }: CarriedTest): boolean {
  const single = listSingle(asserts);
  if (transform !== undefined || single.some((one) => one.transform !== undefined || one.code !== undefined))
    return false;
  const refusing = single.filter((one) => holdsForNothing(one) === one.type.startsWith('not-'));
  const isShared = threshold !== undefined || asserts.some((one) => one.threshold !== undefined);
  return isShared ? refusing.length < single.length : refusing.length === 0;
}

/** The verdict about an empty answer before a negation. */
function holdsForNothing({ type, value }: CarriedAssert): boolean {
  const plain = type.replace(/^not-/, '');
  if (plain === 'equals') return toText(value) === '';
  if (plain !== 'regex') return false;
  try {
    return new RegExp(toText(value)).test('');
  } catch (noPattern) {
    void noPattern;
    return false;
  }
}

function listSingle(asserts: readonly CarriedAssert[]): CarriedAssert[] {
  return asserts.flatMap((one) => (one.asserts === undefined ? [one] : listSingle(one.asserts)));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
