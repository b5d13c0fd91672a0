/** The shipped scenario as tests use it: the components at each hand-in, and how their samples end. */
import { evaluate, type Ending } from './converse.ts';
import { loadComponents, type Components } from './prove.ts';
import { formatOf, openShipped, outputDir, playRun, type Played } from './shipped.ts';

export const desk = openShipped('refund-desk');

export type Story = Pick<Played, 'tree' | 'returned'> & {
  /** The components as they stood at each hand-in: the refused one, i1, i2, i3. */
  handedIn: Components[];
  /** How the samples end in i1, i2 and i3. */
  endings: Ending[][];
};

export async function playStory(firstRound: number): Promise<Story> {
  const { tree, handedIn: states, returned } = playRun(desk, firstRound);
  const handedIn = await Promise.all(states.map((state) => loadComponents(state.tree, outputDir(state.iteration))));
  const prompts = [firstRound, firstRound, firstRound + 1].map((round) => formatOf(tree, round).subject_prompt);
  const endings = await Promise.all(
    handedIn.slice(1).map((components, index) => evaluate(components, desk.subject, prompts[index] ?? '')),
  );
  return { tree, handedIn, endings, returned };
}

/** Hand-in 0 is the one that verification refuses; 1 to 3 are the iterations. */
export function componentsOf(story: Story, handIn: number): Components {
  const components = story.handedIn[handIn];
  if (components === undefined) throw new Error(`there is no hand-in ${handIn}`);
  return components;
}
