/** Who is who among actors. */

/** One person under two spellings is one person: a quorum must not be met by upper case. */
export function isSameActor(one: string, other: string): boolean {
  return one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();
}

/** What a person's agent did through `tandem mcp` is that person's affair: nobody starts a run by an agent to decide it alone. */
export function isOwnOrOfOwnAgent(person: string, actor: string): boolean {
  return isSameActor(person, actor) || isSameActor(person.replace(/^user:/, 'agent:mcp-'), actor);
}
