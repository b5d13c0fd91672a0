/** Finds values in the words of a model-played user that nobody told it. */
import { foldText } from '../../scenario/language/fold-text.ts';

/** Shorter numbers may be a count, a day or a time that is known in words. */
const LONG_NUMBER = /\d{3,}/g;
const ADDRESS = /[^\s<>()"']+@[^\s<>()"',;]+[^\s<>()"',;.!?]/g;

/** Returns the first long number or e-mail address that is not in the known text, however its digits are grouped. */
export function findInventedValue(text: string, known: string): string | undefined {
  const [said, told] = [foldText(text), foldText(known)];
  const digits = told.replaceAll(/\D/g, '');
  return (
    said.match(ADDRESS)?.find((address) => !told.includes(address)) ??
    said.match(LONG_NUMBER)?.find((number) => !digits.includes(number))
  );
}
