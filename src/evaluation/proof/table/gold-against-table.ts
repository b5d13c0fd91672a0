/** Holds the approved table against gold paths: which side of a disagreement stands alone decides whose file is wrong. */
import { createProblem, createProblemFactory } from '../../../scenario/attribution/problem-code.ts';
import type { TableOracle, TableVerdict } from '../../../scenario/cases/judge-by-table.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import type { Problem } from '../../../scenario/result.ts';
import { acceptedEnds } from '../../judge/judge-expectation.ts';
import { isRefusal } from '../verify-gold.ts';
import type { SampleProof } from '../verify-sample.ts';

/** What the table says of one gold path, and of the end that its sample expects. */
export type GoldReading = {
  proof: SampleProof;
  gold: readonly TableVerdict[];
  /** The table accepts the expected end, and not the one that gold came to. */
  secondsExpectation: boolean;
};

export function readGold(proof: SampleProof, oracle: TableOracle): GoldReading {
  const { loaded, gold } = proof;
  const verdicts = oracle(loaded.sample, gold.gold);
  const others = acceptedEnds(loaded.sample, loaded.world).ends.filter((end) => !sameJson(end, gold.gold.after));
  const isAccepted = others.some((after) => listUnmet(oracle(loaded.sample, { ...gold.gold, after })).length === 0);
  return {
    proof,
    gold: verdicts,
    secondsExpectation: gold.differences.length > 0 && listUnmet(verdicts).length > 0 && isAccepted,
  };
}

export function listUnmet(verdicts: readonly TableVerdict[]): TableVerdict[] {
  return verdicts.filter(({ says }) => says === 'not met');
}

export type TableDisagreements = {
  problems: Problem[];
  /** Checkers that reject a gold path as the table does, by sample: the sample is at fault, and not they. */
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
      const own = loaded.sample.checkers.filter((id) => isAbout(id, verdict, rulesOf));
      const allies = refusing.filter(({ checker }) => own.includes(checker));
      for (const { checker } of allies) {
        const known = seconded.get(loaded.sample.id) ?? new Set();
        seconded.set(loaded.sample.id, known.add(checker));
      }
      problems.push(
        describeDisagreement(verdict, { reading, readings, own, allies: allies.map(({ checker }) => checker) }),
      );
    }
  }
  return { problems, seconded };
}

function isAbout(checker: string, { rule }: TableVerdict, rulesOf: ReadonlyMap<string, readonly string[]>): boolean {
  return rule !== undefined && rulesOf.get(checker)?.includes(rule) === true;
}

type Disagreement = { reading: GoldReading; readings: readonly GoldReading[]; own: string[]; allies: string[] };

function describeDisagreement(verdict: TableVerdict, { reading, readings, own, allies }: Disagreement): Problem {
  const { id } = reading.proof.loaded.sample;
  const isSame = (other: TableVerdict): boolean => other.rule === verdict.rule && other.outcome === verdict.outcome;
  const agreeing = readings.filter(({ gold }) => gold.some((one) => isSame(one) && one.says === 'met'));
  const path = `the table and the gold path of ${id} disagree: ${verdict.text}`;
  if (allies.length > 0) {
    const who = allies.map((checker) => `checker ${checker}`).join(' and ');
    return createProblemFactory(id)(
      'table-against-sample',
      `${path}; ${who} says so too: repair its case, gold or expect`,
    );
  }
  if (agreeing.length > 0) {
    const count = `${agreeing.length} other ${agreeing.length === 1 ? 'sample agrees' : 'samples agree'} with the table`;
    return createProblemFactory(id)('table-against-sample', `${path}; ${count}: repair its case, gold or expect`);
  }
  const subject = verdict.rule ?? 'frames';
  const sides = own.length === 0 ? 'gold and expect' : `gold, expect and ${own.join(', ')}`;
  const message = `${path}; ${sides} say otherwise, and no sample agrees with the table: what is demanded, or where it is read, is wrong`;
  return { ...createProblem('table-against-all', subject, message), sample: id };
}
