/** Doubts about rules, whose checkers do not check them or demand what no rule says, and tools that ignore an argument. */
import type { Design } from '../../../../scenario/design.ts';
import type { GraderSpec } from '../../../../scenario/grader.ts';
import { type Components, getComponentPath } from '../../../components/components.ts';
import { longOutcome } from '../../../../scenario/cases/cases.ts';
import { isReading } from '../../../../scenario/cases/readings.ts';
import {
  createOracle,
  isReadWhole,
  listDemandedOutcomes,
  listRulesInCase,
  readCase,
} from '../../../../scenario/cases/judge-by-table.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { JudgedPlay, JudgedSample } from '../plays/judge-plays.ts';
import { mustPass, type ArgumentValues } from '../plays/play.ts';
import type { ToolSpec } from '../../../../scenario/component.ts';
import { isJsonObject, type JsonObject } from '../../../../scenario/json/json-value.ts';
import type { Stage } from '../../../components/call-tool.ts';
import type { OpenSandbox } from '../../../../ports/sandbox.ts';
import { findIgnoredArguments, type VariedCall } from '../../ignored-arguments.ts';
import { callOnce } from '../plays/call-once.ts';
import type { ComponentInputs } from '../mutants/try-mutants.ts';

export function ruleDoubts(
  design: Design,
  { graders = [], tools }: Pick<Components, 'graders' | 'tools'>,
  judged: readonly JudgedSample[],
): Finding[] {
  const oracle = createOracle(design.format.cases, design.rules.rules);
  const isBroken: BreaksRule = (rule, { loaded: { sample } }, play) =>
    !isReadWhole(rule, design.format.cases) ||
    oracle?.(sample, play.played).some((one) => one.rule === rule.id && one.says === 'not met') === true;
  return [
    ...design.rules.rules.flatMap((rule) => findUnwatched(rule, judged, isBroken)),
    ...judged.flatMap((one) => brokenRules(one, design)),
    ...judged.flatMap((one) => uncoveredRules(one, { graders, read: listReadRules(design) })),
    ...demandedPaths(judged),
    ...design.rules.rules.flatMap((rule) => findUnheardChoice(rule, { judged, choosing: tools.filter(isChoosing) })),
  ];
}

type DesignRule = Design['rules']['rules'][number];

/** False where the table reads all that the rule demands, and the play meets it. */
type BreaksRule = (rule: DesignRule, sample: JudgedSample, play: JudgedPlay) => boolean;

/**
 * A checker that names a rule must refuse something in the samples that cover it: at best, a call that the rule is about. Where
 * several checkers share a rule, each may mind another side of it.
 */
function findUnwatched(asked: DesignRule, judged: readonly JudgedSample[], isBroken: BreaksRule): Finding[] {
  const { id: rule, applies_to: tools } = asked;
  const covering = judged.filter(({ loaded }) => loaded.sample.covers.includes(rule));
  const checkers = new Map(
    covering.flatMap(({ listed }) => listed.filter(({ rules }) => rules.includes(rule)).map((one) => [one.id, one])),
  );
  return [...checkers.keys()].flatMap((id): Finding[] => {
    const own = covering.filter(({ measured }) => measured.has(id));
    const faulty = own.flatMap((one) =>
      one.plays
        .filter((play) => !mustPass(play) && play.kind !== 'corrupt-end')
        .map((play) => ({ play, isBroken: isBroken(asked, one, play) })),
    );
    const plays = faulty.map(({ play }) => play);
    const about = faulty.flatMap(({ play, isBroken }) => (isBroken && isAbout(play, tools) ? [play] : []));
    const [tool, ...otherTools] = tools;
    const changed = plays.filter(
      (play) => play.kind === 'change-argument' && play.tool === tool && hasSingleArgument(play),
    );
    const isSilent = (some: readonly JudgedPlay[], least: number): boolean =>
      some.length >= least && !some.some((play) => play.refusedBy.has(id));
    const isLeftToOthers = (some: readonly JudgedPlay[]): boolean =>
      some.some(({ refusedBy }) => [...checkers.keys()].some((one) => refusedBy.has(one)));
    const doubt = isSilent(plays, 1)
      ? `and refuses none of ${plays.length} faulty paths of the samples that cover it: does it still look at ${rule}?`
      : otherTools.length === 0 && isSilent(changed, 2) && !isLeftToOthers(changed)
        ? `which is about ${tool}, and refuses none of ${changed.length} paths that give it something else: does it look at what ${tool} is given?`
        : isSilent(about, 1) && !isLeftToOthers(about)
          ? `which is about ${tools.join(', ')}, and refuses none of ${about.length} paths with a wrong or missing call of these: does it look at ${rule}?`
          : undefined;
    const message = `checker ${id} names ${rule}, ${doubt}`;
    return doubt === undefined ? [] : [{ code: 'rule-unwatched', component: id, message }];
  });
}

