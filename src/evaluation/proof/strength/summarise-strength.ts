/** The numbers of a measurement, in all, for each rule and each tool, and the list of what survives. */
import type { Design } from '../../../scenario/design.ts';
import type { Finding, ProofStrength, Share, Survivor } from '../../../scenario/proof-strength.ts';
import { sha256, canonicalJson } from '../../../disk/sha256.ts';
import type { Components } from '../../components/components.ts';
import type { JudgedPlay, JudgedSample } from './plays/judge-plays.ts';
import { mustPass } from './plays/play.ts';
import { WORDS_AT_ALL } from './plays/sabotage.ts';
import type { TriedMutant } from './mutants/try-mutants.ts';

/** `mutants` is undefined where the component could not be mutated. */
export type TriedComponent = {
  folder: 'tools' | 'checkers';
  name: string;
  path: string;
  rules: readonly string[];
  /** Digest of its source. */
  digest?: string;
  mutants: TriedMutant[] | undefined;
  /** Where it is not the same in another time zone, or with keys in another order. */
  doubts?: Finding[];
};

type MeasuredParts = {
  design: Design;
  components: Components;
  judged: { samples: readonly JudgedSample[]; unmeasured: readonly string[] };
  tried: readonly TriedComponent[];
  findings: Finding[];
};

export function summariseStrength({ design, components, judged, tried, findings }: MeasuredParts): ProofStrength {
  const { samples } = judged;
  const mutants = tried.flatMap(({ mutants: own = [], ...component }) =>
    own.filter(({ isExtra }) => isExtra !== true).map((mutant) => ({ ...mutant, component })),
  );
  const counted = mutants.filter(({ outcome }) => outcome === 'caught' || outcome === 'survived');
  const plays = samples.flatMap((sample) => sample.plays.map((play) => ({ sample, play })));
  const touchedBy = createRuleFinder(components);
  // Where no checker reads the words, no rule is about them, and a false sentence says nothing of the checkers.
  const faulty = plays
    .map((one) => ({ ...one, rules: touchedBy(one) }))
    .filter(({ play, rules }) => !mustPass(play) && rules.length > 0);
  const fair = plays.filter(({ play }) => mustPass(play));
  const ofMutants = toShare(counted.map(({ outcome }) => outcome === 'caught'));
  const ofSabotage = toShare(faulty.map(({ play }) => isRight(play)));
  const ofFair = toShare(fair.map(({ play }) => isRight(play)));
  const rules = design.rules.rules.map(({ id }) => {
    const own = counted
      .filter(({ component }) => component.rules.includes(id))
      .map(({ outcome }) => outcome === 'caught');
    const covering = faulty.filter(({ rules }) => rules.includes(id)).map(({ play }) => isRight(play));
    return [id, toShare([...own, ...covering])] as const;
  });
  const tools = components.tools.map(({ name }) => {
    const own = counted.filter(({ component }) => component.folder === 'tools' && component.name === name);
    const calls = faulty.filter(({ play }) => play.tool === name).map(({ play }) => isRight(play));
    return [name, toShare([...own.map(({ outcome }) => outcome === 'caught'), ...calls])] as const;
  });
  const survivors = orderSurvivors([
    ...groupAlike(faulty.filter(({ play }) => !isRight(play))).map(playSurvivor),
    ...counted
      .filter(({ outcome }) => outcome === 'survived')
      .map(({ component, ...mutant }) => mutantSurvivor(component, mutant)),
  ]);
  return {
    all: sumShares([ofMutants, ofSabotage, ofFair]),
    mutants: ofMutants,
    sabotage: ofSabotage,
    fair: ofFair,
    rules: Object.fromEntries(rules),
    tools: Object.fromEntries(tools),
    survivors,
    findings,
    untried: mutants.filter(({ outcome }) => outcome === 'untried').length,
    unmeasured: [
      ...new Set([...judged.unmeasured, ...tried.filter((one) => one.mutants === undefined).map(({ name }) => name)]),
    ],
    // In the order of the schema: a proof that was read from its file is written as one that was just made.
    survived: survivors.length,
    // When the time ran out, a mutant that only a later proof tries and that survives was not caught here.
    components: Object.fromEntries(
      tried.flatMap(({ digest, path, mutants: own }) =>
        digest !== undefined && own?.every(({ outcome }) => outcome !== 'untried') === true ? [[path, digest]] : [],
      ),
    ),
    verdicts: Object.fromEntries(samples.map((sample) => [sample.loaded.sample.id, toVerdictTable(sample)])),
  };
}

