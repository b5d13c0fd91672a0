/** The step `design.rN`: Init writes a design, and the gate that must answer for it is prepared. */
import { join } from 'node:path';
import { controlTool } from '../../agent/tools/control-tool.ts';
import { SubmitDesign } from '../../agent/tools/schemas.ts';
import type { Attempt, CommittedFolder } from '../../ports/artifacts.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { EventBody } from '../../run/event.ts';
import { DESIGN_FILES, type Design } from '../../scenario/design.ts';
import type { StepContext } from '../deps.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';
import { currentDesignDir, designDir, handoffPath, outputDir } from '../../run/layout.ts';
import { designChecks, prepareGate, readReasons, readSources } from '../../gate/open-gate.ts';
import { listAccountQuestions, listBriefSentences } from '../../gate/rules/gaps/judge-accounts.ts';
import { listSections, sectionsWithoutRule } from '../../gate/rules/source-sections.ts';
import { splitComment } from '../../gate/rules/comment-parts.ts';
import { takeHead } from '../../transcript/tokens.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import { createForecastDeps, forecastRun } from '../forecast/forecast-run.ts';
import { workStep, type StepPlan } from './work-step.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import { Layer1Problems } from '../../scenario/handoff.ts';
import type { RoundReason, RunState } from '../../run/state.ts';
import { describeServedTools } from '../evaluation/participants.ts';
import { listAnsweredQuestions, type ReadableFolders } from './approved-rules.ts';
import { briefTask, changesRequestedTask, formatNotes, renderHandoff, returnedTask } from './handoffs.ts';

const NEXT_OF_DOUBTS =
  'reviewer_will_see: repair what is your mistake. What the sources themselves leave open belongs in open_questions. What is missing on ' +
  'purpose belongs in left_out: {"what": the rule or the words named, "why"}.';

const NEXT_OF_POINTS = {
  sections_without_a_rule:
    'sections_without_a_rule: no rule quotes them, or names them in its source. Many need no rule. Where one demands something of the subject, ' +
    'add the rule, and say it in subject_prompt; where a rule has it already, name the section in its source.',
  comments_without_an_answer:
    'comments_without_an_answer: say in `comments` what you did about each of these points of the reviewer.',
  sentences_of_the_brief:
    'sentences_of_the_brief: hand in `accounts` too, which say of each sentence, by its number, what of the design carries it, or why nothing ' +
    'does. Kinds of cases that a sentence names are carried by a value each. Where nothing carries what is demanded, mend the design.',
  accounts_to_look_at: 'accounts_to_look_at: mend the design or its `accounts`; where both are right, leave them.',
} as const;

const NEXT_AFTER_BOTH =
  'If you change a file, call submit_design again. Then end your turn with one sentence: a person decides at HITL-1, and sees what is left.';

const MOST_SECTIONS = 30;
const MOST_POINT_CHARS = 120;

export async function makeDesign(step: StepContext): Promise<EventBody> {
  const { run, state, brief, deps, signal } = step;
  const { round } = state;
  deps.progress({ type: 'phase', phase: 'design', round, iteration: state.iteration });
  const committed = (await run.artifacts.committed(designDir(round), true)) ?? (await runDesignStep(step));
  const forecast = await forecastRun({ brief, at: run }, createForecastDeps(deps, signal));
  const pack = await prepareGate(run, { state, design: committed, brief, forecast });
  await run.artifacts.discard(`design.r${round}`);
  const need = deps.reviewers?.need ?? 1;
  return { type: 'design.done', round, digest: committed.digest, packDigest: pack.digest, rules: pack.rules, need };
}

async function runDesignStep(step: StepContext): Promise<CommittedFolder> {
  const { run, state, deps } = step;
  const { round } = state;
  let submitted = false;
  let isFinal = false;
  const listNews = createNewsFilter();
  const earlier = await readAccounts(run, round - 1);
  const submit = async (attempt: Attempt, given: SubmitDesign) => {
    const { problems, parts } = await readDesign(attempt.out, designDir(round));
    if (parts === undefined) return { ok: false, problems };
    const accounts = given.accounts ?? earlier;
    const submission = { ...given, ...omitUndefined({ accounts }) };
    await attempt.write('submission.json', `${JSON.stringify({ version: 1, ...submission }, null, 2)}\n`);
    submitted = true;
    const sources = await readSources(run, step.brief);
    const doubts = designChecks({ ...parts, ...readReasons(submission) }, step.brief, sources).filter(
      ({ ok, skipped }) => !ok && skipped !== true,
    );
    const points = listPoints({ parts, submission, state, sources }, listNews);
    const open = Object.entries(points).filter(([, news]) => news.length > 0);
    isFinal = doubts.length === 0 && open.length === 0;
    return omitUndefined({
      ok: true,
      rules: parts.rules.rules.length,
      reviewer_will_see:
        doubts.length === 0 ? undefined : doubts.map(({ name, detail }) => `not true: ${name}. ${detail}`),
      ...Object.fromEntries(open),
      next: isFinal
        ? 'A person decides at HITL-1. End your turn with one sentence.'
        : [
            ...(doubts.length > 0 ? [NEXT_OF_DOUBTS] : []),
            ...open.map(([name]) => NEXT_OF_POINTS[name as keyof typeof points]),
            NEXT_AFTER_BOTH,
          ].join(' '),
    });
  };
  const description = deps.prompts.tools['submit_design'] ?? '';
  const seed =
    round === 1
      ? []
      : DESIGN_FILES.map((name) => ({ from: `${currentDesignDir(state, round - 1)}/${name}`, to: name }));
  return workStep(step, {
    agent: deps.agents.init,
    name: `design.r${round}`,
    target: designDir(round),
    seed,
    task: await createDesignTask(step),
    mounts: (attempt) => mountsFor(run, round, attempt),
    controls: (attempt) => [
      controlTool({ name: 'submit_design', description, schema: SubmitDesign }, (given) => submit(attempt, given)),
    ],
    // A design that code doubts can still be repaired and handed in again.
    sealed: () => submitted && isFinal,
    wrote: () => {
      submitted = false;
    },
    missing: () => (submitted ? undefined : `${designDir(round)} is not handed in: call submit_design.`),
  });
}

