/** Formats the messages that open an agent's turn, and the hand-off files that keep them on disk (S0.21). */
import { formatMissing, formatReminder, type NamedFiles } from '../../gate/rules/mentions.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import type { Brief } from '../../scenario/brief.ts';
import { designDir, outputDir } from '../../run/layout.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { subjectName, userModelName } from '../../scenario/subject.ts';
import type { Checkpoint, Layer1Problem } from '../../scenario/handoff.ts';
import type { PromptTexts } from '../../config/load-prompts.ts';

/** Formats reminders to read the files that a reviewer mentions, or that they are missing (S1.11); their text is not injected. */
function formatMentions(prompts: PromptTexts, files: NamedFiles | undefined): string {
  const [named, missing] = files === undefined ? [] : [formatReminder(files), formatMissing(files)];
  return [
    ...(named === undefined ? [] : [fillTemplate(prompts.reminder_mentions, named)]),
    ...(missing === undefined ? [] : [fillTemplate(prompts.reminder_missing, missing)]),
  ].join('\n');
}

/** `questions` are those of the pack that the reviewer answered, `files` those that the comment mentions. */
export type ReviewerComment = { actor: string; comment: string; questions?: readonly string[]; files?: NamedFiles };

export function formatNotes(prompts: PromptTexts, comments: readonly ReviewerComment[]): string {
  const written = comments.filter((entry) => entry.comment.trim() !== '');
  if (written.length === 0) return '';
  const lines = written.map((entry) => `- ${entry.actor}: ${appendQuestions(entry)}`);
  return `<reviewer_notes>\n${lines.join('\n')}\n</reviewer_notes>\n${written.map((entry) => formatMentions(prompts, entry.files)).join('\n')}`.trim();
}

/** Appends the text of Q1 to a comment such as "Q1: yes", because its reader does not know the numbers. */
export function appendQuestions({ comment, questions = [] }: ReviewerComment): string {
  const named = questions.flatMap((question, index) => {
    const isNamed = new RegExp(String.raw`\bQ\s?${index + 1}\b`, 'i').test(comment);
    return isNamed && !comment.includes(question) ? [`Q${index + 1}: ${question}`] : [];
  });
  return named.length === 0 ? comment : `${comment}\n<questions>\n${named.join('\n')}\n</questions>`;
}

/** The caps of the run, so that an agent knows how much it can still repair. */
export type RunCaps = { maxIterations: number; maxRounds: number };

/** `designDir` is that of the round where nothing else is said, such as the folder of an edited design. */
type RoundFacts = { round: number; iteration: number; caps: RunCaps; designDir?: string };

/** Values that any message within a round may name. */
function describeRound({ round, iteration, caps, designDir: dir = designDir(round) }: RoundFacts) {
  return {
    ...{ round, lastRound: round - 1, iteration, lastIteration: iteration - 1, designDir: dir },
    ...{ executionOutputDir: outputDir(iteration), lastOutputDir: outputDir(iteration - 1) },
    ...{ mostIterations: caps.maxIterations, iterationsLeft: Math.max(0, caps.maxIterations - iteration) },
    ...{ mostRounds: caps.maxRounds, roundsLeft: Math.max(0, caps.maxRounds - round) },
  };
}

/** `servedTools` describes the offer of the tool servers; empty without any. */
function appendServedTools(task: string, servedTools = ''): string {
  return servedTools === '' ? task : `${task.trimEnd()}\n${servedTools}\n`;
}

export function briefTask(
  prompts: PromptTexts,
  brief: Brief,
  { round, servedTools }: { round: number; servedTools?: string },
): string {
  const task = fillTemplate(prompts.scenario_brief, {
    round,
    scenario: brief.name,
    designDir: designDir(round),
    title: brief.title,
    sources: brief.reads.map((path) => `scenario/${path}`).join(', '),
    subjectModel: subjectName(brief.subject),
    minSamples: brief.samples.min,
    categories: brief.samples.categories.join(', '),
    targetPercent: formatPercent(brief.target),
  });
  return appendServedTools(task, servedTools);
}

/** `summary` is empty in runs of earlier versions. */
type ReturnedFacts = RoundFacts & {
  passed: number;
  total: number;
  problems: readonly Layer1Problem[];
  summary: string;
  notes: string;
};

export function returnedTask(prompts: PromptTexts, facts: ReturnedFacts): string {
  const { passed, total, problems, summary, notes } = facts;
  // Without a sample that ran there is no report or trace, so the message must not refer to them.
  return fillTemplate(total === 0 ? prompts.unproven_to_init : prompts.execute_to_init, {
    ...{ ...describeRound(facts), passed, total, reviewerNotes: notes },
    problems: problems.map(formatProblem).join('\n'),
    summary: summary.trim() === '' ? '' : `Execute says: ${summary.trim()}`,
  });
}

function formatProblem(problem: Layer1Problem): string {
  const proposal = problem.proposal === undefined ? '' : ` Execute proposes: ${problem.proposal}`;
  return `- ${problem.title} (rules ${problem.rules.join(', ')}; samples ${problem.samples.join(', ')}): ${problem.claim}${proposal}`;
}

export function changesRequestedTask(prompts: PromptTexts, facts: ReviewerComment & RoundFacts): string {
  return fillTemplate(prompts.reviewer_to_init, {
    ...describeRound(facts),
    actor: facts.actor,
    comment: appendQuestions(facts),
    mentions: formatMentions(prompts, facts.files),
  });
}

type ApprovedFacts = RoundFacts & {
  approvedBy: string;
  summary: string;
  changes: readonly string[];
  notes: string;
  servedTools?: string;
};

export function approvedTask(prompts: PromptTexts, brief: Brief, facts: ApprovedFacts): string {
  const { approvedBy, summary, changes, notes, servedTools } = facts;
  const { simulator } = brief.user;
  const isByRules = simulator === 'scripted';
  const known = describeRound(facts);
  const start = facts.iteration > 1 ? prompts.starting_point_copy : prompts.starting_point_empty;
  const task = fillTemplate(prompts.init_to_execute, {
    ...{ ...known, approvedBy, summary, reviewerNotes: notes },
    changes: changes.length === 0 ? '' : `Changed since the design before:\n${changes.join('\n')}\n`,
    startingPoint: fillTemplate(start, known),
    user: fillTemplate(prompts[`user_${isByRules ? 'auto' : simulator}`], {
      model: userModelName(brief) ?? '',
      chooser: isByRules ? 'rules' : 'a chooser (a small model where models are paid, rules elsewhere)',
    }).trim(),
    targetPercent: formatPercent(brief.target),
  });
  return appendServedTools(task, servedTools);
}

type IterationFacts = RoundFacts & {
  passed: number;
  total: number;
  successRate: number;
  failures: readonly string[];
};

export function nextIterationTask(prompts: PromptTexts, brief: Brief, facts: IterationFacts): string {
  const { passed, total, successRate, failures } = facts;
  return fillTemplate(prompts.iteration, {
    ...{ ...describeRound(facts), passed, total },
    ratePercent: formatPercent(successRate),
    targetPercent: formatPercent(brief.target),
    failures: failures.length === 0 ? '- none' : failures.join('\n'),
  });
}

/** Contains the message as the other agent gets it, and the same facts for machines. */
export function renderHandoff(facts: Omit<Checkpoint, 'version' | 'kind'>, message: string): string {
  const checkpoint: Checkpoint = { version: 1, kind: 'handoff', ...facts };
  return `${message}\n\n\`\`\`json\n${JSON.stringify(checkpoint, null, 2)}\n\`\`\`\n`;
}
