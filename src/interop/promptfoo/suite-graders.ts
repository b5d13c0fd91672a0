/** The graders of an imported suite: each rubric becomes a question of its own. */
import { stringify } from 'yaml';
import type { GraderSpec } from '../../scenario/grader.ts';
import type { CarriedAsserts } from './asserts.ts';

export type Graders = ReturnType<typeof createGraders>;

/** Creates one grader per rubric, shared by all tests that use it. */
export function createGraders() {
  const texts = new Map<string, GraderSpec>();
  return {
    idOf({ text, isNegated, leastScore }: CarriedAsserts['rubrics'][number]): string {
      const key = JSON.stringify([isNegated, leastScore, text]);
      const id = texts.get(key)?.id ?? `rubric-${texts.size + 1}`;
      const [met, missed] = [`The answer meets this: ${text}`, `The answer does not meet this: ${text}`];
      const [pass_when, fail_when] = isNegated ? [missed, met] : [met, missed];
      const scored = leastScore !== undefined && { least_score: leastScore };
      texts.set(key, {
        id,
        question: `Does the answer meet this? ${text}`,
        rules: ['R1'],
        pass_when,
        fail_when,
        ...scored,
      });
      return id;
    },
    files: () =>
      [...texts.values()].map((grader) => ({ path: `graders/${grader.id}.yaml`, content: stringify(grader) })),
  };
}
