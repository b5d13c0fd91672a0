/** The messages that open an agent's turn, and the hand-off files that keep them on disk (S0.21). */
import { missingOf, reminderOf, type NamedFiles } from '../../gate/rules/mentions.ts';
import { fill } from '../../transcript/fill-template.ts';
import type { Brief } from '../../scenario/brief.ts';
import { designDir, outputDir } from '../../run/layout.ts';
import { percent } from '../../scenario/percent.ts';
import { subjectName, userModelName } from '../../scenario/subject.ts';
import type { Checkpoint, Layer1Problem } from '../../scenario/handoff.ts';
import type { PromptTexts } from '../../config/load-prompts.ts';

/** Files that a reviewer mentions become reminders to read them, or to say that they are not there (S1.11); nothing of them is injected. */
function mentionsOf(prompts: PromptTexts, files: NamedFiles | undefined): string {
  const [named, missing] = files === undefined ? [] : [reminderOf(files), missingOf(files)];
  return [
    ...(named === undefined ? [] : [fill(prompts.reminder_mentions, named)]),
    ...(missing === undefined ? [] : [fill(prompts.reminder_missing, missing)]),
  ].join('\n');
}

/** `questions` are those of the pack that the reviewer answered, `files` what the comment mentions. */
export type ReviewerComment = { actor: string; comment: string; questions?: readonly string[]; files?: NamedFiles };

export function notesFrom(prompts: PromptTexts, comments: readonly ReviewerComment[]): string {
  const written = comments.filter((entry) => entry.comment.trim() !== '');
  if (written.length === 0) return '';
  const lines = written.map((entry) => `- ${entry.actor}: ${withQuestions(entry)}`);
  return `<reviewer_notes>\n${lines.join('\n')}\n</reviewer_notes>\n${written.map((entry) => mentionsOf(prompts, entry.files)).join('\n')}`.trim();
}

/** A comment that says "Q1: yes" is followed by the text of Q1: its reader has the numbers from nowhere else. */
export function withQuestions({ comment, questions = [] }: ReviewerComment): string {
  const named = questions.flatMap((question, index) => {
    const isNamed = new RegExp(String.raw`\bQ\s?${index + 1}\b`, 'i').test(comment);
    return isNamed && !comment.includes(question) ? [`Q${index + 1}: ${question}`] : [];
  });
  return named.length === 0 ? comment : `${comment}\n<questions>\n${named.join('\n')}\n</questions>`;
}

/** The caps of the run, so that an agent knows how much it can still repair. */
export type Caps = { maxIterations: number; maxRounds: number };

function left({ maxIterations, maxRounds }: Caps, { iteration, round }: { iteration: number; round: number }) {
  return {
    mostIterations: maxIterations,
    iterationsLeft: Math.max(0, maxIterations - iteration),
    mostRounds: maxRounds,
    roundsLeft: Math.max(0, maxRounds - round),
  };
}

/** `servedTools`: what the servers of its tools offer; empty without any. */
export function briefTask(
  prompts: PromptTexts,
  brief: Brief,
  { round, servedTools = '' }: { round: number; servedTools?: string },
): string {
  const task = fill(prompts.scenario_brief, {
    round,
    scenario: brief.name,
    designDir: designDir(round),
    title: brief.title,
    sources: brief.reads.map((path) => `scenario/${path}`).join(', '),
    subjectModel: subjectName(brief.subject),
    minSamples: brief.samples.min,
    categories: brief.samples.categories.join(', '),
    targetPercent: percent(brief.target),
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
    caps: Caps;
  },
): string {
  // Without a sample that ran there is no report and no trace, and nobody is sent to look for them.
  return fill(facts.total === 0 ? prompts.unproven_to_init : prompts.execute_to_init, {
    round: facts.round,
    lastRound: facts.round - 1,
    iteration: facts.iteration,
    executionOutputDir: outputDir(facts.iteration),
    designDir: designDir(facts.round),
    passed: facts.passed,
    total: facts.total,
    problems: facts.problems.map(problemLine).join('\n'),
    summary: facts.summary.trim() === '' ? '' : `Execute says: ${facts.summary.trim()}`,
    reviewerNotes: facts.notes,
    ...left(facts.caps, facts),
  });
}

function problemLine(problem: Layer1Problem): string {
  const proposal = problem.proposal === undefined ? '' : ` Execute proposes: ${problem.proposal}`;
  return `- ${problem.title} (rules ${problem.rules.join(', ')}; samples ${problem.samples.join(', ')}): ${problem.claim}${proposal}`;
}

export function changesRequestedTask(
  prompts: PromptTexts,
  facts: ReviewerComment & { round: number; iteration: number; caps: Caps },
): string {
  return fill(prompts.reviewer_to_init, {
    round: facts.round,
    lastRound: facts.round - 1,
    designDir: designDir(facts.round),
    actor: facts.actor,
    comment: withQuestions(facts),
    ...left(facts.caps, facts),
    mentions: mentionsOf(prompts, facts.files),
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
    /** What the servers of its tools offer; empty or absent without any. */
    servedTools?: string;
    caps: Caps;
  },
): string {
  const start = facts.iteration > 1 ? prompts.starting_point_copy : prompts.starting_point_empty;
  const task = fill(prompts.init_to_execute, {
    round: facts.round,
    iteration: facts.iteration,
    executionOutputDir: outputDir(facts.iteration),
    designDir: facts.designDir,
    approvedBy: facts.approvedBy,
    summary: facts.summary,
    changes: facts.changes.length === 0 ? '' : `Changed since the last approved design:\n${facts.changes.join('\n')}\n`,
    startingPoint: fill(start, { executionOutputDir: outputDir(facts.iteration), lastIteration: facts.iteration - 1 }),
    user: fill(prompts[`user_${brief.user.simulator}`], { model: userModelName(brief) ?? '' }).trim(),
    targetPercent: percent(brief.target),
    reviewerNotes: facts.notes,
    ...left(facts.caps, facts),
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
    caps: Caps;
  },
): string {
  return fill(prompts.iteration, {
    round: facts.round,
    iteration: facts.iteration,
    lastIteration: facts.iteration - 1,
    executionOutputDir: outputDir(facts.iteration),
    lastOutputDir: outputDir(facts.iteration - 1),
    designDir: facts.designDir,
    passed: facts.passed,
    total: facts.total,
    ratePercent: percent(facts.successRate),
    targetPercent: percent(brief.target),
    failures: facts.failures.length === 0 ? '- none' : facts.failures.join('\n'),
    ...left(facts.caps, facts),
  });
}

/** The message as the other agent gets it, and the same facts for machines. */
export function renderHandoff(checkpoint: Checkpoint, message: string): string {
  return `${message}\n\n\`\`\`json\n${JSON.stringify(checkpoint, null, 2)}\n\`\`\`\n`;
}
