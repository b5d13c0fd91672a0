/** Finds amounts of money by the currencies that the engine knows: signs, codes and names. */
import { foldCharacters, foldText } from './fold-text.ts';
import { rememberTexts } from './remember-texts.ts';
import { isUnspaced } from './split-text.ts';

const NUMBER =
  /(?<![A-Za-z\d.,]|[A-Za-z]-)\d{1,3}(?:[,.'’ ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|(?<![A-Za-z\d.,]|[A-Za-z]-)\d+(?:[.,]\d{1,2})?(?!\d)/gu;
const SIGN_BEFORE = /(?:\p{Sc}|(?<![\p{L}\d])(?<code>[A-Z]{3}))\s?$/u;
const AFTER = /^\s?(?:\p{Sc}|[元円圓圆块원]|(?<name>\p{L}+))/u;

/** What people write where the standard has another code, such as TRY. None of these is a unit or a short word elsewhere. */
const EVERYDAY = ['tl', 'zł', 'kč', 'kr', 'rp', 'руб', 'грн'].map(foldText);

let names: ReadonlySet<string> | undefined;

/** The codes of all currencies, and their names: the last word in English and German, the whole in Chinese and Japanese. */
function currencyNames(): ReadonlySet<string> {
  if (names !== undefined) return names;
  const codes = Intl.supportedValuesOf('currency');
  const called = ['en', 'de', 'zh', 'ja'].flatMap((locale) => {
    const display = new Intl.DisplayNames(locale, { type: 'currency' });
    return codes.map((code) => foldText(display.of(code)?.split(/[\s-]/).at(-1) ?? code));
  });
  names = new Set([...codes, ...EVERYDAY, ...called]);
  return names;
}

/** Replaces the number of each amount of money; other numbers, such as those of names and days, stay. */
export function replaceAmounts(text: string, change: (value: number, decimals: number) => string): string {
  return text.replaceAll(NUMBER, (written, at: number) => {
    const [before, after] = [text.slice(0, at), text.slice(at + written.length)];
    const cents = /[.,](\d{1,2})$/.exec(written)?.[1] ?? '';
    if (!isMoney(before, after) && !(cents.length === 2 && written.includes('.') && !/^[.\w-]*\d/.test(after)))
      return written;
    const whole = (cents === '' ? written : written.slice(0, -cents.length)).replaceAll(/\D/g, '');
    const changed = change(Number(`${whole}.${cents || 0}`), cents.length);
    return written.at(-cents.length - 1) === ',' && cents !== '' ? changed.replace('.', ',') : changed;
  });
}

export const listAmounts = rememberTexts((text): readonly number[] => {
  const amounts: number[] = [];
  replaceAmounts(foldCharacters(text), (value) => `${amounts.push(value)}`);
  return amounts;
});

/** Finds a currency beside which no number stands in digits, such as "a hundred euros" or "六十元". */
export const findAmountInWords = rememberTexts((text) =>
  foldCharacters(text)
    .match(/(?<!\d\s?)(?:[元円圓圆块원]|[\p{L}--\p{Script=Han}]{4,})(?!\s?\d)/gv)
    ?.find((unit) => unit.length === 1 || isCurrency(unit)),
);

/** True for the code, sign or name of a currency, in any case. */
export function isCurrency(word: string): boolean {
  const plain = foldText(word);
  return [plain.toUpperCase(), plain, plain.replace(/s$/, '')].some((one) => currencyNames().has(one));
}

function isMoney(before: string, after: string): boolean {
  const sign = SIGN_BEFORE.exec(before);
  if (sign !== null && (sign.groups?.['code'] === undefined || currencyNames().has(sign.groups['code']))) return true;
  const unit = AFTER.exec(after);
  const name = unit?.groups?.['name'];
  if (unit === null || name === undefined) return unit !== null;
  const plain = foldText(name);
  // In a script without spaces the name may be followed by any text.
  if (isUnspaced(plain)) return [...currencyNames()].some((one) => isUnspaced(one) && plain.startsWith(one));
  return isCurrency(name);
}
