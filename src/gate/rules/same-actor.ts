/** One person under two spellings is one person: a quorum must not be met by upper case. */
export function isSameActor(one: string, other: string): boolean {
  return one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();
}