function isRight(play: JudgedPlay): boolean {
  return mustPass(play) === (play.refusedBy.size === 0);
}

function toShare(right: readonly boolean[]): Share {
  return { caught: right.filter(Boolean).length, total: right.length };
}

function sumShares(shares: readonly Share[]): Share {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  return { caught: sum(shares.map(({ caught }) => caught)), total: sum(shares.map(({ total }) => total)) };
}

type MutatedComponent = Omit<TriedComponent, 'mutants'>;

function mutantSurvivor(
  { folder, name, path, rules }: MutatedComponent,
  { kind, line, was, now }: TriedMutant,
): Survivor {
  const place = `${path}:${line}`;
  const who = folder === 'tools' ? 'no path of a sample shows a difference' : 'it says the same of every path';
  const message = `${place}: no sample covers this line: with ${quoteCode(now)} in place of ${quoteCode(was)} ${who}`;
  return { kind, component: name, place, rules: [...rules], message };
}

type RuleFinder = (one: { sample: JudgedSample; play: JudgedPlay }) => readonly string[];

/** The rules that a fault touches: those that the sample covers, for false words only those whose checkers read words. */
function createRuleFinder({ checkers }: Components): RuleFinder {
  return ({ sample: { loaded, plays }, play }) => {
    const { covers } = loaded.sample;
    if (play.kind !== 'false-words') return covers;
    const readers = plays.find(({ name }) => name === WORDS_AT_ALL)?.refusedBy ?? new Set();
    const read = checkers.filter(({ id }) => readers.has(id)).flatMap(({ rules }) => rules);
    return covers.filter((id) => read.includes(id));
  };
}

type FaultyPlay = { sample: JudgedSample; play: JudgedPlay; rules: readonly string[] };

/** The same false sentence in other samples is one fault of the rule's checkers: a further sample makes it no second one. */
function groupAlike(plays: readonly FaultyPlay[]): FaultyPlay[][] {
  const groups = Map.groupBy(plays, ({ sample, play, rules }) =>
    JSON.stringify([play.name, rules, play.kind === 'false-words' ? '' : sample.loaded.sample.id]),
  );
  return [...groups.values()];
}

function playSurvivor(alike: readonly FaultyPlay[]): Survivor {
  const [first] = alike as [FaultyPlay];
  const { sample } = first.sample.loaded;
  const { kind, name } = first.play;
  const { rules } = first;
  const place = `samples/${sample.id}.json`;
  const others = alike.length > 1 ? ` and ${alike.length - 1} more` : '';
  const isWords = name === WORDS_AT_ALL;
  const what = isWords
    ? 'whatever is said last passes; must_say or a checker can demand more'
    : `a path with a fault passes (${name})`;
  const message = `${place}${others}: no sample covers this: ${what}`;
  return {
    kind,
    component: sample.id,
    place,
    rules: [...rules],
    message: kind === 'false-words' ? `${message}; ${rules.join(', ')} is about words` : message,
  };
}

/**
 * The first ones are shown: a wrong verdict that a subject could get comes before a line that no sample reaches, and each
 * kind of path and each component once before any comes twice. Of several changes of one line the first says enough.
 */
function orderSurvivors(survivors: readonly Survivor[]): Survivor[] {
  const groupOf = ({ component, kind, place }: Survivor): string => (place.startsWith('samples/') ? kind : component);
  const [groups, places] = [new Map<string, number>(), new Set<string>()];
  const ranked = survivors.map((one) => {
    const isRepeated = places.has(one.place);
    const rank = groups.get(groupOf(one)) ?? 0;
    places.add(one.place);
    if (!isRepeated) groups.set(groupOf(one), rank + 1);
    return { one, rank: isRepeated ? Infinity : rank };
  });
  return ranked.toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).map(({ one }) => one);
}

function quoteCode(code: string): string {
  return code === '' ? 'nothing' : `\`${code}\``;
}

/** Builds the table of verdicts that a later measurement is compared with. */
function toVerdictTable({
  loaded: { sample, world },
  plays,
  measured,
}: JudgedSample): NonNullable<ProofStrength['verdicts']>[string] {
  const judges = ['expect', ...measured];
  const row = (judge: string): string => plays.map(({ refusedBy }) => (refusedBy.has(judge) ? 'x' : '-')).join('');
  return {
    digest: sha256(canonicalJson({ sample, world })),
    plays: plays.map(({ name }) => name),
    refusedBy: Object.fromEntries(judges.map((judge) => [judge, row(judge)])),
  };
}
