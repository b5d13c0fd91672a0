/** Holds the approved table against gold, expectations, wrong paths, mutants and checkers, before anything is paid. */
import { createProblem, type ProblemCode, createProblemFactory } from '../../../scenario/attribution/problem-code.ts';
import {
  createOracle,
  FRAME,
  isReadWhole,
  listDemandedOutcomes,
  type TableVerdict,
} from '../../../scenario/cases/judge-by-table.ts';
import type { Design } from '../../../scenario/design.ts';
import type { JudgedRule, Problem } from '../../../scenario/result.ts';
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import type { Components } from '../../components/components.ts';
import type { SampleProof } from '../verify-sample.ts';
import type { GoldRun } from '../gold-runs.ts';
import { findMissedDemands, listUnmet, readGold, toKey, type GoldReading } from './missed-demands.ts';
import { isRefusal } from '../verify-gold.ts';

/** What the table adds to the proof; nothing where the design reads no outcome. */
export type TableHolding = {
  /** The proofs, in which the table stands beside the checkers against a gold path that ends wrong. */
  proofs: SampleProof[];
  problems: Problem[];
  remarks: Problem[];
  judges?: Record<string, JudgedRule>;
  /** Rules of which a covering gold path breaks off, ends wrong, or is not what the table demands. */
  unsettled?: ReadonlySet<string>;
};

/** A rule of which the table reads every demand needs no checker, once a path has shown that the reading can move. */
export function excuseByTable(
  problem: Problem,
  { judges = {}, unsettled }: Pick<TableHolding, 'judges' | 'unsettled'>,
): Problem[] {
  const { code, component, message } = problem;
  const judged = judges[component];
  if (code !== ('rule-without-checker' satisfies ProblemCode) || judged?.reads !== 'whole') return [problem];
  // Where a gold path breaks off or ends wrong, no reading can move, and what broke it is named already.
  if (judged.by.includes('table') || unsettled?.has(component) === true) return [];
  const way = `the table reads all that it demands, but no path of a sample breaks that: write a wrong path that does, or a checker`;
  return [{ ...problem, message: `${message}; ${way}` }];
}

type HoldingInput = { components: Components; design: Design; proofs: SampleProof[] };

