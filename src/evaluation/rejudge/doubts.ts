/** Shows that one of our traces belongs to another sample, or to another version of the design, than is loaded. */
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { nearestWord } from '../components/nearest-word.ts';
import type { OwnTrace } from './own-trace.ts';

export type OwnDoubt = { code: 'unknown-sample' | 'other-sample' | 'other-design'; message: string };

/** Undefined when the trace may be judged by the sample that it names. `name` is the file's, `<sample>.<trial>`. */
export function ownDoubt(
  trace: OwnTrace,
  name: string | undefined,
  { samples, tools }: Components,
): OwnDoubt | undefined {
  const { sample: id, trial, lines } = trace;
  if (name !== undefined && name !== `${id}.${trial}`)
    return { code: 'other-sample', message: `the file is named ${name}, and holds trial ${trial} of sample "${id}"` };
  const own = samples.find(({ sample }) => sample.id === id);
  if (own === undefined) return { code: 'unknown-sample', message: unknown(id, samples) };
  if (!isStartOf(own, trace)) {
    const real = samples.find((other) => other !== own && isStartOf(other, trace));
    if (real !== undefined)
      return { code: 'other-sample', message: `it says sample "${id}", and begins as sample "${real.sample.id}" does` };
    const part = sameJson(own.world, trace.played.before) ? 'the first words of its user' : 'its start world';
    return { code: 'other-design', message: `sample "${id}" is of another version here: ${part} is another` };
  }
  const known = new Set(tools.map((tool) => tool.name));
  const gone = lines.find((line) => line.type === 'call' && line.error !== 'unknown_tool' && !known.has(line.tool));
  if (gone?.type !== 'call') return undefined;
  return { code: 'other-design', message: `it calls the tool "${gone.tool}", which is not among the tools here` };
}

function isStartOf({ sample, world }: LoadedSample, { played, firstWords }: OwnTrace): boolean {
  return sample.user.says_first === firstWords && sameJson(world, played.before);
}

function unknown(id: string, samples: readonly LoadedSample[]): string {
  const ids = samples.map(({ sample }) => sample.id);
  const near = nearestWord(id, ids);
  const meant = near === undefined ? '' : `; did you mean "${near}"?`;
  return `there is no sample "${id}" among the ${ids.length} here${meant}`;
}
