/** Everything about proven components that a person should look at: none of it refuses a submission. */
import type { Design } from '../../../../scenario/design.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { JudgedSample } from '../plays/judge-plays.ts';
import { ruleDoubts } from './rule-doubts.ts';
import { sampleDoubts } from './sample-doubts.ts';
import { toolDoubts, type ProbeInput } from './tool-doubts.ts';

type DoubtInput = ProbeInput & { design: Design; judged: readonly JudgedSample[] };

export async function findDoubts(input: DoubtInput): Promise<Finding[]> {
  const { design, components, judged } = input;
  return [
    ...ruleDoubts(design, components, judged),
    ...sampleDoubts(design, components, judged),
    ...(await toolDoubts(input)),
  ];
}
