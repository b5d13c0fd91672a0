/** What a sample speaks of: a yes to anything else would be one that nobody gave. */
import { foldText } from '../../scenario/language/fold-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import { saysYes } from '../scripted-user/languages.ts';

export type KnownSample = Pick<Sample, 'user' | 'gold' | 'gold_says'>;

/** Lists what gold does, and what its user agrees to. */
export function listConsented({ gold }: KnownSample): string[] {
  return gold.flatMap((step, index) => {
    if ('tool' in step) return [step.tool, JSON.stringify(step.args)];
    const next = gold[index + 1];
    return 'says' in step && next !== undefined && 'user' in next && saysYes(next.user) ? [step.says] : [];
  });
}

export function listKnown(sample: KnownSample): string {
  const { user, gold_says: goldSays } = sample;
  return [user.says_first, ...Object.entries(user.knows).flat(), ...listConsented(sample), goldSays].join('\n');
}

/** Returns the first number of a text that the sample does not hold. */
export function findNewNumber(text: string, sample: KnownSample): number | undefined {
  const known = readNumbers(listKnown(sample));
  return [...readNumbers(text)].find((number) => !known.has(number));
}

function readNumbers(text: string): Set<number> {
  const found = foldText(text).match(/\d+(?:[.,]\d+)?/g) ?? [];
  return new Set(found.map((number) => Number(number.replace(',', '.'))));
}
