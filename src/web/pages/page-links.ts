/** Evidence named by an agent, as links where it is a place of this run and as plain text otherwise. */
import { html, type Html } from '../../report/html/html.ts';
import { SAMPLE_ID } from '../../scenario/brief.ts';

const TRIAL = String.raw`traces\/(${SAMPLE_ID})\.([1-9]\d{0,3})\.jsonl$`;
const TRACE = new RegExp(String.raw`^execution_outputs\/iteration_([1-9]\d{0,4})\/${TRIAL}`, 'u');

/** `key` names the run. Only an exact trace path of this run becomes a link. */
export function evidenceList(key: string, evidence: readonly string[]): Html | undefined {
  if (evidence.length === 0) return undefined;
  return html`<p class="evidence">
    <span class="soft">evidence</span>${evidence.map((one) => html`<span>${evidenceLink(key, one)}</span>`)}
  </p>`;
}

export function evidenceLink(key: string, place: string, words?: string): Html {
  const [, iteration, sample, trial] = TRACE.exec(place) ?? [];
  if (iteration === undefined || sample === undefined || trial === undefined) {
    return words === undefined ? html`<code>${place}</code>` : html`${words} <code>${place}</code>`;
  }
  const href = `${sampleHref(key, Number(iteration), sample)}#trial-${trial}`;
  return html`<a class="proof" href="${href}">${words ?? `${sample} (i${iteration})`}</a>`;
}

/** The link of a finding about a trial, to the line of its trace; `path` ends in `traces/<sample>.<trial>.jsonl`. */
export function disputeLink(
  key: string,
  iteration: number,
  { text, path, line }: { text: string; path: string; line?: number | undefined },
): Html {
  const [, sample, trial] = new RegExp(TRIAL, 'u').exec(path) ?? [];
  if (sample === undefined) return html`${text} <code>${path}</code>`;
  const href = trialHref(key, iteration, { sample, trial: Number(trial) });
  return html`<a class="proof" href="${href}${line === undefined ? '' : `#L${line}`}">${text}</a>`;
}

export function sampleHref(key: string, iteration: number, sample: string): string {
  return `${runHref(key)}/iterations/${iteration}/samples/${encodeURIComponent(sample)}`;
}

export function gateHref(key: string, gate: string): string {
  return `${runHref(key)}/gates/${encodeURIComponent(gate)}`;
}

export function sessionHref(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}

export function batchHref(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

export function runHref(key: string): string {
  return `/runs/${encodeURIComponent(key)}`;
}

/** The table of all samples and iterations of a run; `query` begins with a question mark or is empty. */
export function resultsHref(key: string, query = ''): string {
  return `${runHref(key)}/results${query}`;
}

export function trialHref(
  key: string,
  iteration: number,
  { sample, trial }: { sample: string; trial: number },
): string {
  return `${sampleHref(key, iteration, sample)}/trials/${trial}`;
}

/** The page with the bytes of one model call of a trial, counted from 1. */
export function callHref(
  key: string,
  iteration: number,
  { sample, trial, call }: { sample: string; trial: number; call: number },
): string {
  return `${trialHref(key, iteration, { sample, trial })}/calls/${call}`;
}

/** The page of a file that Execute wrote: code of a tool or checker, a sample, a world. */
export function componentHref(key: string, iteration: number, path: string): string {
  return `${runHref(key)}/iterations/${iteration}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The page of one grader question about one trial; `name` is `<sample>.<trial>`. */
export function labelHref(key: string, iteration: number, { grader, name }: { grader: string; name: string }): string {
  return `${runHref(key)}/iterations/${iteration}/labels/${encodeURIComponent(grader.toWellFormed())}/${encodeURIComponent(name)}`;
}

/** The page on which a person objects to a verdict. */
export function objectionHref(key: string, iteration: number, sample: string): string {
  return `${sampleHref(key, iteration, sample)}/words`;
}
