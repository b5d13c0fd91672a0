/** Single faults and harmless edits of the components of instrument-repair; written before the proof was run on any of them. */
import { checkerFaults } from './faults/checkers.mjs';
import { sampleFaults } from './faults/samples.mjs';
import { toolFaults } from './faults/tools.mjs';

export { harmless } from './faults/harmless.mjs';

export const faults = { ...toolFaults, ...checkerFaults, ...sampleFaults };
