/** Proves every component before the first paid call: what cannot be proved is a problem of the layer that owns it. */
import pLimit from 'p-limit';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Design } from '../../scenario/design.ts';
import {
  createProblem,
  isSureRelation,
  RULES_VERSION,
  separateByRules,
  dropRepeatedProblems,
  withoutConsequences,
} from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import type { UserKind } from '../../scenario/subject.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import { stageFor, type Stage } from '../components/call-tool.ts';
import type { Components } from '../components/components.ts';
import { findDeafTools, findFragileTools, verifyTool } from './verify-tool.ts';
import { isSettledByCases } from './verify-gold.ts';
import { loadInSession, type LoadedComponents } from '../components/load-components.ts';
import { failFastSession, openSessions, SESSIONS } from '../components/open-sessions.ts';
import { findUnheardEnds } from './prove-ends.ts';
import { findInertCheckers } from './find-inert-checkers.ts';
import { findUnheardLookups } from './prove-lookups.ts';
import { proveUsers } from './prove-user.ts';
import { proveConsentRules, type WordsInput, type WordsVerdict, strictCheckers } from './prove-consent-rules.ts';
import { measureStrength, type StrengthBudget, type StrengthInput } from './strength/measure-strength.ts';
import type { Suspicion } from './gold-runs.ts';
import { suspectTools } from './suspect-tools.ts';
import { relateTools } from './relations/relate-tools.ts';
import { rememberAnswers } from './remember-answers.ts';
import { excuseByTable, holdTable } from './table/hold-table.ts';
import { verifySample, type SampleProof } from './verify-sample.ts';
import { caseCoverage, graderRemarks, ruleCoverage, verifyStructure } from './verify-structure.ts';

/** More proofs at a time than sessions: while one waits for a tool, the checkers of another run. */
const AT_ONCE = 2 * SESSIONS;

export type VerifyInput = {
  /** Absolute path of the folder with `tools/`, `checkers/` and `samples/`. */
  dir: string;
  design: Design;
  /** Least number of samples, by the scenario. */
  samplesWanted: number;
  sandbox: Sandbox;
  /** How much work to measure what the proofs would notice; default: none. */
  strength?: StrengthBudget;
  /** Version of the rules that refuse; those of later versions give remarks. Default: today's. */
  rules?: number | undefined;
  /** The kind of user; a scripted one must say what gold says for it. Default: one who may be silent. */
  user?: UserKind | undefined;
  signal: AbortSignal;
};

export async function verifyComponents(input: VerifyInput): Promise<Verification> {
  const session = failFastSession(await openSessions(input.sandbox, input.dir));
  try {
    const loaded = await loadInSession(session, input.dir, input.signal);
    const { strength: budget, ...demands } = input;
    return await verifyLoaded(loaded, { ...demands, measure: budget && { ...input, budget } }, session);
  } finally {
    await session.close();
  }
}

export type LoadedDemands = Pick<VerifyInput, 'design' | 'samplesWanted' | 'signal' | 'rules' | 'user'> & {
  hasOtherUser?: boolean;
  measure?: Pick<StrengthInput, 'dir' | 'sandbox' | 'budget'> | undefined;
};

/** Verifies like `verifyComponents`, for loaded components and a session that is open on their folder. */
export async function verifyLoaded(
  { components, problems: loadProblems }: LoadedComponents,
  { design, samplesWanted, signal, measure, user = 'auto', rules = RULES_VERSION, hasOtherUser }: LoadedDemands,
  opened: OpenSandbox,
): Promise<Verification> {
  const session = rememberAnswers(opened);
  const tools = new Map(components.tools.map((tool) => [tool.name, tool]));
  const bare = { tools, session, paths: components.paths, worldSchema: undefined };
  const readOnly = new Set(design.format.tools.flatMap((tool) => (tool.changes_world ? [] : [tool.name])));
  const { toolProofs, table, limit } = await proveEach({ components, design, readOnly, bare }, session, signal);
  const { proofs } = table;
  const active = new Set(components.tools.filter((_, index) => toolProofs[index]?.changes).map(({ name }) => name));
  const suspicions = await findSuspicions({ components, design, proofs, active }, session, signal);
  const settled = attributeProblems(proofs, suspicions, isSettledByCases(design));
  const blamed = new Set(settled.map(({ component }) => component));
  const blunt = await findInertCheckers({ components, proofs, blamed }, session, signal);
  const golds = proofs.flatMap(({ loaded, proof, gold }) => (proof.gold ? [{ loaded, gold: gold.gold }] : []));
  const heard = await proveSpeech({ components, design, golds, user }, session, signal);
  const related = await relateTools({ components, design, proofs, readOnly }, session, signal);
  const unloaded = new Set(loadProblems.map(({ component }) => component));
  const found = dropRepeatedProblems([
    ...loadProblems,
    ...withoutConsequences(
      [
        ...verifyStructure(components, { design, samplesWanted, unloaded }).flatMap((found) =>
          excuseByTable(found, table),
        ),
        ...toolProofs.flatMap((proof) => proof.problems),
        ...related.filter(isSureRelation),
        ...settled,
        ...table.problems.filter(({ sample = '' }) => !suspicions.some(({ samples }) => samples.includes(sample))),
        ...blunt,
        ...heard.problems,
      ],
      loadProblems,
    ),
  ]);
  const { refusing: problems, later } = separateByRules(found, rules, hasOtherUser);
  const fragile = await limit(() => findFragileTools({ components, problems, stage: bare }, signal));
  const doubts = [
    ...[...proofs.flatMap((proof) => proof.remarks), ...table.remarks],
    ...related.filter((one) => !isSureRelation(one)),
    ...heard.remarks,
    ...graderRemarks(components, design),
  ];
  const remarks = dropRepeatedProblems([...later, ...fragile, ...doubts]);
  const input = { design, components, proofs, session, signal };
  const isMeasured = measure !== undefined && problems.length === 0;
  const strength = isMeasured ? await measureStrength({ ...input, ...measure }) : undefined;
  return {
    ok: problems.length === 0,
    problems,
    ...(remarks.length === 0 ? {} : { remarks }),
    proofs: proofs.map(({ proof }) => proof),
    ...(heard.words.length === 0 ? {} : { words: heard.words }),
    coverage: ruleCoverage(components, design),
    ...omitUndefined({ judges: table.judges, cases: caseCoverage(components, design), strength }),
  };
}

