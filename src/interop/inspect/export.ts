/** Our results and traces as a log that Inspect's viewer and its Python API read. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { Results, SampleResult, TrialResult } from '../../scenario/result.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { inspectMessages } from './trace.ts';

export type ExportInput = {
  results: Results;
  /** Name of the scenario or the run. */
  task: string;
  /** ISO time at which the evaluation was made. */
  created: string;
  traceOf: (trial: TrialResult) => readonly TraceLine[];
};

const SCORER = 'tandem';

export function exportInspect({ results, task, created, traceOf }: ExportInput): Record<string, unknown> {
  const trials = results.samples.flatMap((sample) => sample.trials.map((trial) => ({ sample, trial })));
  const scored = trials.filter(({ trial }) => trial.outcome !== 'unscored');
  const passed = scored.filter(({ trial }) => trial.outcome === 'pass').length;
  const first = trials.map(({ trial }) => traceOf(trial)[0]).find((line) => line?.type === 'start');
  const model = first?.model ?? 'unknown';
  const ids = results.samples.map(({ id }) => id);
  return {
    version: 2,
    status: 'success',
    eval: {
      eval_id: results.designDigest.slice(0, 22),
      run_id: results.designDigest.slice(0, 22),
      task_id: results.componentsDigest.slice(0, 22),
      created,
      task,
      task_version: 0,
      task_args: {},
      dataset: { name: task, samples: ids.length, sample_ids: ids, shuffled: false },
      model,
      model_args: {},
      config: { epochs: Math.max(1, ...results.samples.map((sample) => sample.trials.length)) },
      packages: {},
      metadata: { design: results.designDigest, target: results.target, simulated: results.simulated },
    },
    plan: { name: 'plan', steps: [], config: {} },
    results: {
      total_samples: trials.length,
      completed_samples: scored.length,
      scores: [
        {
          name: SCORER,
          scorer: SCORER,
          params: {},
          metrics: {
            accuracy: { name: 'accuracy', value: scored.length === 0 ? 0 : passed / scored.length, params: {} },
            success_rate: { name: 'success_rate', value: results.successRate, params: {} },
          },
        },
      ],
    },
    stats: { started_at: created, completed_at: created, model_usage: {} },
    samples: trials.map((one) => toInspectSample(one, traceOf(one.trial), model)),
  };
}

type PlayedTrial = { sample: SampleResult; trial: TrialResult };

function toInspectSample({ sample, trial }: PlayedTrial, lines: readonly TraceLine[], model: string): unknown {
  const end = lines.at(-1);
  const final = end?.type === 'end' ? end.final : '';
  const { title, category, covers, layer } = sample;
  const first = lines.find((line) => line.type === 'user');
  return {
    id: sample.id,
    epoch: trial.trial,
    input: first?.text ?? title,
    target: '',
    metadata: omitUndefined({ title, category, covers, layer }),
    messages: inspectMessages(lines),
    output: {
      model,
      choices: [{ message: { role: 'assistant', content: final }, stop_reason: 'stop' }],
      completion: final,
      time: trial.durationMs / 1000,
    },
    scores: trial.outcome === 'unscored' ? {} : { [SCORER]: toInspectScore(sample, trial, final) },
    store: {},
    events: [],
    model_usage: {},
    total_time: trial.durationMs / 1000,
    ...(trial.outcome === 'unscored'
      ? { error: { message: sample.why[0] ?? 'the model could not be reached', traceback: '', traceback_ansi: '' } }
      : {}),
  };
}

function toInspectScore({ why }: SampleResult, trial: TrialResult, answer: string): Record<string, unknown> {
  const reasons = trial.verdicts.filter(({ pass }) => !pass).map(({ checker, reason }) => `${checker}: ${reason}`);
  const explanation = trial.outcome === 'pass' ? 'all checkers passed' : [...reasons, ...why].join('\n');
  const metadata = { verdicts: trial.verdicts, stop: trial.stop, trace: trial.trace };
  return { value: trial.outcome === 'pass' ? 'C' : 'I', answer, explanation, metadata };
}
