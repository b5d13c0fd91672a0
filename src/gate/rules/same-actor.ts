/** Compares actors, so that no person counts as two. */

/** Compares actors without regard to case, so that a second spelling of one person cannot meet a quorum. */
export function isSameActor(one: string, other: string): boolean {
  return one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();
}

/** Treats a person's agent (`tandem mcp`) as that person, who must not decide alone on a run that the agent started. */
export function isOwnOrOfOwnAgent(person: string, actor: string): boolean {
  return isSameActor(person, actor) || isSameActor(person.replace(/^user:/, 'agent:mcp-'), actor);
}