/** Proves every tool, and then every sample against the approved table. */
async function proveEach(
  { components, design, readOnly, bare }: Loaded & { readOnly: ReadonlySet<string>; bare: Stage },
  session: OpenSandbox,
  signal: AbortSignal,
) {
  const limit = pLimit(AT_ONCE);
  const toolProofs = await Promise.all(
    components.tools.map((tool) => limit(() => verifyTool(tool, { components, design, stage: bare }, signal))),
  );
  const provings = components.samples.map((loaded) => {
    const stage = stageFor(loaded, components, { format: design.format, session });
    return limit(() => verifySample(loaded, { checkers: components.checkers, stage, readOnly }, signal));
  });
  return {
    toolProofs,
    limit,
    table: await holdTable({ components, design, proofs: await Promise.all(provings) }, session, signal),
  };
}

type Loaded = { components: Components; design: Design };

/** Proves that checkers hear consent, also in other spellings, and that users say what gold says for them. */
async function proveSpeech(
  { user, ...input }: WordsInput & { user: UserKind },
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<WordsVerdict> {
  const heard = await proveConsentRules(input, session, signal);
  const users = await proveUsers(input.components.samples, user, signal);
  const ends = await findUnheardEnds(input, session, signal);
  const lookups = await findUnheardLookups(input, session, signal);
  const strict = await strictCheckers(input, session, signal);
  const problems = [...heard.problems, ...strict.problems, ...users];
  return { ...heard, problems, remarks: [...heard.remarks, ...ends, ...lookups, ...strict.remarks] };
}

/** Finds tools that ignore arguments, then tools that do the wrong thing in samples which the first do not explain. */
async function findSuspicions(
  { components, design, proofs, active }: Loaded & { proofs: readonly SampleProof[]; active: ReadonlySet<string> },
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Suspicion[]> {
  const staged = proofs.map(({ loaded, gold }) => ({
    ...gold,
    stage: stageFor(loaded, components, { format: design.format, session }),
  }));
  const deaf = await findDeafTools(staged, components, signal);
  const explained = new Set(deaf.flatMap(({ samples }) => samples));
  const left = staged.filter(({ sample }) => !explained.has(sample));
  return [...deaf, ...suspectTools(left, design.format, active)];
}

/** The problems of all samples together: causes come first, and their consequences are left out. */
function attributeProblems(
  proofs: readonly SampleProof[],
  suspicions: readonly Suspicion[],
  isSettled: ReturnType<typeof isSettledByCases>,
): Problem[] {
  const explained = new Set(suspicions.flatMap(({ samples }) => samples));
  const judgesPath = new Set(proofs.flatMap(({ remarks }) => remarks.map(({ component }) => component)));
  return [
    ...suspicions.map((suspicion) => suspicion.problem),
    ...proofs.flatMap(({ loaded, problems, contradictions, rejections, excused: doubted }) => {
      // A checker that rejects harmless steps does not show that two rules contradict each other.
      const real = contradictions.filter(
        (found) => !found.checkers.some((id) => judgesPath.has(id)) && !isSettled(found),
      );
      const excused = new Set(real.flatMap(({ checkers }) => checkers));
      return [
        ...problems.filter(({ code }) => code !== 'gold-fails' || !explained.has(loaded.sample.id)),
        ...real.map((found) => found.problem),
        ...rejections
          .filter(({ component }) => !excused.has(component) && !explained.has(loaded.sample.id))
          .map((found) => blameSample(found, doubted.get(found.component), proofs)),
      ];
    }),
  ];
}

/** The most gold paths that a checker refuses without being at fault itself, and the fewest that it accepts. */
const [MOST_REFUSED, LEAST_ACCEPTED] = [1, 1];

/** A checker that refuses one gold path of many, for a reason that lies in the sample, shows that the sample is wrong. */
function blameSample(found: Problem, reason: string | undefined, proofs: readonly SampleProof[]): Problem {
  const { component, sample = '', message } = found;
  const listing = proofs.filter(({ loaded }) => loaded.sample.checkers.includes(component));
  const refused = listing.filter(({ rejections }) => rejections.some((one) => one.component === component));
  const accepted = listing.length - refused.length;
  if (reason === undefined || refused.length > MOST_REFUSED || accepted < LEAST_ACCEPTED) return found;
  const text = `${message}; ${reason}, and it accepts ${accepted} other gold paths: repair what gold says, hears or does`;
  return { ...found, ...createProblem('gold-fails', sample, text) };
}
