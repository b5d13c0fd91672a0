/** Counts how the rules' chooser answers labelled messages of subjects: right, wrong, a wrong yes, and how many it answers at all. */
import { readFileSync } from 'node:fs';
import { chooseByRules } from '../../src/evaluation/chooser/choose-by-rules.ts';
import { buildMenu } from '../../src/evaluation/chooser/menu.ts';
import { saysNo } from '../../src/evaluation/scripted-user/sentences.ts';
import { Sample } from '../../src/scenario/sample.ts';
import type { ChosenMove } from '../../src/scenario/trace.ts';

export type Row = { language: string; sample: string; state: string; wanted: string[]; said: string };
type Users = Record<string, Record<string, object>>;

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

export function readRows(name = 'messages.tsv'): Row[] {
  return read(name)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [language = '', sample = '', state = '', wanted = '', said = ''] = line.split('\t');
      return { language, sample, state, wanted: wanted.split('|'), said: said.replaceAll(String.raw`\n`, '\n') };
    });
}

let users: Users | undefined;
/** By language and name, because hundreds of messages are said to a few samples. */
const samples = new Map<string, Sample>();

export function readSample(language: string, name: string): Sample {
  const key = `${language} ${name}`;
  const sample = samples.get(key) ?? makeSample(language, name);
  samples.set(key, sample);
  return sample;
}

/** One step of gold stands for the act that a user without any decision came for. */
function makeSample(language: string, name: string): Sample {
  users ??= JSON.parse(read('samples.json')) as Users;
  return Sample.parse({
    id: name,
    title: name,
    category: 'words',
    covers: ['R1'],
    start: { world: {} },
    user: users[language]?.[name],
    expect: { end_state: 'any' },
    gold: [{ tool: 'act', args: {} }],
    gold_says: '-',
    wrong: [],
    checkers: ['words'],
  });
}

/** Rows are scored more than once: all of a file, and a part of them. */
const answers = new WeakMap<Row, string>();

function answer(row: Row): string {
  const label = answers.get(row) ?? chooseLabel(row);
  answers.set(row, label);
  return label;
}

/** `none`, `end`, `wait`, `ask`, `all`, `again`, `yes`, `no`, or what is told and what is not known. */
function chooseLabel({ language, sample: name, state: before, said }: Row): string {
  const sample = readSample(language, name);
  const told = before === 'told' ? Object.keys(sample.user.knows).map((key) => `tell:${key}`) : [];
  const state = { acts: [], said: new Set(told), hasAgreed: before === 'agreed', waits: 0, changes: 0 };
  const [isDone, hasActed] = [before === 'done', before === 'acted' || before === 'done'];
  const menu = buildMenu(sample, state);
  return formatLabel(chooseByRules({ sample, menu, state, said, hasActed, isDone, isOver: isDone }), sample);
}

/** How a no begins in languages that no rule reads; only the labels need to know. */
const UNREAD_NO = /^(?:não|nie|non|いいえ|아니)/iu;

export function formatLabel(chosen: readonly ChosenMove[], sample: Sample): string {
  const moves = chosen.map(({ move }) => move);
  // What is told beside a question of the user's own leaves something open.
  const [first = 'none'] = moves.includes('ask') ? ['ask'] : moves;
  if (first === 'agree') return 'yes';
  if (first === 'refuse') return 'no';
  if (first.startsWith('decide:')) {
    const words = sample.user.knows[first.slice(7)] ?? '';
    return saysNo(words) || UNREAD_NO.test(words) ? 'no' : 'yes';
  }
  if (!first.includes(':')) return first;
  const kind = first.slice(0, first.indexOf(':'));
  return `${kind}:${moves.map((move) => move.slice(move.indexOf(':') + 1)).join(',')}`;
}

export const sortLabel = (label: string): string => {
  const at = label.indexOf(':');
  return at < 0
    ? label
    : label.slice(0, at + 1) +
        label
          .slice(at + 1)
          .split(',')
          .toSorted()
          .join(',');
};

/** A question that is asked back is neither answered nor lost. */
export type Counts = { all: number; answered: number; asked: number; right: number; wrongYes: number; wrong: string[] };

export function scoreRows(rows: readonly Row[]): Counts {
  const counts: Counts = { all: rows.length, answered: 0, asked: 0, right: 0, wrongYes: 0, wrong: [] };
  for (const row of rows) {
    const got = sortLabel(answer(row));
    const isRight = row.wanted.map(sortLabel).includes(got);
    if (got === 'none') continue;
    if (got === 'ask') {
      counts.asked += 1;
      continue;
    }
    counts.answered += 1;
    if (isRight) counts.right += 1;
    else counts.wrong.push(`${row.language} ${row.sample}: "${row.said}" is ${row.wanted.join('|')}, chosen ${got}`);
    if (!isRight && got === 'yes') counts.wrongYes += 1;
  }
  return counts;
}

if (import.meta.main) {
  const [name = 'messages.tsv'] = process.argv.slice(2).filter((word) => word.endsWith('.tsv'));
  const rows = readRows(name);
  for (const language of new Set(rows.map((row) => row.language))) {
    const { all, answered, asked, right, wrongYes, wrong } = scoreRows(rows.filter((row) => row.language === language));
    console.log(
      `${language}: ${all} messages, ${answered} answered (${Math.round((100 * answered) / all)} %), ${asked} asked back, ${right} of them right, wrong yes ${wrongYes}`,
    );
    for (const line of wrong) console.log(`  ${line}`);
  }
  if (process.argv.includes('--open'))
    for (const row of rows)
      if (['none', 'ask'].includes(answer(row)) && !row.wanted.includes(answer(row)))
        console.log(`${answer(row)}: ${row.language} ${row.sample} ${row.wanted}: ${row.said}`);
}