/** A rule about a tool that only chooses among listed words is about the choice: some checker of it must mind another one. */
function findUnheardChoice(
  { id: rule, applies_to: tools }: DesignRule,
  { judged, choosing }: { judged: readonly JudgedSample[]; choosing: readonly ToolSpec[] },
): Finding[] {
  const covering = judged.filter(({ loaded }) => loaded.sample.covers.includes(rule));
  return choosing.flatMap(({ name: tool }): Finding[] => {
    if (!tools.includes(tool)) return [];
    const changed = covering.flatMap(({ plays, listed }) =>
      plays
        .filter((play) => play.kind === 'change-argument' && play.tool === tool && hasSingleArgument(play))
        .map(({ refusedBy }) => ({ refusedBy, checkers: listed.filter(({ rules }) => rules.includes(rule)) })),
    );
    const [checker] = changed.flatMap(({ checkers }) => checkers);
    const isMinded = changed.some(({ refusedBy, checkers }) => checkers.some(({ id }) => refusedBy.has(id)));
    if (checker === undefined || isMinded || changed.length < 2 || tools.length === 1) return [];
    const message = `checker ${checker.id} names ${rule}, which is about ${tool} too, and no checker of ${rule} minds another choice there (${changed.length} paths): does it look at what ${tool} is given?`;
    return [{ code: 'rule-unwatched', component: checker.id, message }];
  });
}

/** A tool whose only argument is one of listed words. */
function isChoosing({ input_schema: { properties } }: ToolSpec): boolean {
  const all = isJsonObject(properties) ? Object.values(properties) : [];
  return all.length === 1 && all.every((one) => isJsonObject(one) && Array.isArray(one['enum']));
}

function hasSingleArgument({ tool, played }: JudgedPlay): boolean {
  return played.calls.every((call) => call.tool !== tool || Object.keys(call.input).length === 1);
}

/** True when the play concerns one of the tools; a wrong path concerns every tool that it calls. */
function isAbout({ kind, tool, played }: JudgedPlay, tools: readonly string[]): boolean {
  if (kind === 'wrong') return played.calls.some((call) => tools.includes(call.tool));
  return tool !== undefined && tools.includes(tool);
}

/** Reports unlisted checkers that refuse gold, except those that name no covered rule and refuse doing nothing too. */
function brokenRules({ loaded: { sample, world }, strangers }: JudgedSample, design: Design): Finding[] {
  const { cases } = design.format;
  const known = cases && readCase(sample, world, cases);
  // A rule that does not speak about the case of the sample cannot be broken in it.
  const speaking = known && listRulesInCase(known, design.rules.rules);
  const about = strangers.filter(
    ({ checker }) => speaking === undefined || checker.rules.some((id) => speaking.has(id)),
  );
  return about.flatMap(({ checker: { id, rules }, alsoNothing }): Finding[] => {
    const covered = rules.filter((rule) => sample.covers.includes(rule));
    if (covered.length === 0 && alsoNothing) return [];
    const which = covered.length > 0 ? `, which the sample covers (${covered.join(', ')})` : '';
    const message = `samples/${sample.id}.json: its gold path is refused by checker ${id} (${rules.join(', ')}), which it does not list${which}: does gold break the rule?`;
    return [{ code: 'gold-breaks-rule', component: sample.id, sample: sample.id, message }];
  });
}

