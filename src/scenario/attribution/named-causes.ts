/** Checks Execute's named causes against the evidence: refuses impossible ones, stores differing ones beside it. */
import type { NamedCause, Layer1Problem } from '../handoff.ts';
import type { Results, SampleResult } from '../result.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { countLayers } from '../statistics/score.ts';

/** Describes the faults in sentences for the agent; empty when every cause can be true. */
export function namedCauseFaults(causes: readonly NamedCause[], results: Results): string[] {
  const twice = causes.filter(({ sample }, index) => causes.findIndex((one) => one.sample === sample) < index);
  return [
    ...new Set(twice.map(({ sample }) => `Sample "${sample}" is named twice: name its first cause.`)),
    ...causes.flatMap((named) => findCauseFaults(named, results)),
  ];
}

/** Drops cause 1 for samples that a design problem cites, because that problem states it already. */
export function listUncitedCauses(causes: readonly NamedCause[], problems: readonly Layer1Problem[]): NamedCause[] {
  const cited = new Set(problems.flatMap(({ samples }) => samples));
  return causes.filter(({ cause, sample }) => cause !== '1' || !cited.has(sample));
}

function findCauseFaults(named: NamedCause, { samples }: Results): string[] {
  const sample = samples.find(({ id }) => id === named.sample);
  if (sample === undefined) return [`There is no sample "${named.sample}" in this iteration.`];
  if (sample.outcome === 'unscored')
    return [`Sample "${sample.id}" is unscored and needs no cause here; where its user was lost, mend the sample.`];
  if (sample.outcome !== 'fail') return [`Sample "${sample.id}" did not fail (${sample.outcome}).`];
  if (named.cause === '1') {
    return [`Sample "${sample.id}": a problem of the design (1) goes back with return_to_init, with its rules.`];
  }
  if (named.cause === '2') return componentFault(named, calledTools(sample), 'tool that was called in it');
  if (named.cause === '3') return componentFault(named, listRejecting(sample), 'checker that rejected it');
  return [];
}

function componentFault({ sample, cause, component }: NamedCause, known: readonly string[], what: string): string[] {
  if (component !== undefined && known.includes(component)) return [];
  const given = component === undefined ? 'names none' : `names "${component}"`;
  const there = known.length === 0 ? 'there is none' : `there are: ${known.join(', ')}`;
  return [`Sample "${sample}": cause ${cause} needs as component a ${what}, and ${given}; ${there}.`];
}

function calledTools({ uses = [] }: SampleResult): string[] {
  return uses.flatMap((path) => /^tools\/(.+)\.\w+$/.exec(path)?.[1] ?? []);
}

function listRejecting({ trials }: SampleResult): string[] {
  const verdicts = trials
    .flatMap((trial) => trial.verdicts)
    .filter(({ pass, checker }) => !pass && checker !== 'expect');
  return [...new Set(verdicts.map(({ checker }) => checker))];
}

/** Stores each named cause as a claim; the cause by evidence still decides what is counted. */
export function withNamedCauses(results: Results, causes: readonly NamedCause[]): Results {
  const samples = results.samples.map((sample): SampleResult => {
    const named = causes.find((one) => one.sample === sample.id);
    if (named === undefined) return sample;
    const { cause, component, why } = named;
    return { ...sample, claim: { cause, why, ...omitUndefined({ component }) } };
  });
  return { ...results, samples };
}

/** Formats a claim as `Execute says 4a: …; by evidence it is 4b`; undefined without a claim. */
export function formatClaim({ claim, cause, layer }: SampleResult): string | undefined {
  if (claim === undefined) return undefined;
  const blamed = claim.component === undefined ? '' : ` (${claim.component})`;
  const evidence = cause ?? String(layer ?? '?');
  const other = isDisputed({ claim, cause, layer }) ? ` (By evidence it is ${evidence}; both are on record.)` : '';
  return `Execute says ${claim.cause}${blamed}: ${claim.why}${other}`;
}

export function isDisputed({ claim, cause, layer }: Pick<SampleResult, 'claim' | 'cause' | 'layer'>): boolean {
  return claim !== undefined && claim.cause !== (cause ?? String(layer));
}

/** Moves every claimed failure to layer 1; its evidence follows the claim. */
export function withClaims(results: Results, problems: readonly Layer1Problem[]): Results {
  const samples = results.samples.map((sample) => applyClaim(sample, problems));
  return { ...results, samples, layers: countLayers(samples) };
}

function applyClaim(sample: SampleResult, problems: readonly Layer1Problem[]): SampleResult {
  const problem = problems.find(({ samples }) => samples.includes(sample.id));
  if (problem === undefined || sample.outcome !== 'fail') return sample;
  const claim = `Execute says that the design is wrong: ${problem.title} (${problem.rules.join(', ')}). The evidence alone points to layer ${sample.cause ?? sample.layer ?? 'unknown'}.`;
  return { ...sample, layer: 1, cause: '1', why: [claim, ...sample.why] };
}
