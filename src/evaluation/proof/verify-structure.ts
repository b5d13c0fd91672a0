/** Proves without running anything: references, coverage, counts, acts of the user, and schemas that can be honoured. */
import { SERVED_ENDING } from '../../scenario/component.ts';
import { listUserTools, type Design } from '../../scenario/design.ts';
import { schemaFaults, validateJson } from '../../scenario/json/json-schema.ts';
import { jsonFault, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { buildTable } from '../../scenario/cases/case-table.ts';
import { coverCases, type CaseCoverage } from '../../scenario/cases/case-coverage.ts';
import { resolveCase } from '../../scenario/cases/sample-case.ts';
import { valueAt } from '../../scenario/json/patch.ts';
import { createProblem, createProblemFactory } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import { listCalls, type Sample } from '../../scenario/sample.ts';
import { getComponentPath, type Components, type LoadedSample } from '../components/components.ts';
import { acceptedEnds } from '../judge/judge-expectation.ts';

/** The requirements that the components must agree with. */
export type StructureDemands = {
  design: Design;
  samplesWanted: number;
  /** Ids of components that could not be loaded: each is reported already. */
  unloaded: ReadonlySet<string>;
};

export function verifyStructure(components: Components, demands: StructureDemands): Problem[] {
  const { design } = demands;
  return [
    ...schemaFaults(design.format.world).map((fault) =>
      createProblem('format-unsupported', 'format_spec.yaml', `format_spec.yaml: world${fault}`),
    ),
    ...toolProblems(components, demands),
    ...checkerProblems(components, design),
    ...graderProblems(components, design),
    ...components.samples.flatMap((loaded) => sampleProblems(loaded, components, demands)),
    ...components.samples.flatMap(({ sample }) => actProblems(sample, components, design)),
    ...countProblems(components, demands),
    ...coverageProblems(ruleCoverage(components, design)),
  ];
}

/** Rule -> the samples and checkers that cover it, for every rule of the design. */
export function ruleCoverage(
  { samples, checkers, graders = [] }: Components,
  design: Design,
): Verification['coverage'] {
  return Object.fromEntries(
    design.rules.rules.map(({ id }) => {
      const graded = graders.filter(({ rules }) => rules.includes(id)).map((grader) => grader.id);
      return [
        id,
        {
          samples: samples.filter(({ sample }) => sample.covers.includes(id)).map(({ sample }) => sample.id),
          checkers: checkers.filter(({ rules }) => rules.includes(id)).map((checker) => checker.id),
          ...(graded.length === 0 ? {} : { graders: graded }),
        },
      ];
    }),
  );
}

function coverageProblems(coverage: Verification['coverage']): Problem[] {
  return Object.entries(coverage).flatMap(([rule, { samples, checkers, graders = [] }]) => [
    ...(samples.length > 0 ? [] : [createProblem('rule-without-sample', rule, `no sample covers ${rule}`)]),
    ...(checkers.length + graders.length > 0
      ? []
      : [createProblem('rule-without-checker', rule, `no checker names ${rule} in its rules`)]),
  ]);
}

/** Doubts about graders that need no model to be seen. */
export function graderRemarks(components: Components, design: Design): Problem[] {
  const only = Object.entries(ruleCoverage(components, design)).flatMap(([rule, { checkers, graders = [] }]) => {
    if (checkers.length > 0 || graders.length === 0) return [];
    const message = `${rule} is judged by graders alone (${graders.join(', ')}): a model reads it, and no code; write a checker for what code can judge`;
    return [createProblem('rule-graded-only', rule, message)];
  });
  const unproven = (components.graders ?? []).map(({ id }) =>
    createProblem(
      'grader-unproven',
      id,
      `graders/${id}.yaml: its proof asks a model, and is made before the first sample is played`,
    ),
  );
  return [...only, ...unproven];
}

/** Rules that do not exist, and judges that no sample lists. */
function judgeProblems(
  judges: readonly { id: string; rules: readonly string[]; at: string }[],
  { kind, listed, design }: { kind: 'checker' | 'grader'; listed: readonly string[]; design: Design },
): Problem[] {
  const known = new Set(design.rules.rules.map(({ id }) => id));
  return judges.flatMap(({ id, rules, at }) => [
    ...rules
      .filter((rule) => !known.has(rule))
      .map((rule) => createProblem(`${kind}-rule-unknown`, id, `${at}: the design has no rule ${rule}`)),
    ...(listed.includes(id)
      ? []
      : [createProblem(`${kind}-unused`, id, `${at}: no sample lists it, so nothing proves it`)]),
  ]);
}

function graderProblems({ graders = [], checkers, samples }: Components, design: Design): Problem[] {
  const judges = graders.map((grader) => ({ ...grader, at: `graders/${grader.id}.yaml` }));
  const listed = samples.flatMap(({ sample }) => sample.graders ?? []);
  const twins = judges.filter(({ id }) => checkers.some((checker) => checker.id === id));
  return [
    ...judgeProblems(judges, { kind: 'grader', listed, design }),
    ...twins.map(({ id, at }) =>
      createProblem('grader-id-taken', id, `${at}: a checker has the same id; verdicts are told apart by it`),
    ),
  ];
}

function toolProblems({ tools, paths }: Components, { design, unloaded }: StructureDemands): Problem[] {
  const wanted = design.format.tools.map(({ name }) => name);
  const present = new Set(tools.map(({ name }) => name));
  const at = (name: string): string => getComponentPath(paths, 'tools', name);
  const absent = (name: string): string =>
    `format_spec.yaml names the tool ${name}; tools/${name}.mjs (or .ts, .py, .mcp.json) is missing`;
  return [
    ...wanted
      .filter((name) => !present.has(name) && !unloaded.has(name))
      .map((name) => createProblem('tool-missing', name, absent(name))),
    ...[...present]
      .filter((name) => !wanted.includes(name))
      .map((name) => createProblem('tool-unknown', name, `${at(name)}: format_spec.yaml names no such tool`)),
    // A server checks its inputs itself, so its schemas are not checked here.
    ...tools
      .filter(({ name }) => !at(name).endsWith(SERVED_ENDING))
      .flatMap(({ name, input_schema }) =>
        schemaFaults(input_schema).map((fault) =>
          createProblem('tool-schema-unsupported', name, `${at(name)}: input_schema${fault}`),
        ),
      ),
  ];
}

function checkerProblems({ checkers, samples, paths }: Components, design: Design): Problem[] {
  const judges = checkers.map(({ id, rules }) => ({ id, rules, at: getComponentPath(paths, 'checkers', id) }));
  const listed = samples.flatMap(({ sample }) => sample.checkers);
  return judgeProblems(judges, { kind: 'checker', listed, design });
}

function sampleProblems(
  { sample, world }: LoadedSample,
  { checkers, graders = [] }: Components,
  { design, unloaded }: StructureDemands,
): Problem[] {
  const make = createProblemFactory(sample.id);
  const rules = new Set(design.rules.rules.map(({ id }) => id));
  const tools = new Set(design.format.tools.map(({ name }) => name));
  const ids = new Set([...checkers.map(({ id }) => id), ...unloaded]);
  const named = listCalls([...sample.gold, ...sample.wrong])
    .map(({ tool }) => tool)
    .concat(sample.expect.must_not_call);
  const worldFaults = validateJson(design.format.world, world);
  return [
    ...sample.covers
      .filter((rule) => !rules.has(rule))
      .map((rule) => make('sample-rule-unknown', `covers ${rule}, which the design does not have`)),
    ...(design.format.categories.some(({ id }) => id === sample.category)
      ? []
      : [make('sample-category-unknown', `format_spec.yaml has no category "${sample.category}"`)]),
    ...[...new Set(named)]
      .filter((tool) => !tools.has(tool))
      .map((tool) => make('sample-tool-unknown', `format_spec.yaml has no tool "${tool}"`)),
    ...sample.checkers
      .filter((id) => !ids.has(id))
      .map((id) => make('sample-checker-unknown', `there is no checkers/${id}.mjs (or .ts, .py)`)),
    ...(sample.graders ?? [])
      .filter((id) => !unloaded.has(id) && !graders.some((grader) => grader.id === id))
      .map((id) => make('sample-grader-unknown', `there is no graders/${id}.yaml`)),
    ...(sample.graders_see ?? [])
      .filter((path) => valueAt(world, path) === undefined)
      .map((path) => make('expectation-invalid', `graders_see: its start world has nothing at ${path}`)),
    ...(worldFaults.length === 0
      ? []
      : [make('world-invalid', `its start world does not fit format_spec.yaml: ${worldFaults.join('; ')}`)]),
    ...acceptedEnds(sample, world).faults.map((fault) => make('expectation-invalid', fault)),
    ...caseFaults(sample, world, design).map((fault) => make('case-untrue', fault)),
  ];
}

/** A sample says which case of the design it is, and its start world must not show another. */
function caseFaults(sample: Sample, world: JsonObject, { format: { cases } }: Design): string[] {
  if (cases !== undefined) return resolveCase(sample, world, cases).faults;
  return sample.case === undefined ? [] : ['case: the design has no cases'];
}

/** Undefined where the design has no cases. */
export function caseCoverage({ samples }: Components, { format: { cases }, rules }: Design): CaseCoverage | undefined {
  if (cases === undefined) return undefined;
  return coverCases(
    buildTable(cases, rules.rules),
    samples.map(({ sample, world }) => ({ sample: sample.id, known: resolveCase(sample, world, cases).known })),
  );
}

/** A user calls tools of the user alone, with inputs that fit, and makes the calls that the gold path needs. */
function actProblems({ id, gold, user }: Sample, { tools }: Components, { format }: Design): Problem[] {
  const make = createProblemFactory(id);
  const ofUser = listUserTools(format);
  const specs = new Map(tools.map((tool) => [tool.name, tool]));
  const acts = user.acts ?? [];
  const calls = acts.flatMap((act, index) => act.calls.map((call) => ({ ...call, index })));
  return [
    ...calls.flatMap(({ tool, args, index }) => {
      const at = `user.acts/${index}: ${tool}`;
      if (!ofUser.has(tool)) return [make('act-invalid', `${at} is no tool of the user (format_spec.yaml, by: user)`)];
      const faults = [jsonFault(args), ...validateJson(specs.get(tool)?.input_schema ?? true, args)];
      return faults.flatMap((fault) => (fault === undefined ? [] : [make('act-invalid', `${at}: ${fault}`)]));
    }),
    ...listCalls(gold)
      // Without acts a model may play the user, and do whatever the subject requests.
      .filter(({ tool }) => acts.length > 0 && ofUser.has(tool))
      .filter((wanted) => !calls.some(({ tool, args }) => sameJson({ tool, args }, wanted)))
      .map(
        ({ tool, args }) => `the gold path needs the user to call ${tool} ${JSON.stringify(args)}, and no act does so`,
      )
      .map((message) => make('gold-invalid', message)),
  ];
}

function countProblems({ samples }: Components, { design, samplesWanted }: StructureDemands): Problem[] {
  const inCategory = (id: string): number => samples.filter(({ sample }) => sample.category === id).length;
  const short = design.format.categories.filter((category) => inCategory(category.id) < category.samples);
  const total = `there are ${samples.length} usable samples of at least ${samplesWanted}`;
  return [
    ...short.map(({ id, samples: wanted }) =>
      createProblem('too-few-samples', id, `category "${id}" has ${inCategory(id)} usable samples of ${wanted}`),
    ),
    ...(samples.length >= samplesWanted ? [] : [createProblem('too-few-samples', 'samples', total)]),
  ];
}