/** Rules of which the approved table reads a demand: it judges them in each sample of their case. */
function listReadRules({ format: { cases }, rules: { rules } }: Design): Set<string> {
  const isRead = (outcome: string): boolean => isReading(longOutcome(cases?.outcomes[outcome] ?? []).from);
  const reading = rules.filter((rule) => listDemandedOutcomes(rule).some(isRead));
  return new Set(reading.map(({ id }) => id));
}

function uncoveredRules(
  { loaded: { sample }, listed }: JudgedSample,
  { graders, read }: { graders: readonly GraderSpec[]; read: ReadonlySet<string> },
): Finding[] {
  const listedGraders = graders.filter(({ id }) => sample.graders?.includes(id));
  const named = new Set([...read, ...[...listed, ...listedGraders].flatMap(({ rules }) => rules)]);
  const missing = sample.covers.filter((rule) => !named.has(rule));
  if (missing.length === 0) return [];
  const message = `samples/${sample.id}.json: covers ${missing.join(', ')}, and lists no checker or grader that names it: the sample counts for a rule that nobody judges in it`;
  return [{ code: 'cover-unjudged', component: sample.id, sample: sample.id, message }];
}

/** Finds judges that refuse a path as right as gold, once for each judge and kind of change. */
function demandedPaths(judged: readonly JudgedSample[]): Finding[] {
  const refusals = judged.flatMap(({ loaded: { sample }, plays }) =>
    plays
      .filter((play) => mustPass(play) && play.kind !== 'gold')
      .flatMap((play) => [...play.refusedBy].map((judge) => ({ sample: sample.id, judge, play }))),
  );
  const alike = Map.groupBy(refusals, ({ judge, play, sample }) =>
    [judge, play.kind, judge === 'expect' ? sample : ''].join(' '),
  );
  return [...alike.values()].flatMap((own): Finding[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { sample, judge, play } = first;
    const where = `${sample}${own.length > 1 ? ` and ${own.length - 1} more` : ''}`;
    const isWording = play.kind === 'other-words';
    const isLookup = play.kind === 'drop-lookup';
    if (judge === 'expect') {
      const message = `samples/${sample}.json: its expectation refuses a path that is as right as gold (${play.name}): ${isWording ? 'no subject finds the very words of a free text' : 'it demands more than the outcome'}`;
      return [{ code: isWording ? 'end-demands-wording' : 'end-demands-path', component: sample, sample, message }];
    }
    const message = `checker ${judge} refuses paths that are as right as gold (${play.name} in ${where}): it demands one particular ${isWording ? 'wording' : 'path'}${isLookup ? '; a rule that demands to look first names that tool in applies_to' : ''}`;
    return [{ code: isWording ? 'checker-demands-wording' : 'checker-demands-path', component: judge, message }];
  });
}

const MOST_INPUTS = 12;
const MOST_VALUES = 3;

export type ProbeInput = {
  components: Components;
  tools: readonly ComponentInputs[];
  session: OpenSandbox;
  values: ArgumentValues;
  signal: AbortSignal;
};

type GivenInput = [args: JsonObject, world: JsonObject];

export async function toolDoubts({ components, tools, session, values, signal }: ProbeInput): Promise<Finding[]> {
  const specs = new Map(components.tools.map((tool) => [tool.name, tool]));
  const stage: Stage = { tools: specs, session, paths: components.paths, worldSchema: undefined };
  const findings: Finding[] = [];
  for (const { name, inputs } of tools) {
    const tool = specs.get(name);
    if (tool === undefined) continue;
    const calls = inputs.slice(-MOST_INPUTS).map(({ text }): VariedCall => {
      const [given, world] = JSON.parse(text) as GivenInput;
      return { args: given, make: (args) => callOnce(stage, { tool: name, args, world }, signal) };
    });
    const at = getComponentPath(components.paths, 'tools', name);
    for (const ignored of await findIgnoredArguments(tool, calls, { values, most: MOST_VALUES })) {
      const message = `${at}: it answers and does the same whatever ${ignored.name} is (${ignored.tries} tries): it ignores the argument`;
      findings.push({ code: 'argument-ignored', component: name, message });
    }
  }
  return findings;
}
