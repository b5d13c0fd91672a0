/** The graders of an imported suite: each rubric becomes a question of its own. */
import { stringify } from 'yaml';
import { omitUndefined } from '../../omit-undefined.ts';
import type { CarriedAsserts } from './asserts.ts';

export type Graders = ReturnType<typeof createGraders>;

/** Creates one grader per rubric, shared by all tests that use it. */
export function createGraders() {
  const ids: string[] = [];
  const files: { path: string; content: string }[] = [];
  return {
    files,
    nameGrader({ text, isNegated, leastScore }: CarriedAsserts['rubrics'][number]): string {
      const key = JSON.stringify([isNegated, leastScore, text]);
      if (!ids.includes(key)) {
        const id = `rubric-${ids.push(key)}`;
        const ends = [`The answer meets this: ${text}`, `The answer does not meet this: ${text}`];
        const [pass_when, fail_when] = isNegated ? ends.toReversed() : ends;
        const question = `Does the answer meet this? ${text}`;
        const grader = { id, question, rules: ['R1'], pass_when, fail_when, least_score: leastScore };
        files.push({ path: `graders/${id}.yaml`, content: stringify(omitUndefined(grader)) });
      }
      return `rubric-${ids.indexOf(key) + 1}`;
    },
  };
}
