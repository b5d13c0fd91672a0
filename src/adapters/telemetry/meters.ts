/** Counts and measures since the process began, cumulatively, as receivers of the protocol prefer it. */
import { getOrCreate } from '../../get-or-create.ts';
import type { Instrument, Metric, Series, SpanFacts } from '../../ports/telemetry.ts';

/** The bounds are those that the GenAI conventions recommend. */
const KINDS: Readonly<Record<Metric, { about: string; bounds?: readonly number[] }>> = {
  'gen_ai.client.operation.duration': {
    about: 'Duration of a model call, its tries included.',
    bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
  'gen_ai.client.token.usage': {
    about: 'Tokens of a model call, cached ones included.',
    bounds: Array.from({ length: 14 }, (_, power) => 4 ** power),
  },
  'tandem.cost': { about: 'Money that was really paid for model calls.' },
  'tandem.context.changes': { about: 'Changes of what a model is shown, by kind.' },
  'tandem.context.calls': { about: 'Model calls of agents, by the outcome that their record has.' },
  'tandem.retries': { about: 'Tries after the first one, of model calls and of steps.' },
  'tandem.samples': { about: 'Trials of samples that ended, by outcome.' },
};

export type Meters = {
  add: (metric: Metric, value: number, facts: SpanFacts) => void;
  /** Returns the instruments that have recorded something. */
  read: () => Instrument[];
};

export function createMeters(): Meters {
  const all = new Map<Metric, Map<string, Series>>();
  return {
    add: (metric, value, facts) => {
      if (!Number.isFinite(value)) return;
      const { bounds = [] } = KINDS[metric];
      const of = getOrCreate(all, metric, () => new Map<string, Series>());
      const key = JSON.stringify(Object.entries(facts).toSorted(([one], [other]) => (one < other ? -1 : 1)));
      const buckets = Array.from({ length: bounds.length + 1 }, () => 0);
      const series = getOrCreate(of, key, () => ({ facts, sum: 0, count: 0, buckets }));
      addToSeries(series, value, bounds);
    },
    read: () => [...all].map(([name, of]) => ({ name, ...KINDS[name], series: [...of.values()] })),
  };
}

function addToSeries(series: Series, value: number, bounds: readonly number[]): void {
  const bucket = [...bounds, Infinity].findIndex((bound) => value <= bound);
  series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  series.sum += value;
  series.count += 1;
}
