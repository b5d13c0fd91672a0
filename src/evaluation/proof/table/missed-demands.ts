/** Finds checkers that let pass what the approved table refuses, on plays in which a single demand is broken. */
import { createProblem } from '../../../scenario/attribution/problem-code.ts';
import type { TableOracle, TableVerdict } from '../../../scenario/cases/judge-by-table.ts';
import type { Problem } from '../../../scenario/result.ts';
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import { getComponentPath, type Components } from '../../components/components.ts';
import { moveEvent, type TrialRecord, withEvents } from '../../components/trial-record.ts';
import { runCheckers } from '../../judge/check-trace.ts';
import { acceptedEnds } from '../../judge/judge-expectation.ts';
import { isRefusal } from '../verify-gold.ts';
import type { SampleProof } from '../verify-sample.ts';
import { changeLeaves, listLeaves, listRecords } from '../relations/world-records.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, diffJson, valueAt } from '../../../scenario/json/patch.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';

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

/** A play that breaks one demand, and which checkers of its rule refused it. */
type BrokenDemand = {
  sample: string;
  what: string;
  isWorld: boolean;
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
    const ends = proof.ends.slice(1).map((end): VariedPlay => ({ what: `its ${end.name}`, played: end.played }));
    for (const { what, played, isOdd, isWorld = false } of [...ends, ...varyGold(proof.gold.gold)]) {
      const said = oracle(sample, played);
      const unmet = listUnmet(said);
      if (proof.proof.gold && isOdd !== true && unmet.length === 0 && unrefused < MOST_UNREFUSED) {
        unrefused += 1;
        const refusing = (await ask(played, sample.checkers)).filter(isRefusal);
        for (const { checker } of refusing) for (const rule of rulesOf.get(checker) ?? []) partly.add(rule);
      }
      for (const key of unmet.map(toKey)) if (met.has(key)) moved.add(key);
      // What a request may change belongs to no rule, and comes beside the demand that is broken.
      const ruled = unmet.filter(({ rule }) => rule !== undefined);
      const [verdict] = ruled;
      if (verdict === undefined || ruled.some(({ rule }) => rule !== verdict.rule) || !proof.proof.gold) continue;
      const asked = sample.checkers.filter((id) => rulesOf.get(id)?.includes(verdict.rule ?? ''));
      const refusing = (await ask(played, asked)).filter(isRefusal).map(({ checker }) => checker);
      // A play that is refused may be refused for either demand that it breaks; one that is accepted shows both missed.
      const shown = refusing.length === 0 ? ruled : [verdict];
      for (const one of shown) broken.push({ sample: sample.id, what, isWorld, verdict: one, asked, refusing });
    }
  }
  return { remarks: describeMisses(broken, components, whole), moved, partly };
}

export function toKey({ rule = '', outcome }: Pick<TableVerdict, 'rule' | 'outcome'>): string {
  return `${rule} ${outcome}`;
}

/** A checker of a rule that the table reads in part may judge the rest, so silence about a demand says nothing there. */
function describeMisses(broken: readonly BrokenDemand[], { paths }: Components, whole: ReadonlySet<string>): Problem[] {
  const byDemand = Map.groupBy(broken, ({ verdict }) => toKey(verdict));
  return [...byDemand.values()].flatMap((same) => {
    const missed = same.filter(({ asked, refusing }) => asked.length > 0 && refusing.length === 0);
    const [first] = missed;
    // A checker that reads calls alone minds a missing call, and not what the world lacks.
    const refused = same.find(({ refusing, isWorld }) => refusing.length > 0 && isWorld === first?.isWorld);
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

/** A varied play, and what it varies, to follow "the gold path of S". */
export type VariedPlay = {
  what: string;
  played: TrialRecord;
  /** Only its end world is another one: what was called stays. */
  isWorld?: boolean;
  /** No trial may look so: that a checker refuses it says nothing of its rules. */
  isOdd?: boolean;
};

const MOST_WORLDS = 24;
const MOST_MOVES = 6;

export function varyGold(gold: TrialRecord): VariedPlay[] {
  return [...varyWorld(gold), ...varyOrder(gold), ...varyAnswers(gold)];
}

/** Every value that gold wrote, changed by itself; every change left out; every added record written twice. */
function varyWorld(gold: TrialRecord): VariedPlay[] {
  const patch = diffJson(gold.before, gold.after);
  const play = (what: string, world: JsonObject, operations: readonly PatchOperation[]): VariedPlay[] => {
    const end = applyPatch(world, operations);
    return end.ok ? [{ what, isWorld: true, played: { ...gold, after: end.world } }] : [];
  };
  const varied = patch.flatMap((operation, index) => {
    const { op, path } = operation;
    const lacking = play(`without what it did at ${path}`, gold.before, patch.toSpliced(index, 1));
    if (op === 'remove') return lacking;
    const leaves = changeLeaves(operation.value, path);
    const changed = leaves.flatMap((leaf) =>
      play(`with ${JSON.stringify(leaf.value)} at ${leaf.path}`, gold.after, [leaf]),
    );
    const isRecord = op === 'add' && isJsonObject(operation.value);
    const twice = isRecord ? play(`with ${path} written twice`, gold.after, doubleEntry(operation)) : [];
    return [...lacking, ...changed, ...twice];
  });
  return varied.slice(0, MOST_WORLDS);
}

/** Adds the record again at the end of its list, or under another key of its map. */
function doubleEntry({ path, value }: { path: string; value: unknown }): PatchOperation[] {
  const [, parent = '', key = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
  return [{ op: 'add', path: /^\d+$/.test(key) ? `${parent}/-` : `${parent}/${key}-again`, value }];
}

/** A call that writes no record, such as one that identifies, answers no where it said yes: what it allows came without it. */
function varyAnswers(gold: TrialRecord): VariedPlay[] {
  const { events = [] } = gold;
  const records = listRecords(gold.before);
  const varied = events.flatMap((event, index): VariedPlay[] => {
    if (event.type !== 'call' || event.change.length === 0 || !isJsonObject(event.output)) return [];
    const yes = listLeaves(event.output).find(({ value }) => value === true);
    const no = applyPatch(event.output, [{ op: 'replace', path: yes?.path ?? '/', value: false }]);
    const undone = event.change.map(({ path }) => ({
      op: 'replace' as const,
      path,
      value: valueAt(gold.before, path),
    }));
    const after = applyPatch(gold.after, undone);
    const isRecord = event.change.some(
      ({ op, path }) => op !== 'replace' || records.some((one) => path.startsWith(one.path)),
    );
    if (!no.ok || !after.ok || isRecord) return [];
    const played = withEvents(
      { ...gold, after: after.world },
      events.with(index, { ...event, output: no.world, change: [] }),
    );
    return [{ what: `with ${yes?.field} false in the answer of ${event.tool}`, played, isOdd: true }];
  });
  return varied.slice(0, MOST_MOVES);
}

/** One call before all others, or after them: the world stays, because the order alone is varied. */
function varyOrder(gold: TrialRecord): VariedPlay[] {
  const { events = [] } = gold;
  const places = events.flatMap((event, index) =>
    event.type === 'call' && event.by === undefined ? [{ index, tool: event.tool }] : [],
  );
  const [first, last] = [places[0]?.index ?? 0, places.at(-1)?.index ?? 0];
  const moves = places.flatMap(({ index, tool }) =>
    Object.entries({ before: first, after: last }).flatMap(([when, to]): VariedPlay[] =>
      to === index ? [] : [{ what: `with ${tool} ${when} all other calls`, played: moveEvent(gold, index, to) }],
    ),
  );
  return moves.slice(0, MOST_MOVES);
}
