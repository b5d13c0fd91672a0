/** What a sample speaks of: a yes to anything else would be one that nobody gave. */
import { foldText } from '../../scenario/language/fold-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import { findLanguage } from '../scripted-user/find-language.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';

export type KnownSample = Pick<Sample, 'user' | 'gold' | 'gold_says'>;

/** Lists what gold does, and what its user agrees to. */
export function listConsented({ gold }: KnownSample): string[] {
  return gold.flatMap((step, index) => {
    if ('tool' in step) return [step.tool, JSON.stringify(step.args)];
    const next = gold[index + 1];
    return 'says' in step && next !== undefined && 'user' in next && mayAgree(next.user) ? [step.says] : [];
  });
}

/** In a language that is not read, any answer may be a yes. */
function mayAgree(answer: string): boolean {
  return saysYes(answer) || (findLanguage(answer) === undefined && !saysNo(answer));
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

export function readNumbers(text: string): Set<number> {
  const found = foldText(text).match(/\d+(?:[.,]\d+)?/g) ?? [];
  return new Set(found.map((number) => Number(number.replace(',', '.'))));
}
