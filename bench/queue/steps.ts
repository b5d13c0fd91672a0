/** What the harness adds to an agent's step, and how near to ideal samples run side by side. */
import { agentStep } from './agent-step.ts';
import { manySamples } from './many-samples.ts';
import type { Row } from './measure.ts';

export async function steps(): Promise<Row[]> {
  return [...(await agentStep()), ...(await manySamples())];
}
