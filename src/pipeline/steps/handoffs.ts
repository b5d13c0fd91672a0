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

function countLeft({ maxIterations, maxRounds }: RunCaps, { iteration, round }: { iteration: number; round: number }) {
  return {
    mostIterations: maxIterations,
    iterationsLeft: Math.max(0, maxIterations - iteration),
    mostRounds: maxRounds,
    roundsLeft: Math.max(0, maxRounds - round),
  };
}

/** `servedTools` describes the offer of the tool servers; empty without any. */
export function briefTask(
  prompts: PromptTexts,
  brief: Brief,
  { round, servedTools = '' }: { round: number; servedTools?: string },
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
  return servedTools === '' ? task : `${task.trimEnd()}\n${servedTools}\n`;
}

export function returnedTask(
  prompts: PromptTexts,
  facts: {
    round: number;
    iteration: number;
    passed: number;
    total: number;
    problems: readonly Layer1Problem[];
    /** Empty in runs of earlier versions. */
    summary: string;
    notes: string;
    caps: RunCaps;
  },
): string {
  // Without a sample that ran there is no report or trace, so the message must not refer to them.
  return fillTemplate(facts.total === 0 ? prompts.unproven_to_init : prompts.execute_to_init, {
    round: facts.round,
    lastRound: facts.round - 1,
    iteration: facts.iteration,
    executionOutputDir: outputDir(facts.iteration),
    designDir: designDir(facts.round),
    passed: facts.passed,
    total: facts.total,
    problems: facts.problems.map(formatProblem).join('\n'),
    summary: facts.summary.trim() === '' ? '' : `Execute says: ${facts.summary.trim()}`,
    reviewerNotes: facts.notes,
    ...countLeft(facts.caps, facts),
  });
}

function formatProblem(problem: Layer1Problem): string {
  const proposal = problem.proposal === undefined ? '' : ` Execute proposes: ${problem.proposal}`;
  return `- ${problem.title} (rules ${problem.rules.join(', ')}; samples ${problem.samples.join(', ')}): ${problem.claim}${proposal}`;
}

export function changesRequestedTask(
  prompts: PromptTexts,
  facts: ReviewerComment & { round: number; iteration: number; caps: RunCaps },
): string {
  return fillTemplate(prompts.reviewer_to_init, {
    round: facts.round,
    lastRound: facts.round - 1,
    designDir: designDir(facts.round),
    actor: facts.actor,
    comment: appendQuestions(facts),
    ...countLeft(facts.caps, facts),
    mentions: formatMentions(prompts, facts.files),
  });
}

export function approvedTask(
  prompts: PromptTexts,
  brief: Brief,
  facts: {
    round: number;
    designDir: string;
    iteration: number;
    approvedBy: string;
    summary: string;
    changes: readonly string[];
    notes: string;
    /** Description of the tool servers' offer; empty or absent without any. */
    servedTools?: string;
    caps: RunCaps;
  },
): string {
  const start = facts.iteration > 1 ? prompts.starting_point_copy : prompts.starting_point_empty;
  const task = fillTemplate(prompts.init_to_execute, {
    round: facts.round,
    iteration: facts.iteration,
    executionOutputDir: outputDir(facts.iteration),
    designDir: facts.designDir,
    approvedBy: facts.approvedBy,
    summary: facts.summary,
    changes: facts.changes.length === 0 ? '' : `Changed since the last approved design:\n${facts.changes.join('\n')}\n`,
    startingPoint: fillTemplate(start, {
      executionOutputDir: outputDir(facts.iteration),
      lastIteration: facts.iteration - 1,
    }),
    user: fillTemplate(prompts[`user_${brief.user.simulator}`], {
      model: userModelName(brief) ?? '',
      chooser: 'a chooser (a small model where models are paid, rules elsewhere)',
    }).trim(),
    targetPercent: formatPercent(brief.target),
    reviewerNotes: facts.notes,
    ...countLeft(facts.caps, facts),
  });
  return (facts.servedTools ?? '') === '' ? task : `${task.trimEnd()}\n${facts.servedTools}\n`;
}

export function nextIterationTask(
  prompts: PromptTexts,
  brief: Brief,
  facts: {
    round: number;
    designDir: string;
    iteration: number;
    passed: number;
    total: number;
    successRate: number;
    failures: readonly string[];
    caps: RunCaps;
  },
): string {
  return fillTemplate(prompts.iteration, {
    round: facts.round,
    iteration: facts.iteration,
    lastIteration: facts.iteration - 1,
    executionOutputDir: outputDir(facts.iteration),
    lastOutputDir: outputDir(facts.iteration - 1),
    designDir: facts.designDir,
    passed: facts.passed,
    total: facts.total,
    ratePercent: formatPercent(facts.successRate),
    targetPercent: formatPercent(brief.target),
    failures: facts.failures.length === 0 ? '- none' : facts.failures.join('\n'),
    ...countLeft(facts.caps, facts),
  });
}

/** Contains the message as the other agent gets it, and the same facts for machines. */
export function renderHandoff(checkpoint: Checkpoint, message: string): string {
  return `${message}\n\n\`\`\`json\n${JSON.stringify(checkpoint, null, 2)}\n\`\`\`\n`;
}
