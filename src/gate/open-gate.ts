/** Makes the review pack of a round from the committed design, frozen with its digest before the gate opens. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { parseFile } from '../disk/parse-file.ts';
import { sha256 } from '../disk/sha256.ts';
import { SubmitDesign } from '../agent/tools/schemas.ts';
import { checkDesign, checkQuotes, type DesignCheck } from './rules/design-checks.ts';
import { findQuote, type SourceText } from './rules/find-quote.ts';
import { caseChecks, frameCheck, packCases } from './rules/pack-cases.ts';
import { gapChecks } from './rules/gaps/design-gaps.ts';
import { checkAccounts, judgeAccounts } from './rules/gaps/judge-accounts.ts';
import { packQuestions } from './rules/pack-questions.ts';
import { splitComment } from './rules/comment-parts.ts';
import { judgeComments, type DesignText } from './rules/judge-comments.ts';
import { gateId } from './rules/gate.ts';
import { listSections } from './rules/source-sections.ts';
import { ReviewPack } from './rules/review-pack.ts';
import type { CommittedFolder } from '../ports/artifacts.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunState } from '../run/state.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { formatCount } from '../report/text/number-format.ts';
import { formatPercent } from '../scenario/percent.ts';
import type { Brief } from '../scenario/brief.ts';
import type { BusinessRule, Design } from '../scenario/design.ts';
import type { Forecast } from '../scenario/forecast/forecast.ts';
import { compareDesigns, readDesignContent } from './compare-designs.ts';
import { minutesPerIteration, packCoverage } from './pack-coverage.ts';
import { takeHead } from '../transcript/tokens.ts';
import type { Layer1Problem, LeftOut, SentenceAccount } from '../scenario/handoff.ts';
import { currentDesignDir, designDir, outputDir } from '../run/layout.ts';
import { readEvents } from '../run-folder/snapshot.ts';

/** The state before the gate opens, the submitted design, its brief, and the forecast of the remaining cost. */
export type GateInput = { state: RunState; design: CommittedFolder; brief: Brief; forecast: Forecast };

export async function prepareGate(run: RunFolder, input: GateInput): Promise<{ digest: string; rules: number }> {
  const pack = await buildPack(run, input);
  const text = `${JSON.stringify(pack, null, 2)}\n`;
  const path = `gates/${pack.gate}/pack.json`;
  // Two workers may end one step with packs that differ in the spent sum; both events name the pack written first.
  const shown = await run.writeOnce(path, text);
  if (parseFile(ReviewPack, shown, path).designDigest !== input.design.digest)
    throw new HarnessError(
      'data_corrupt',
      `${path} is of another design than ${pack.designDir}: remove it, then resume.`,
    );
  return { digest: sha256(shown), rules: pack.rules.length };
}

async function buildPack(run: RunFolder, { state, design, brief, forecast }: GateInput): Promise<ReviewPack> {
  const { round } = state;
  const now = await readDesignContent(run, designDir(round));
  const approved = state.designs.findLast((earlier) => earlier.approved !== undefined)?.round;
  const base = approved ?? (round > 1 ? round - 1 : undefined);
  const before = base === undefined ? undefined : await readDesignContent(run, currentDesignDir(state, base));
  const submission = parseSubmission(await readFile(join(design.dir, 'submission.json'), 'utf8'));
  const change = before === undefined ? undefined : compareDesigns(before, now, submission.changes);
  // Comments are compared with Init's design, because a reviewer's own edit is itself an answer to them.
  const designs = new Map<number, DesignText>();
  for (const { round: of } of state.designs) {
    const answers = parseSubmission((await run.read(`${designDir(of)}/submission.json`)) ?? '{}').comments;
    designs.set(of, { ...(await readDesignContent(run, designDir(of))), answers });
  }
  designs.set(round, { ...now, answers: submission.comments });
  const { coverage, checks, reached } = await packCoverage(run, state);
  const cases = packCases(now.rules, now.format);
  const sources = await readSources(run, brief);
  const said = state.decisions.map(({ comment: text, decision, ...one }) => ({
    ...one,
    text,
    isNote: decision.endsWith('approve'),
  }));
  return {
    ...{ version: 1, gate: gateId(round), run: run.id, scenario: run.scenario, title: brief.title, round },
    ...{ designDigest: design.digest, designDir: designDir(round) },
    ...{ author: 'agent:init', simulated: state.origin.simulated },
    effect: await describeEffect(run, { state, brief, forecast }, now.format.tools.length),
    why: describeReason(state),
    summary: submission.summary,
    // A design that nobody has approved is new as a whole: of the round before only the changed rules are told, with their reasons.
    since:
      approved !== undefined && change !== undefined
        ? { round: approved, ...change }
        : { round: null, rules: change?.rules ?? [], format: [], diff: '' },
    rules: rulesWithSources(now.rules.rules, sources),
    sources: listSections(now.rules.rules, sources),
    ...(coverage === undefined ? {} : { coverage }),
    ...(submission.accounts === undefined
      ? {}
      : { accounts: judgeAccounts({ ...now, accounts: submission.accounts }, sources) }),
    checks: [...designChecks({ ...now, ...readReasons(submission) }, brief, sources), ...checks],
    ...(cases === undefined ? {} : { cases: { ...cases, ...omitUndefined({ reached }) } }),
    prompt: now.format.subject_prompt,
    questions: packQuestions(now.rules.open_questions, submission.open_questions),
    comments: judgeComments(said, (of) => designs.get(of), now),
  };
}

