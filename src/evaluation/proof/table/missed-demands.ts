/** Finds checkers that let pass what the approved table refuses, on plays in which a single demand is broken. */
import { createProblem } from '../../../scenario/attribution/problem-code.ts';
import type { TableOracle, TableVerdict } from '../../../scenario/cases/judge-by-table.ts';
import type { CheckerSpec } from '../../../scenario/component.ts';
import type { Problem } from '../../../scenario/result.ts';
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import { getComponentPath, type Components } from '../../components/components.ts';
import type { TrialRecord } from '../../components/trial-record.ts';
import { runCheckers } from '../../judge/check-trace.ts';
import { isRefusal } from '../verify-gold.ts';
import { listUnmet, type GoldReading } from './gold-against-table.ts';
import { varyGold, type VariedPlay } from './table-plays.ts';

/** A play that breaks one demand, and which checkers of its rule refused it. */
type BrokenDemand = {
  sample: string;
  what: string;
  verdict: TableVerdict;
  asked: readonly string[];
  refusing: readonly string[];
};

/** The most plays of a sample, right by the table, that its checkers are asked about. */
const MOST_UNREFUSED = 12;

export type MissedDemands = {
  remarks: Problem[];
  /** `rule outcome` of the demands that some play met and another broke: their readings tell trials apart. */
  moved: ReadonlySet<string>;
  /** Rules that a checker refused where the table read them as met: they demand more than it reads. */
  partly: ReadonlySet<string>;
};

type MissedInput = {
  readings: readonly GoldReading[];
  oracle: TableOracle;
  components: Components;
  /** Rules of which the table reads every demand. */
  whole: ReadonlySet<string>;
};

export async function findMissedDemands(
  { readings, oracle, components, whole }: MissedInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<MissedDemands> {
  const broken: BrokenDemand[] = [];
  const moved = new Set<string>();
  const partly = new Set<string>();
  const rulesOf = new Map(components.checkers.map(({ id, rules }) => [id, rules]));
  for (const { proof, gold } of readings) {
    const { sample, base } = proof.loaded;
    const ask = (played: TrialRecord, checkers: readonly string[]) =>
      runCheckers({ sample, played, checkers, base: base?.world, session, paths: components.paths }, signal);
    let unrefused = 0;
    const met = new Set(gold.filter(({ says }) => says === 'met').map(toKey));
    for (const { what, played } of listPlays(proof)) {
      const said = oracle(sample, played);
      const unmet = listUnmet(said);
      if (proof.proof.gold && unmet.length === 0 && unrefused < MOST_UNREFUSED) {
        unrefused += 1;
        const refusing = (await ask(played, sample.checkers)).filter(isRefusal);
        for (const { checker } of refusing) for (const rule of rulesOf.get(checker) ?? []) partly.add(rule);
      }
      for (const key of unmet.map(toKey)) if (met.has(key)) moved.add(key);
      const [verdict, ...others] = unmet;
      if (verdict?.rule === undefined || others.some(({ rule }) => rule !== verdict.rule) || !proof.proof.gold)
        continue;
      const asked = listCheckers(components.checkers, verdict.rule, sample.checkers);
      const refusing = (await ask(played, asked)).filter(isRefusal).map(({ checker }) => checker);
      broken.push({ sample: sample.id, what, verdict, asked, refusing });
    }
  }
  return { remarks: describeMisses(broken, components, whole), moved, partly };
}

export function toKey({ rule = '', outcome }: Pick<TableVerdict, 'rule' | 'outcome'>): string {
  return `${rule} ${outcome}`;
}

function listCheckers(all: readonly CheckerSpec[], rule: string, listed: readonly string[]): string[] {
  return all.filter(({ id, rules }) => rules.includes(rule) && listed.includes(id)).map(({ id }) => id);
}

function listPlays({ ends, gold }: GoldReading['proof']): VariedPlay[] {
  const others = ends.slice(1).map(({ name, played }) => ({ what: `its ${name}`, played }));
  return [...others, ...varyGold(gold.gold)];
}

/** A checker of a rule that the table reads in part may judge the rest, so silence about a demand says nothing there. */
function describeMisses(broken: readonly BrokenDemand[], { paths }: Components, whole: ReadonlySet<string>): Problem[] {
  const byDemand = Map.groupBy(broken, ({ verdict }) => toKey(verdict));
  return [...byDemand.values()].flatMap((same) => {
    const refused = same.find(({ refusing }) => refusing.length > 0);
    const missed = same.filter(({ asked, refusing }) => asked.length > 0 && refusing.length === 0);
    const [first] = missed;
    const { rule = '' } = first?.verdict ?? {};
    if (first === undefined || (refused === undefined && (missed.length < 2 || !whole.has(rule)))) return [];
    const [checker = ''] = refused?.refusing ?? [];
    const blamed = first.asked.includes(checker) ? checker : (first.asked[0] ?? checker);
    const more = missed.length === 1 ? '' : ` (and ${missed.length - 1} more)`;
    const beside =
      refused === undefined ? 'no checker of the rule ever refuses it' : `it refuses ${refused.sample} ${refused.what}`;
    const message =
      `${getComponentPath(paths, 'checkers', blamed)}: table and checker disagree: it accepts the gold path of ${first.sample} ${first.what}${more}, ` +
      `where ${first.verdict.text}; ${beside}`;
    return [createProblem('checker-misses-demand', blamed, message)];
  });
}