export async function holdTable(
  { components, design, proofs }: HoldingInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<TableHolding> {
  const oracle = createOracle(design.format.cases, design.rules.rules);
  if (oracle === undefined) return { proofs, problems: [], remarks: [] };
  const isPlayed = ({ gold }: SampleProof): boolean => gold.gold.calls.every(({ error }) => error === undefined);
  const readings = proofs.filter(isPlayed).map((proof) => readGold(proof, oracle));
  const rulesOf = new Map(components.checkers.map(({ id, rules }) => [id, rules]));
  const { problems, seconded } = findDisagreements(readings, rulesOf);
  const whole = new Set(
    design.rules.rules.filter((rule) => isReadWhole(rule, design.format.cases)).map(({ id }) => id),
  );
  const missed = await findMissedDemands({ readings, oracle, components, whole }, session, signal);
  const moves = listMoves(design, missed.moved);
  const isUnsettled = ({ proof }: SampleProof): boolean =>
    !proof.gold || problems.some(({ sample }) => sample === proof.sample);
  return {
    proofs: proofs.map((proof) => secondProof(proof, { readings, seconded })),
    problems,
    unsettled: new Set(proofs.filter(isUnsettled).flatMap(({ loaded }) => loaded.sample.covers)),
    remarks: [...missed.remarks, ...stillRemarks(readings, missed.moved)],
    judges: Object.fromEntries(
      design.rules.rules.map((rule) => {
        const isNamed = (judge: { rules: readonly string[] }): boolean => judge.rules.includes(rule.id);
        const judging = {
          table: moves.has(rule.id),
          checker: components.checkers.some(isNamed),
          grader: (components.graders ?? []).some(isNamed),
        };
        const by = (['table', 'checker', 'grader'] as const).filter((kind) => judging[kind]);
        const isAll = whole.has(rule.id) && !missed.partly.has(rule.id);
        return [rule.id, { by, reads: isAll ? 'whole' : 'part' }];
      }),
    ),
  };
}

/** The rules of which at least one demand was met in one play and broken in another. */
function listMoves({ rules: { rules } }: Design, moved: ReadonlySet<string>): Set<string> {
  const moving = rules.filter((rule) =>
    listDemandedOutcomes(rule).some((outcome) => moved.has(toKey({ rule: rule.id, outcome }))),
  );
  return new Set(moving.map(({ id }) => id));
}

function secondProof(
  proof: SampleProof,
  { readings, seconded }: { readings: readonly GoldReading[]; seconded: ReadonlyMap<string, ReadonlySet<string>> },
): SampleProof {
  const reading = readings.find((one) => one.proof === proof);
  const excused = seconded.get(proof.loaded.sample.id);
  const rejections = proof.rejections.filter(({ component }) => excused?.has(component) !== true);
  const said = (reading?.gold ?? []).filter(({ says, rule }) => says === 'met' && rule !== undefined);
  const gold = reading === undefined ? proof.gold : secondGold(reading);
  return {
    ...proof,
    gold,
    rejections: rejections.map((found) =>
      said.length === 0 || reading?.gold.some(({ says }) => says === 'not met') === true
        ? found
        : {
            ...found,
            message: `${found.message}; table and checker disagree: ${said.map(({ text }) => text).join('; ')}`,
          },
    ),
  };
}

/** The table is a second witness, besides the checkers, that a gold path came to a wrong end. */
function secondGold({ proof: { gold }, gold: verdicts, secondsExpectation }: GoldReading): GoldRun {
  if (secondsExpectation) return { ...gold, rejected: true, isSeconded: true };
  const unmet = listUnmet(verdicts).map(({ text }) => text);
  return gold.reasons === undefined || unmet.length === 0
    ? gold
    : { ...gold, rejected: true, reasons: [...gold.reasons, ...unmet] };
}

/**
 * A reading that says the same of every play tells nothing: a filter that matches nothing fulfils every "none". One reading serves
 * all rules that demand the outcome, so it has moved when it moved for one of them.
 */
function stillRemarks(readings: readonly GoldReading[], moved: ReadonlySet<string>): Problem[] {
  const verdicts = readings.flatMap(({ gold }) =>
    gold.filter(({ says, outcome }) => says !== 'nothing' && outcome !== FRAME),
  );
  const movedOutcomes = new Set(verdicts.filter((verdict) => moved.has(toKey(verdict))).map(({ outcome }) => outcome));
  const still = verdicts.filter(({ outcome }) => !movedOutcomes.has(outcome));
  return [...new Map(still.map((verdict) => [toKey(verdict), verdict])).values()].map(
    ({ rule = '', outcome, text }) => {
      const message = `${rule}: the reading of ${outcome} never moves: gold, wrong paths and everything that was varied read alike (${text}); its filter may match nothing, or no sample breaks the rule`;
      return createProblem('reading-never-moves', rule, message);
    },
  );
}

export type TableDisagreements = {
  problems: Problem[];
  /** Checkers that reject a gold path as the table does, by sample: the sample is at fault, and they are not. */
  seconded: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Findings where gold ends as its sample expects; another end is the affair of tools and sample. */
export function findDisagreements(
  readings: readonly GoldReading[],
  rulesOf: ReadonlyMap<string, readonly string[]>,
): TableDisagreements {
  const problems: Problem[] = [];
  const seconded = new Map<string, Set<string>>();
  for (const reading of readings) {
    const { loaded, gold, ends } = reading.proof;
    if (gold.differences.length > 0) continue;
    const refusing = (ends[0]?.verdicts ?? []).filter((one) => isRefusal(one) && one.checker !== 'expect');
    for (const verdict of listUnmet(reading.gold)) {
      const { rule } = verdict;
      const own = loaded.sample.checkers.filter((id) => rule !== undefined && rulesOf.get(id)?.includes(rule));
      const allies = refusing.flatMap(({ checker }) => (own.includes(checker) ? [checker] : []));
      const found = describeDisagreement(verdict, { reading, readings, own, allies });
      problems.push(found);
      // Where the sample is at fault, whatever else refuses its gold path follows from that.
      if (found.layer === 4) seconded.set(loaded.sample.id, new Set(refusing.map(({ checker }) => checker)));
    }
  }
  return { problems, seconded };
}

type Disagreement = { reading: GoldReading; readings: readonly GoldReading[]; own: string[]; allies: string[] };

function describeDisagreement(verdict: TableVerdict, { reading, readings, own, allies }: Disagreement): Problem {
  const { id } = reading.proof.loaded.sample;
  const isSame = (other: TableVerdict): boolean => other.rule === verdict.rule && other.outcome === verdict.outcome;
  const agreeing = readings.filter(({ gold }) => gold.some((one) => isSame(one) && one.says === 'met'));
  const path = `the table and the gold path of ${id} disagree: ${verdict.text}`;
  if (allies.length + agreeing.length > 0) {
    const count = `${agreeing.length} other ${agreeing.length === 1 ? 'sample agrees' : 'samples agree'} with the table`;
    const who = allies.length > 0 ? `${allies.map((id) => `checker ${id}`).join(' and ')} says so too` : count;
    return createProblemFactory(id)('table-against-sample', `${path}; ${who}: repair its case, gold or expect`);
  }
  const subject = verdict.rule ?? 'frames';
  const sides = own.length === 0 ? 'gold and expect' : `gold, expect and ${own.join(', ')}`;
  const message = `${path}; ${sides} say otherwise, and no sample agrees with the table: what is demanded, or where it is read, is wrong`;
  return { ...createProblem('table-against-all', subject, message), sample: id };
}
