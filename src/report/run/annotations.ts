/** GitHub annotations of a run: workflow commands, one per line, escaped and limited in number and length. */
import { nameLosses } from '../../scenario/lost-by-user.ts';
import type { Results, SampleResult } from '../../scenario/result.ts';
import { decidingTrial, failedVerdicts } from './failure-causes.ts';
import { findLayer } from './layers.ts';
import { shortDigest } from '../text/number-format.ts';
import { lastResults, waitingGate, type RunSummary } from './run-summary.ts';
import { clipText, neutraliseText } from '../text/sanitise.ts';
import { describeOutcome } from './run-outcome.ts';

type AnnotationLevel = 'error' | 'warning' | 'notice';
export type Annotation = {
  level: AnnotationLevel;
  title: string;
  text: string;
  /** Relative to the repository; default: the file of all. */
  file?: string | undefined;
  line?: number | undefined;
  /** The component at fault, as the rule of a SARIF report. */
  rule?: string;
};

/** GitHub shows ten of a level for each step and drops the rest silently. */
const MAX_SHOWN = 10;
const LONGEST_TEXT = 1000;
const LONGEST_TITLE = 120;

/** `file` is where a reader of the pull request can act: the scenario's brief, relative to the repository. */
export function renderAnnotations(summary: RunSummary, file: string | undefined): string[] {
  return annotationLines([...gateNotice(summary), ...failureNotice(summary), ...sampleNotices(summary)], file);
}

export function annotationLines(annotations: readonly Annotation[], file: string | undefined): string[] {
  return (['error', 'warning', 'notice'] as const).flatMap((level) => {
    const own = annotations.filter((one) => one.level === level);
    const shown = own.length <= MAX_SHOWN ? own : own.slice(0, MAX_SHOWN - 1);
    const rest = own.length - shown.length;
    const more = { level, title: 'More', text: `${rest} more: see the report of the run.` };
    return [...shown, ...(rest > 0 ? [more] : [])].map((one) => formatCommand(one, file));
  });
}

function formatCommand({ level, title, text, line, ...own }: Annotation, shared: string | undefined): string {
  const file = own.file ?? shared;
  const at = line === undefined ? '' : `line=${line},`;
  const place = file === undefined ? '' : `file=${escapeProperty(file)},${at}`;
  return `::${level} ${place}title=${escapeProperty(clipText(title, LONGEST_TITLE))}::${escapeData(clipText(text, LONGEST_TEXT))}`;
}

/** Escapes line breaks, which would end the command and could begin another one. */
function escapeData(text: string): string {
  return neutraliseText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function gateNotice(summary: RunSummary): Annotation[] {
  const gate = waitingGate(summary);
  if (gate === undefined) return [];
  const digest = summary.rounds.at(-1)?.digest ?? '';
  const text = `Run ${summary.run} waits at ${gate} for a person to decide on design ${shortDigest(digest)}. Nothing runs until then.`;
  return [{ level: 'notice', title: `${gate} waits for a decision`, text }];
}

function failureNotice(summary: RunSummary): Annotation[] {
  const { tone, title, detail } = describeOutcome(summary);
  if (tone !== 'bad') return [];
  return [{ level: 'error', title: `${summary.scenario}: ${title}`, text: `${detail} ${summary.why}` }];
}

/** A failing sample is an error only if the run failed; otherwise it is a warning. */
function sampleNotices(summary: RunSummary): Annotation[] {
  const last = lastResults(summary);
  if (last === undefined) return [];
  const level = summary.status === 'failed' ? 'error' : 'warning';
  return last.results.samples
    .filter(({ outcome }) => outcome === 'fail')
    .map((sample) => {
      const title = `${sample.id} fails in iteration ${last.results.iteration} (cause: ${findLayer(sample)?.name ?? 'not found yet'})`;
      return { level, title, text: describeFailure(sample) };
    });
}

function describeFailure(sample: SampleResult): string {
  const [first] = failedVerdicts(sample);
  const why = sample.why[0] ?? first?.reason ?? 'no evidence was recorded';
  return first === undefined || first.reason === why ? why : `${first.reason}\n${why}`;
}

/** The component is relative to the folder of components; the pointer names a place in the file of a sample. */
export function annotateSample(sample: SampleResult): Annotation & { component: string; pointer: string | undefined } {
  const { id, cause, uses = [] } = sample;
  const [first] = failedVerdicts(sample);
  const title = `${id} fails (cause: ${findLayer(sample)?.name ?? 'not found yet'})`;
  const shared = { level: 'error' as const, title, text: describeFailure(sample) };
  const folder = cause === '2' ? 'tools/' : cause === '3' ? `checkers/${first?.checker}.` : undefined;
  const component = folder === undefined ? undefined : uses.find((path) => path.startsWith(folder));
  if (component !== undefined) return { ...shared, component, pointer: undefined };
  const isState = decidingTrial(sample)?.stateDiff !== undefined;
  const expected = first?.reason.startsWith('never said') === true ? '/expect/must_say' : '/expect/must_not_call';
  const pointer = first?.checker !== 'expect' ? '/checkers' : isState ? '/expect/end_state' : expected;
  return { ...shared, component: `samples/${id}.json`, pointer };
}

/** A relative address: a space or a # in the name of a folder would make it another one. */
const toUri = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

type Played = { judged: readonly { results: Pick<Results, 'samples'> }[]; why?: string };

/** Names what has no verdict, so that its absence among the failures is not taken for a pass; `why`: nothing was played. */
export function listUnfinished(name: string, { judged, why }: Played): Annotation[] {
  if (why !== undefined) return [{ level: 'error', title: name, text: why }];
  return judged
    .flatMap(({ results }) => results.samples)
    .filter(({ trials }) => trials.length === 0 || trials.some(({ outcome }) => outcome === 'unscored'))
    .map((sample) => {
      const [text = nameLosses(sample)] = sample.outcome === 'unscored' ? sample.why : [];
      return { level: 'error', title: `${sample.id} has no verdict`, text };
    });
}

/**
 * SARIF 2.1.0 for code scanning: each failure at the file where a person repairs it, and what did not finish as a
 * notification of an execution that did not succeed.
 */
export function renderSarif(annotations: readonly Annotation[], unfinished: readonly Annotation[] = []): string {
  const results = annotations.map(({ title, text, rule = 'sample', file, line = 1 }) => ({
    ...{ ruleId: rule, level: 'error', message: { text: `${title}: ${text}` } },
    ...(file !== undefined && {
      locations: [{ physicalLocation: { artifactLocation: { uri: toUri(file) }, region: { startLine: line } } }],
    }),
  }));
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({ id }));
  const toolExecutionNotifications = unfinished.map(({ level, title, text }) => ({
    level,
    message: { text: `${title}: ${text}` },
  }));
  const invocations = [{ executionSuccessful: unfinished.length === 0, toolExecutionNotifications }];
  const run = { tool: { driver: { name: 'Tandem', rules } }, invocations, results };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}
