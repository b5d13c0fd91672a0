/** `tandem label <run>`: a person answers the questions of graders without seeing the graders' verdicts. */
import { resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { writeNewFile } from '../../disk/named-output.ts';
import { usageError } from '../../errors.ts';
import { openLabelling, type Labelling, type LabelTask } from '../../pipeline/evaluation/settled-results.ts';
import { graderLines } from '../../report/run/graders-markdown.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { VERDICT_QUESTION } from '../../scenario/settle-disputes.ts';
import { describePassed, judgeResults, listDisputes } from '../../scenario/statistics/judge-results.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { assignLabelPart, type Label } from '../../scenario/label.ts';
import {
  commandActor,
  type Call,
  type JsonFlag,
  type BooleanFlags,
  type TextFlags,
  EXIT,
  printAnswer,
  type Io,
} from '../command-context.ts';
import { createAsk } from '../gates/ask-reviewer.ts';
import { readIteration } from './read-iteration.ts';

export type LabelOptions = JsonFlag &
  TextFlags<'iteration' | 'grader' | 'mark' | 'as' | 'reason' | 'export'> &
  BooleanFlags<'list' | 'report'>;

export async function labelCommand(name: string, options: LabelOptions, { io, signal }: Call): Promise<number> {
  const { written, ...place } = await readIteration(name, options.iteration, io);
  const labelling = await openLabelling({ ...place, results: written });
  if (options.export !== undefined) return exportLabels(labelling, options.export, io);
  if (options.report === true) return printGraderReport(labelling, options, io);
  const by = commandActor(io);
  const open = await openTasks(labelling, by, options.grader);
  if (options.list === true) return printOpenTasks(open, options, io);
  if (options.mark !== undefined) {
    await recordLabel(labelling, { ...options, mark: options.mark, by });
    return printGraderReport(labelling, options, io);
  }
  if (io.ask === undefined)
    throw usageError(
      'This is not a terminal. List what is open with --list --json, and answer with --mark <sample>.<trial> --as pass --reason <text>.',
    );
  await askAllTasks(open, { labelling, by }, { io, signal });
  return printGraderReport(labelling, options, io);
}

async function openTasks({ tasks, labels }: Labelling, by: string, only: string | undefined): Promise<LabelTask[]> {
  const done = new Set(
    (await labels()).filter((label) => label.by === by).map(({ grader, conversation }) => `${grader} ${conversation}`),
  );
  const wanted = tasks.filter(({ grader }) => only === undefined || grader.id === only);
  if (wanted.length === 0) {
    const known = [...new Set(tasks.map(({ grader }) => grader.id))].join(', ');
    throw usageError(`No grader "${only}" has judged a trial here; there are: ${known}.`);
  }
  return wanted.filter(({ grader, conversation }) => !done.has(`${grader.id} ${conversation}`));
}

/** Prints everything that a person needs for an answer, and no verdict of a grader. */
function printOpenTasks(open: readonly LabelTask[], { json }: LabelOptions, io: Io): number {
  const shown = open.map(({ name, grader: { id, question, pass_when, fail_when }, text }) => ({
    ...{ name, grader: id, question, pass_when, fail_when },
    record: text.split('\n').map((line): unknown => JSON.parse(line)),
  }));
  const lines = shown.map((one) => terminalText(`${one.name}  ${one.grader}: ${one.question}`));
  return printAnswer(io, { json, value: shown, lines });
}

async function recordLabel(
  { tasks, add }: Labelling,
  { mark: name, as, grader, reason = '', by }: LabelOptions & { mark: string; by: string },
): Promise<void> {
  if (as !== 'pass' && as !== 'fail') throw usageError('Say --as pass or --as fail.');
  if (reason.trim() === '') throw usageError('Say why with --reason <text>: a label is for others too.');
  const found = tasks.filter((task) => task.name === name && (grader === undefined || task.grader.id === grader));
  const [task, other] = found;
  if (task === undefined)
    throw usageError(`There is nothing to label as ${name}; tandem label --list names what is open.`);
  if (other !== undefined)
    throw usageError(`${name}: several graders judged it; name one with --grader ${task.grader.id}.`);
  await add(task, { by, verdict: as, reason });
}

async function askAllTasks(
  open: readonly LabelTask[],
  { labelling, by }: { labelling: Labelling; by: string },
  { io, signal }: Call,
): Promise<void> {
  const ask = createAsk(io, signal, 'q');
  for (const [index, task] of open.entries()) {
    const { question, pass_when, fail_when } = task.grader;
    for (const line of ['', `${index + 1} of ${open.length}: ${task.name}`, ...conversationLines(task), '', question])
      io.err(terminalText(line));
    for (const line of [`  pass: ${pass_when}`, `  fail: ${fail_when}`]) io.err(terminalText(line));
    const key = (await ask('[p] pass  [f] fail  [s] skip  [q] stop > ')).toLowerCase();
    if (key === 'q') return;
    if (key !== 'p' && key !== 'f') continue;
    const reason = await ask('Why? > ');
    if (reason === '') io.err('Without a reason nothing is written; the question comes again next time.');
    else await labelling.add(task, { by, verdict: key === 'p' ? 'pass' : 'fail', reason });
  }
}

function conversationLines({ text }: LabelTask): string[] {
  return text.split('\n').map((line) => {
    const [[key, value] = ['', ''], ...rest] = Object.entries(JSON.parse(line) as Record<string, unknown>);
    const more = rest.map(([name, part]) => ` ${name} ${JSON.stringify(part)}`).join('');
    return `  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}${more}`;
  });
}

async function printGraderReport(
  { reports, labels, settle, tasks }: Labelling,
  { json }: LabelOptions,
  io: Io,
): Promise<number> {
  const graders = await reports();
  const settled = tasks.some(({ grader }) => grader === VERDICT_QUESTION) ? await settle() : undefined;
  const verdict = settled && { verdict: judgeResults(settled), open: listDisputes(settled.samples).length };
  const lines = graders.flatMap(graderLines).map(terminalText);
  if (settled !== undefined)
    lines.push(
      `${describePassed(settled.samples)} of ${settled.total} samples pass: ${verdict?.verdict}; ${formatCount(verdict?.open ?? 0, 'doubt')} left`,
    );
  return printAnswer(io, { json, value: { graders, labels: (await labels()).length, ...verdict }, lines });
}

async function exportLabels({ labels }: Labelling, file: string, io: Io): Promise<number> {
  const rows = (await labels()).map((label: Label) => ({ ...label, part: assignLabelPart(label.conversation) }));
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (file === '-') for (const row of rows) io.out(JSON.stringify(row));
  else await writeNewFile({ flag: '--export', path: resolve(io.cwd, file), project: findHome(io.cwd).project }, text);
  return EXIT.met;
}
