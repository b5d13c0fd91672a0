/** The words to type in the place of commands and options that are gone (docs/decisions/2026-11-27-what-went.md). */

const SAMPLES_NEEDED = 'tandem plan samples --target <share>, whose table says how many of how many must pass';

const LIVE = 'calls are made live: caching is on, and a cheaper model may play users and graders (docs/money.md)';

/** All words of a key stand on the command line, in any order. */
const INSTEAD: Readonly<Record<string, string>> = {
  'sessions resume': 'tandem resume <run>, and tandem session --resume <session> for one of your own',
  'plan --samples': SAMPLES_NEEDED,
  'plan --rate': SAMPLES_NEEDED,
  'plan --chance': SAMPLES_NEEDED,
  '--economy': LIVE,
  '--live-after': LIVE,
};

/** Returns one sentence for a command line that holds something that is gone; undefined for any other. */
export function findReplacement(args: readonly string[]): string | undefined {
  const gone = Object.keys(INSTEAD).find((words) => words.split(' ').every((word) => args.includes(word)));
  return gone === undefined ? undefined : `tandem ${gone} is gone. Instead: ${INSTEAD[gone]}.`;
}
