/** Scripts of the offline model for an imported domain: its design and components, and a subject that follows the gold path. */
import { stringify } from 'yaml';
import { listCalls, type Sample } from '../../../scenario/sample.ts';
import type { ImportedFiles } from '../../imported-files.ts';
import { COMPONENTS_AT, DESIGN_AT } from '../../scenario-layout.ts';
import { formatPrompt } from './scenario-files.ts';
import { toTriggerPhrase } from './task.ts';

/** The most characters that an agent may write in one answer, and carry in one conversation. */
const MOST_CHARS = 32_000;
const MOST_IN_ALL = 400_000;

type ImportedDomain = {
  domain: string;
  files: ImportedFiles['files'];
  samples: readonly Sample[];
  userTools: ReadonlySet<string>;
};

/** Returns no scripts when the components are larger than a scripted agent can write. */
export function simulationFiles({ domain, files, samples, userTools }: ImportedDomain): ImportedFiles['files'] {
  const design = files.filter(({ path }) => path.startsWith(`${DESIGN_AT}/`));
  const components = files.filter(({ path }) => path.startsWith(`${COMPONENTS_AT}/`));
  const sizes = [...design, ...components].map(({ content }) => content.length);
  if (Math.max(...sizes) > MOST_CHARS || sizes.reduce((sum, size) => sum + size, 0) > MOST_IN_ALL) return [];
  return [
    createScript('init', 'the design agent of Tandem', [initTurn(design)]),
    createScript('execute', 'the building agent of Tandem', [executeTurn(components)]),
    createScript(
      'subject',
      formatPrompt(domain, '').split('.')[0] ?? '',
      samples.map((sample) => subjectTurn(sample, userTools)),
    ),
  ];
}

function createScript(who: string, systemIncludes: string, turns: unknown[]): ImportedFiles['files'][number] {
  const content = stringify({ version: 1, who, match: { system_includes: systemIncludes }, turns }, { lineWidth: 0 });
  return { path: `simulation/${who}.yaml`, content };
}

function toWriteTurns(files: ImportedFiles['files'], from: string, to: string): unknown[] {
  return files.map(({ path }) => {
    const input = { file_path: path.replace(from, to) };
    return { calls: [{ tool: 'write', input, content_file: path.replace('simulation/', '') }] };
  });
}

function initTurn(files: ImportedFiles['files']): unknown {
  const summary = { summary: 'The design as it was imported.', changes: [], open_questions: [] };
  return {
    name: 'the imported design',
    marker: '<scenario_brief round="1"',
    steps: [
      { calls: [{ tool: 'read', input: { file_path: 'scenario/brief.md' } }] },
      ...toWriteTurns(files, DESIGN_AT, 'design/r1'),
      { calls: [{ tool: 'submit_design', input: summary }] },
      { expects: '"ok":true', say: 'The imported design is handed in.' },
    ],
    summary: {
      current_design_summary: {
        unified_scenario_design: 'Imported from a domain of tau2-bench{{cite:task}}.',
        business_rules_key_points: ['The policy as numbered rules{{cite:task}}'],
        format_specifications: 'The tools of the domain, and the world that they work on{{cite:task}}.',
      },
      execute_feedback_summary: { execution_output_dir: '', layer1_problems_summary: [] },
      analysis_conclusions: ['Nothing is analysed: the design is written as it was imported{{cite:task}}'],
      pending_actions: ['Write what is missing of the three files, then submit_design{{cite:task}}'],
      key_paths: ['design'],
    },
  };
}

function executeTurn(files: ImportedFiles['files']): unknown {
  return {
    name: 'the imported components',
    marker: '<init_to_execute_context round="1" iteration="1"',
    steps: [
      { calls: [{ tool: 'read', input: { file_path: 'design/r1/business_rules.yaml' } }] },
      ...toWriteTurns(files, COMPONENTS_AT, 'execution_outputs/iteration_1'),
      { calls: [{ tool: 'submit_iteration', input: { note: 'The components as they were imported.' } }] },
      { expects: '"ok":true', say: 'The imported components are evaluated.' },
    ],
    summary: {
      generated_components: {
        tools: ['Shims over the copied toolkit{{cite:task}}'],
        checkers: ['As imported{{cite:task}}'],
        samples: 'As imported{{cite:task}}',
      },
      evaluation_progress: {
        current_iteration: 1,
        success_rate: 'not yet known',
        layer_status: 'nothing is evaluated',
      },
      identified_issues: [],
      pending_work: ['Write the imported files that are missing, then submit_iteration{{cite:task}}'],
      key_paths: ['execution_outputs/iteration_1', 'design'],
    },
  };
}

/** The subject asks in words for a call of the user; the user's answer is no step of the subject. */
function subjectTurn({ id, user, gold, gold_says: goldSays }: Sample, userTools: ReadonlySet<string>): unknown {
  const steps = listCalls(gold).map(({ tool, args }) =>
    userTools.has(tool) ? { say: `Please ${toTriggerPhrase(tool)}.` } : { calls: [{ tool, input: args }] },
  );
  return { name: id, marker: user.says_first, steps: [...steps, { say: goldSays }] };
}
