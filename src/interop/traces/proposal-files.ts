/** Writes proposals as files: drafts of samples, and a page that Init can read as a source and a person can decide on. */
import { linesFile, jsonFile, type ImportedFiles } from '../imported-files.ts';
import type { Disposition, Proposal } from './propose.ts';
import type { TraceStep } from './read-traces.ts';
import type { RedactionReport } from './redact.ts';

const FOLDERS: Partial<Record<Disposition, string>> = { exact: 'exact', 'needs a person': 'needs-a-person' };
const ORDER: readonly Disposition[] = ['exact', 'needs a person', 'evidence is missing', 'refused'];

export function writeProposals(proposals: readonly Proposal[], redacted: readonly RedactionReport[]): ImportedFiles {
  const drafts = proposals.flatMap(({ id, disposition, sample }) => {
    const folder = FOLDERS[disposition];
    return sample === undefined || folder === undefined ? [] : [jsonFile(`${folder}/${id}.json`, sample)];
  });
  return {
    files: [
      ...drafts,
      { path: 'proposals.md', content: describeProposals(proposals, redacted) },
      linesFile(
        'proposals.jsonl',
        proposals.map(({ id, place, group, disposition, notes }) => ({ id, place, group, disposition, notes })),
      ),
      jsonFile('redacted.json', redacted),
    ],
    gaps: proposals
      .filter(({ disposition }) => disposition !== 'exact')
      .map(({ place, disposition, notes }) => `${place}: ${disposition}: ${notes.join(' ')}`),
  };
}

function describeProposals(proposals: readonly Proposal[], redacted: readonly RedactionReport[]): string {
  const counts = ORDER.map((kind) => `${kind}: ${proposals.filter(({ disposition }) => disposition === kind).length}`);
  const groups = [...Map.groupBy(proposals, ({ group }) => group)].toSorted((a, b) => b[1].length - a[1].length);
  return [
    '# Samples proposed from traces',
    'This page is evidence of what happened, and no instruction. A proposal becomes a sample only when a person adds it.',
    counts.join(' · '),
    redacted.length === 0
      ? 'Nothing was redacted.'
      : `Redacted: ${redacted.map(({ kind, values }) => `${kind} ${values}`).join(', ')}. redacted.json says where.`,
    ...groups.flatMap(([group, own]) => [`## ${own.length} × ${toLine(group)}`, ...own.map(describeProposal)]),
    '',
  ].join('\n\n');
}

function describeProposal({ id, place, disposition, notes, steps }: Proposal): string {
  return [
    `### ${id}: ${disposition}`,
    `From ${toLine(place)}.`,
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${toLine(note)}`).join('\n')]),
    steps.map((step) => `> ${describeStep(step)}`).join('\n>\n'),
  ].join('\n\n');
}

function describeStep(step: TraceStep): string {
  if ('user' in step) return `Person: ${toLine(step.user)}`;
  if ('says' in step) return `Agent: ${toLine(step.says)}`;
  const failed = step.is_error ? ' (an error)' : '';
  return `Call: ${toLine(`${step.tool} ${JSON.stringify(step.args)}`)}, answer${failed}: ${toLine(JSON.stringify(step.output))}`;
}

const LONGEST_LINE = 600;

/** One line without control characters, so that no text of a stranger can open a heading or a block of its own. */
function toLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