type NewsFilter = (points: readonly string[]) => string[];

/** Keeps the points that were not there before: each is asked of Init once, and what stays after that is meant. */
function createNewsFilter(): NewsFilter {
  const asked = new Set<string>();
  return (points) => points.filter((point) => !asked.has(point) && asked.add(point));
}

type HandedIn = {
  parts: Pick<Design, 'rules' | 'format'>;
  submission: SubmitDesign;
  state: RunState;
  sources: Awaited<ReturnType<typeof readSources>>;
};

function listPoints({ parts, submission, state, sources }: HandedIn, listNews: NewsFilter) {
  const { accounts } = submission;
  const numbered = listBriefSentences(sources).map(({ place, text }) => `${place}: ${text}`);
  return {
    sections_without_a_rule: firstSections(listNews(sectionsWithoutRule(listSections(parts.rules.rules, sources)))),
    comments_without_an_answer: listNews(listUnanswered(state, submission)),
    sentences_of_the_brief: listNews(accounts === undefined ? numbered : []),
    accounts_to_look_at: listNews(accounts === undefined ? [] : listAccountQuestions({ ...parts, accounts }, sources)),
  };
}

/** Lists the points of the reviewer's request that the submission says nothing about. */
function listUnanswered({ reason }: StepContext['state'], { comments }: SubmitDesign): string[] {
  if (reason.kind !== 'changes_requested') return [];
  return splitComment(reason.comment).flatMap(({ text }, index) =>
    comments.some(({ comment }) => comment === index + 1) ? [] : [`${index + 1}: ${takeHead(text, MOST_POINT_CHARS)}`],
  );
}

async function readAccounts(run: RunFolder, round: number): Promise<SubmitDesign['accounts']> {
  const text = await run.read(`${designDir(round)}/submission.json`);
  return text === undefined ? undefined : parseOrNone(SubmitDesign.pick({ accounts: true }).loose(), text)?.accounts;
}

function firstSections(sections: readonly string[]): string[] {
  const left = sections.length - MOST_SECTIONS;
  return [...sections.slice(0, MOST_SECTIONS), ...(left > 0 ? [`and ${left} more`] : [])];
}

/** Lets Init write its own round; everything else is read-only. */
function mountsFor(run: RunFolder, round: number, attempt: Attempt): Mount[] {
  return [
    ...READABLE_BY_INIT.map((name) => ({ logical: name, physical: join(run.dir, name), writable: false })),
    { logical: designDir(round), physical: attempt.out, writable: true },
  ];
}

/** Folders of the run that Init reads, in addition to the design that it writes. */
const READABLE_BY_INIT = ['scenario', 'design', 'execution_outputs', 'handoffs'];

/** Creates the message that opens a round for Init: the brief, Execute's problems, or a reviewer's request. */
async function createDesignTask(step: StepContext): Promise<StepPlan['task']> {
  const { run, state, brief, deps } = step;
  const { reason, round, iteration } = state;
  switch (reason.kind) {
    case 'first':
      return {
        origin: 'harness',
        text: briefTask(deps.prompts, brief, { round, servedTools: await describeServedTools(step) }),
      };
    case 'changes_requested': {
      const [comment = reason] = await listAnsweredQuestions(run, [reason], getReadable(state));
      const facts = { ...comment, round, iteration, caps: state.origin.limits };
      return { origin: 'human', text: changesRequestedTask(deps.prompts, facts) };
    }
    case 'returned':
      return { origin: 'harness', text: await handBack(step, reason) };
    default:
      return reason satisfies never;
  }
}

/** The reviewer's words refer to the newest committed design. */
function getReadable(state: RunState): ReadableFolders {
  return { folders: READABLE_BY_INIT, designDir: currentDesignDir(state, state.round - 1) };
}

type Returned = Extract<RoundReason, { kind: 'returned' }>;

/** Writes the message to Init as a hand-off file too, like everything that the agents exchange (S0.21, C.6). */
async function handBack({ run, state, deps }: StepContext, { iteration, problems }: Returned): Promise<string> {
  const { round, reviewerNotes } = state;
  const last = state.iterations.find((one) => one.iteration === iteration);
  const from = last?.round ?? round - 1;
  const text = returnedTask(deps.prompts, {
    round,
    iteration,
    passed: last?.passed ?? 0,
    total: last?.total ?? 0,
    problems,
    summary: await readSummary(run, iteration),
    notes: formatNotes(deps.prompts, await listAnsweredQuestions(run, reviewerNotes, getReadable(state))),
    caps: state.origin.limits,
  });
  const checkpoint = {
    from: 'execute',
    to: 'init',
    round: from,
    iteration,
    executionOutputDir: outputDir(iteration),
    designDir: designDir(from),
    summary: problems.map((problem) => problem.title).join('; '),
    problems: [...problems],
    keyPaths: [outputDir(iteration), designDir(from)],
  };
  await run.write(handoffPath('execute', from), renderHandoff(checkpoint, text));
  return text;
}

async function readSummary(run: StepContext['run'], iteration: number): Promise<string> {
  const text = await run.read(`${outputDir(iteration)}/layer1_problems.json`);
  return (text === undefined ? undefined : parseOrNone(Layer1Problems, text)?.summary) ?? '';
}