/** Fields that an older submission lacks are empty. */
function parseSubmission(text: string): SubmitDesign {
  return SubmitDesign.extend({ summary: z.string().default('') })
    .loose()
    .parse(JSON.parse(text));
}

/** Holds what Init says of its design beside its files; designs of others have no accounts. */
type DesignReasons = { leftOut: readonly LeftOut[]; accounts: readonly SentenceAccount[] | undefined };

export const readReasons = ({ left_out = [], accounts }: SubmitDesign): DesignReasons => ({
  leftOut: left_out,
  accounts,
});

/** Checks a design by code alone; the reviewer and the agent that submits the design see the same checks. */
export function designChecks(
  { rules, format, leftOut = [], accounts }: Pick<Design, 'rules' | 'format'> & Partial<DesignReasons>,
  brief: Brief,
  sources: readonly SourceText[],
): DesignCheck[] {
  return [
    ...checkDesign(rules, format, brief),
    checkQuotes(rules.rules, sources),
    ...caseChecks(packCases(rules, format)),
    ...gapChecks({ rules, format, leftOut }, sources),
    ...(accounts === undefined ? [] : [checkAccounts(judgeAccounts({ rules, format, accounts }, sources))]),
    ...[frameCheck(format, rules)].filter((check) => check !== undefined),
  ];
}

/** Reads the copies of the sources that this run began with. */
export async function readSources(run: RunFolder, { reads }: Pick<Brief, 'reads'>): Promise<SourceText[]> {
  return Promise.all(reads.map(async (path) => ({ path, text: (await run.read(`scenario/${path}`)) ?? '' })));
}

function rulesWithSources(rules: readonly BusinessRule[], sources: readonly SourceText[]): ReviewPack['rules'] {
  return rules.map(({ id, title, text, severity, source: named = '', quote }) => ({
    ...{ id, title, text, severity },
    source: omitUndefined({ named, quote, ...(quote === undefined ? {} : findQuote(quote, named, sources)) }),
  }));
}

async function describeEffect(
  run: RunFolder,
  { state, brief, forecast }: Omit<GateInput, 'design'>,
  tools: number,
): Promise<ReviewPack['effect']> {
  const spent = await run.spending.list();
  const uncertainUsd = spent.reduce((total, one) => total + one.uncertainUsd + one.reservedUsd, 0);
  const minutes = minutesPerIteration(await readEvents(run));
  return {
    text: effectText(state.iterations.length + 1, tools, brief),
    estimateUsd: forecast.p50,
    forecast,
    spentUsd: spent.reduce((total, { usd }) => total + usd, 0),
    ...(uncertainUsd > 0 ? { uncertainUsd } : {}),
    budgetUsd: state.budgetUsd,
    ...(minutes === undefined ? {} : { minutesPerIteration: minutes }),
  };
}

function effectText(next: number, tools: number, { samples, max_iterations: most, target }: Brief): string {
  const left = most - next + 1;
  const until = `until ${formatPercent(target)} pass`;
  if (next > 1)
    return `Approving lets Execute go on for ${left <= 1 ? 'the last iteration' : `at most ${left} more iterations, ${until}`}.`;
  const what = `${formatCount(tools, 'tool')}, checkers and at least ${formatCount(samples.min, 'sample')}`;
  return `Approving lets Execute build and run ${what}, in ${left <= 1 ? 'one iteration' : `at most ${left} iterations`}, ${until}.`;
}

function describeReason(state: RunState): ReviewPack['why'] {
  const { reason } = state;
  if (reason.kind === 'first') return { reason: 'first', text: 'First design of this run.', evidence: [] };
  if (reason.kind === 'changes_requested') {
    const { length } = splitComment(reason.comment);
    const comments = length === 1 ? 'one comment' : `${length} comments`;
    const text = `${reason.actor} asked for changes in ${comments}; the list of comments says what became of each.`;
    return { reason: 'changes_requested', text, evidence: [] };
  }
  const last = state.iterations.find((iteration) => iteration.iteration === reason.iteration);
  const hasRun = last === undefined || last.total > 0;
  const score = hasRun ? last && ` (${last.passed} of ${last.total} samples passed)` : ', before any sample ran';
  return {
    reason: 'returned',
    text: `Execute returned the design after iteration ${reason.iteration}${score ?? ''}: ${reason.problems.map(({ title }) => toSentence(title)).join(' ')}`,
    evidence: reason.problems.flatMap((problem) => [
      { text: formatObservation(problem), path: `${outputDir(reason.iteration)}/layer1_problems.json` },
      ...problem.samples.map((sample) => ({
        text: `${problem.rules.join(' / ')}: ${sample}`,
        // A problem that code finds before any sample is played has no trace.
        path: `${outputDir(reason.iteration)}/${hasRun ? `traces/${sample}.1.jsonl` : `samples/${sample}.json`}`,
      })),
    ]),
  };
}

const MOST_CLAIM = 300;

/** Formats what Execute observed, which stands below the title for a reviewer who wants details. */
function formatObservation({ title, claim }: Layer1Problem): string {
  const seen = claim.trim().replaceAll(/\s+/g, ' ');
  const short = seen.length > MOST_CLAIM ? `${takeHead(seen, MOST_CLAIM)}…` : seen;
  return `${toSentence(title).slice(0, -1)}: ${toSentence(short)}`;
}

function toSentence(text: string): string {
  const bare = text.trim().replace(/[.;:]$/, '');
  return /[!?…]$/.test(bare) ? bare : `${bare}.`;
}
