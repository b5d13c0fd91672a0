/** What can be proved without running anything: references, coverage, counts, and schemas that can be honoured. */
import type { Brief } from '../../scenario/brief.ts';
import type { Design } from '../../scenario/design.ts';
import { schemaFaults, validateJson } from '../../scenario/json/json-schema.ts';
import { problem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import { pathOf, type Components, type LoadedSample } from '../components/components.ts';
import { actProblems } from './verify-acts.ts';
import { acceptedEnds } from '../judge/judge-expectation.ts';

/** `known` are ids of components that could not be loaded: their own problem is told already. */
export function verifyStructure(
  components: Components,
  design: Design,
  samplesWanted: Brief['samples']['min'],
  known: ReadonlySet<string>,
): Problem[] {
  return [
    ...schemaFaults(design.format.world).map((fault) =>
      problem('format-unsupported', 'format_spec.yaml', `format_spec.yaml: world${fault}`),
    ),
    ...toolProblems(components, design, known),
    ...checkerProblems(components, design),
    ...components.samples.flatMap((loaded) => sampleProblems(loaded, components, design, known)),
    ...components.samples.flatMap(({ sample }) => actProblems(sample, components, design)),
    ...countProblems(components, design, samplesWanted),
    ...coverageProblems(ruleCoverage(components, design)),
  ];
}

/** Rule -> the samples and checkers that cover it, for every rule of the design. */
export function ruleCoverage({ samples, checkers }: Components, design: Design): Verification['coverage'] {
  return Object.fromEntries(
    design.rules.rules.map(({ id }) => [
      id,
      {
        samples: samples.filter(({ sample }) => sample.covers.includes(id)).map(({ sample }) => sample.id),
        checkers: checkers.filter(({ rules }) => rules.includes(id)).map((checker) => checker.id),
      },
    ]),
  );
}

function coverageProblems(coverage: Verification['coverage']): Problem[] {
  return Object.entries(coverage).flatMap(([rule, { samples, checkers }]) => [
    ...(samples.length > 0 ? [] : [problem('rule-without-sample', rule, `no sample covers ${rule}`)]),
    ...(checkers.length > 0 ? [] : [problem('rule-without-checker', rule, `no checker names ${rule} in its rules`)]),
  ]);
}

function toolProblems({ tools, paths }: Components, design: Design, known: ReadonlySet<string>): Problem[] {
  const wanted = design.format.tools.map(({ name }) => name);
  const present = new Set(tools.map(({ name }) => name));
  return [
    ...wanted
      .filter((name) => !present.has(name) && !known.has(name))
      .map((name) =>
        problem(
          'tool-missing',
          name,
          `format_spec.yaml names the tool ${name}; tools/${name}.mjs (or .ts, .py) is missing`,
        ),
      ),
    ...[...present]
      .filter((name) => !wanted.includes(name))
      .map((name) =>
        problem('tool-unknown', name, `${pathOf(paths, 'tools', name)}: format_spec.yaml names no such tool`),
      ),
    ...tools.flatMap((tool) =>
      schemaFaults(tool.input_schema).map((fault) =>
        problem('tool-schema-unsupported', tool.name, `${pathOf(paths, 'tools', tool.name)}: input_schema${fault}`),
      ),
    ),
  ];
}

function checkerProblems({ checkers, samples, paths }: Components, design: Design): Problem[] {
  const rules = new Set(design.rules.rules.map(({ id }) => id));
  return checkers.flatMap((checker) => [
    ...checker.rules
      .filter((rule) => !rules.has(rule))
      .map((rule) =>
        problem(
          'checker-rule-unknown',
          checker.id,
          `${pathOf(paths, 'checkers', checker.id)}: the design has no rule ${rule}`,
        ),
      ),
    ...(samples.some(({ sample }) => sample.checkers.includes(checker.id))
      ? []
      : [
          problem(
            'checker-unused',
            checker.id,
            `${pathOf(paths, 'checkers', checker.id)}: no sample lists it, so nothing proves it`,
          ),
        ]),
  ]);
}

function sampleProblems(
  { sample, world }: LoadedSample,
  { checkers }: Components,
  design: Design,
  known: ReadonlySet<string>,
): Problem[] {
  const tell = (code: ProblemCode, message: string): Problem =>
    problem(code, sample.id, `samples/${sample.id}.json: ${message}`, { sample: sample.id });
  const rules = new Set(design.rules.rules.map(({ id }) => id));
  const tools = new Set(design.format.tools.map(({ name }) => name));
  const ids = new Set([...checkers.map(({ id }) => id), ...known]);
  const named = [...sample.gold, ...sample.wrong].map(({ tool }) => tool).concat(sample.expect.must_not_call);
  const worldFaults = validateJson(design.format.world, world);
  return [
    ...sample.covers
      .filter((rule) => !rules.has(rule))
      .map((rule) => tell('sample-rule-unknown', `covers ${rule}, which the design does not have`)),
    ...(design.format.categories.some(({ id }) => id === sample.category)
      ? []
      : [tell('sample-category-unknown', `format_spec.yaml has no category "${sample.category}"`)]),
    ...[...new Set(named)]
      .filter((tool) => !tools.has(tool))
      .map((tool) => tell('sample-tool-unknown', `format_spec.yaml has no tool "${tool}"`)),
    ...sample.checkers
      .filter((id) => !ids.has(id))
      .map((id) => tell('sample-checker-unknown', `there is no checkers/${id}.mjs (or .ts, .py)`)),
    ...(worldFaults.length === 0
      ? []
      : [tell('world-invalid', `its start world does not fit format_spec.yaml: ${worldFaults.join('; ')}`)]),
    ...acceptedEnds(sample, world).faults.map((fault) => tell('expectation-invalid', fault)),
  ];
}

function countProblems({ samples }: Components, design: Design, samplesWanted: number): Problem[] {
  const inCategory = (id: string): number => samples.filter(({ sample }) => sample.category === id).length;
  const short = design.format.categories.filter((category) => inCategory(category.id) < category.samples);
  return [
    ...short.map(({ id, samples: wanted }) =>
      problem('too-few-samples', id, `category "${id}" has ${inCategory(id)} usable samples of ${wanted}`),
    ),
    ...(samples.length >= samplesWanted
      ? []
      : [
          problem(
            'too-few-samples',
            'samples',
            `there are ${samples.length} usable samples of at least ${samplesWanted}`,
          ),
        ]),
  ];
}
