/** Holds the approved table against gold, expectations, wrong paths, mutants and checkers, before anything is paid. */
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import { createOracle, FRAME } from '../../../scenario/cases/judge-by-table.ts';
import { ABOUT_WORDS, listRuleLines, longOutcome } from '../../../scenario/cases/cases.ts';
import { isReading } from '../../../scenario/cases/readings.ts';
import type { Design } from '../../../scenario/design.ts';
import type { JudgedRule, Problem } from '../../../scenario/result.ts';
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import type { Components } from '../../components/components.ts';
import type { SampleProof } from '../verify-sample.ts';
import type { GoldRun } from '../gold-runs.ts';
import { findDisagreements, listUnmet, readGold, type GoldReading } from './gold-against-table.ts';
import { findMissedDemands, toKey } from './missed-demands.ts';

/** What the table adds to the proof; nothing where the design reads no outcome. */
export type TableHolding = {
  /** The proofs, in which the table stands beside the checkers against a gold path that ends wrong. */
  proofs: SampleProof[];
  problems: Problem[];
  remarks: Problem[];
  judges?: Record<string, JudgedRule>;
};

/** A rule of which the table reads every demand needs no checker. */
export function isTableEnough({ code, component }: Problem, { judges = {} }: Pick<TableHolding, 'judges'>): boolean {
  const judged = judges[component];
  const isMissing = code === ('rule-without-checker' satisfies ProblemCode);
  return isMissing && judged?.reads === 'whole' && judged.by.includes('table');
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
  const whole = new Set(design.rules.rules.filter((rule) => isWhole(rule, design)).map(({ id }) => id));
  const missed = await findMissedDemands({ readings, oracle, components, whole }, session, signal);
  const moves = listMoves(design, missed.moved);
  return {
    proofs: proofs.map((proof) => secondProof(proof, { readings, seconded })),
    problems,
    remarks: [...missed.remarks, ...stillRemarks(readings, missed.moved)],
    judges: Object.fromEntries(
      design.rules.rules.map((rule) => {
        const graders = (components.graders ?? []).filter(({ rules }) => rules.includes(rule.id));
        const checkers = components.checkers.filter(({ rules }) => rules.includes(rule.id));
        const by: JudgedRule['by'] = [
          ...(moves.get(rule.id) === 'table' ? (['table'] as const) : []),
          ...(checkers.length > 0 ? (['checker'] as const) : []),
          ...(graders.length > 0 ? (['grader'] as const) : []),
        ];
        const isAll = whole.has(rule.id) && !missed.partly.has(rule.id);
        return [rule.id, { by, reads: isAll ? 'whole' : 'part' }];
      }),
    ),
  };
}

/** The rules of which at least one demand was met in one play and broken in another. */
function listMoves({ rules: { rules } }: Design, moved: ReadonlySet<string>): Map<string, 'table'> {
  return new Map(
    rules.flatMap((rule) => {
      const outcomes = listRuleLines(rule).flatMap(({ demands }) => Object.keys(demands));
      return outcomes.some((outcome) => moved.has(toKey({ rule: rule.id, outcome })))
        ? [[rule.id, 'table'] as const]
        : [];
    }),
  );
}

/** Whether each outcome that the rule demands is read, so that the table says all that the rule demands. */
function isWhole(rule: Design['rules']['rules'][number], { format: { cases } }: Design): boolean {
  if (rule.demands === ABOUT_WORDS) return false;
  const outcomes = listRuleLines(rule).flatMap(({ demands }) => Object.keys(demands));
  return outcomes.every((outcome) => isReading(longOutcome(cases?.outcomes[outcome] ?? []).from));
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

/** A reading that says the same of every play tells nothing: a filter that matches nothing fulfils every "none". */
function stillRemarks(readings: readonly GoldReading[], moved: ReadonlySet<string>): Problem[] {
  const read = new Map(
    readings.flatMap(({ gold }) =>
      gold
        .filter(({ says, outcome }) => says !== 'nothing' && outcome !== FRAME)
        .map((verdict) => [toKey(verdict), verdict]),
    ),
  );
  return [...read].flatMap(([key, { rule = '', outcome, text }]) => {
    if (moved.has(key)) return [];
    const message = `${rule}: the reading of ${outcome} never moves: gold, wrong paths and everything that was varied read alike (${text}); its filter may match nothing, or no sample breaks the rule`;
    return [createProblem('reading-never-moves', rule, message)];
  });
}
