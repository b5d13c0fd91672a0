/** Proves every component before anything is paid: what cannot be proved is a problem with the layer that owns it. */
import pLimit from 'p-limit';
import type { Design } from '../../scenario/design.ts';
import { userToolsOf } from '../../scenario/user-tools.ts';
import { problem } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import type { Sandbox, SandboxSession } from '../../ports/sandbox.ts';
import type { Stage } from '../components/call-tool.ts';
import { runCheckers } from '../judge/check-trace.ts';
import { pathOf, type Components, type LoadedSample } from '../components/components.ts';
import { fragileTool } from './fragile-tools.ts';
import { loadThrough, type LoadedComponents } from '../components/load-components.ts';
import { failFastSession } from './fail-fast-session.ts';
import { openSessions, SESSIONS } from '../components/open-sessions.ts';
import { attributeProblems } from './attribute-problems.ts';
import { suspectTools } from './suspect-tools.ts';
import { isRefusal } from './verify-gold.ts';
import { verifySample, type SampleProof } from './verify-sample.ts';
import { ruleCoverage, verifyStructure } from './verify-structure.ts';
import { verifyTool } from './verify-tool.ts';

/** More proofs at a time than sessions: while one waits for a tool, another's checkers are asked. */
const AT_ONCE = 2 * SESSIONS;

export type VerifyInput = {
  /** Absolute path of the folder with `tools/`, `checkers/` and `samples/`. */
  dir: string;
  design: Design;
  /** Samples that the scenario asks for in all. */
  samplesWanted: number;
  sandbox: Sandbox;
  signal: AbortSignal;
};

export async function verifyComponents(input: VerifyInput): Promise<Verification> {
  const session = failFastSession(await openSessions(input.sandbox, input.dir));
  try {
    return await verifyLoaded(await loadThrough(session, input.dir, input.signal), input, session);
  } finally {
    await session.close();
  }
}

/** The same for components that were loaded already, through a session that is open on their folder. */
export async function verifyLoaded(
  { components, problems: loadProblems }: LoadedComponents,
  { design, samplesWanted, signal }: Pick<VerifyInput, 'design' | 'samplesWanted' | 'signal'>,
  session: SandboxSession,
): Promise<Verification> {
  const tools = new Map(components.tools.map((tool) => [tool.name, tool]));
  const userTools = userToolsOf(design.format);
  const bare = { tools, session, paths: components.paths, userTools, worldSchema: undefined };
  const stageOf = ({ world, base }: LoadedSample): Stage => {
    return { ...bare, worldSchema: design.format.world, startWorld: world, base: base?.world };
  };
  const { checkers } = components;
  const unchanging = design.format.tools.filter((tool) => !tool.changes_world);
  const readOnly = new Set(unchanging.map(({ name }) => name));
  const limit = pLimit(AT_ONCE);
  const toolProofs = await Promise.all(
    components.tools.map((tool) => limit(() => verifyTool(tool, components, design, bare, signal))),
  );
  const proofs = await Promise.all(
    components.samples.map((loaded) =>
      limit(() => verifySample(loaded, { checkers, stage: stageOf(loaded), readOnly }, signal)),
    ),
  );
  const active = new Set(components.tools.filter((_, index) => toolProofs[index]?.changes).map(({ name }) => name));
  const suspicions = suspectTools(
    proofs.map(({ gold }) => gold),
    design.format,
    active,
  );
  const settled = attributeProblems(proofs, suspicions);
  const blamed = new Set(settled.map(({ component }) => component));
  const blunt = await bluntCheckers(components, proofs, blamed, session, signal);
  const known = new Set(loadProblems.map(({ component }) => component));
  const problems = unique([
    ...loadProblems,
    ...verifyStructure(components, design, samplesWanted, known),
    ...toolProofs.flatMap((proof) => proof.problems),
    ...settled,
    ...blunt,
  ]);
  const faulty = new Set(problems.map(({ component }) => component));
  const sound = components.tools.filter(({ name }) => !faulty.has(name));
  const fragile = await Promise.all(sound.map((tool) => limit(() => fragileTool(tool, components, bare, signal))));
  const remarks = unique([...fragile.flat(), ...proofs.flatMap((proof) => proof.remarks)]);
  return {
    ok: problems.length === 0,
    problems,
    ...(remarks.length === 0 ? {} : { remarks }),
    proofs: proofs.map(({ proof }) => proof),
    coverage: ruleCoverage(components, design),
  };
}

/** Checkers that refuse nothing they are shown, and that are not blamed for more: not the null agent, not a wrong path, not one mutant. */
async function bluntCheckers(
  { checkers, paths }: Components,
  proofs: readonly SampleProof[],
  blamed: ReadonlySet<string>,
  session: SandboxSession,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { id } of checkers) {
    const listing = proofs.filter(({ loaded }) => loaded.sample.checkers.includes(id));
    if (listing.length === 0 || blamed.has(id) || listing.some(({ refused }) => refused.has(id))) continue;
    if (await refusesMutant(id, listing, { session, paths }, signal)) continue;
    const message = `${pathOf(paths, 'checkers', id)}: it cannot fail: it accepts an agent that does nothing, every wrong path and every changed gold world of ${listing.length} samples`;
    problems.push(problem('checker-cannot-fail', id, message));
  }
  return problems;
}

async function refusesMutant(
  id: string,
  proofs: readonly SampleProof[],
  where: Pick<Stage, 'session' | 'paths'>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const { loaded, mutants } of proofs) {
    for (const played of mutants) {
      const asked = { sample: loaded.sample, played, checkers: [id], base: loaded.base?.world, ...where };
      if ((await runCheckers(asked, signal)).some(isRefusal)) return true;
    }
  }
  return false;
}

function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((found) => [JSON.stringify(found), found])).values()];
}
