/** Makes problems of one sample: they name its file, and its id as component unless another is to blame. */
import { problem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';

export function problemMakerFor(sample: string) {
  return (code: ProblemCode, message: string, component = sample): Problem =>
    problem(code, component, `samples/${sample}.json: ${message}`, { sample });
}
