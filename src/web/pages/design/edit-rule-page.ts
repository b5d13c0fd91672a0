/** One rule as a form: its text and its sources. Fields that are not edited stay byte for byte. */
import type { RuleField } from '../../../gate/edit-rule.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { encodeField } from '../../../report/text/invisible-marks.ts';
import type { GateView } from '../../read/read-gate.ts';
import { renderPageHeader } from '../layout.ts';
import { gateHref } from '../page-links.ts';
import { ruleContext } from '../gate/rule-context.ts';
import { textArea } from '../text-area.ts';

export type EditRulePage = {
  key: string;
  view: GateView;
  id: string;
  /** The fields that the rule has in its file, with their current texts. */
  fields: ReadonlyMap<RuleField, string>;
  form: string;
};

const LABELS: Readonly<Record<RuleField, string>> = {
  ...{ title: 'Title', text: 'What it says', severity: 'Severity' },
  ...{ source: 'Where it comes from', quote: 'The sentence there, word for word' },
};

export function editRulePage({ key, view: { pack }, id, fields, form }: EditRulePage): Html {
  const action = `${gateHref(key, pack.gate)}/edit`;
  const meta = html`<span>${pack.title}</span><a href="${gateHref(key, pack.gate)}#${id}">Back without editing</a>`;
  return html`${renderPageHeader({ brand: pack.gate, title: `Edit ${id}` }, meta)}
    <form method="post" action="${action}/rule" class="card">
      <input type="hidden" name="form" value="${form}" />
      <input type="hidden" name="rule" value="${id}" />
      ${[...fields].map(([field, text]) => renderRuleField(field, text))}
      <p><button class="yes">Keep, and show the patch</button></p>
      <p class="small soft">
        Nothing is recorded yet. The rest of the file stays byte for byte; cases, tools and the subject’s prompt are
        edited in <a href="${action}">the files</a>.
      </p>
    </form>
    <section class="card" aria-label="What ${id} rests on">${ruleContext(id, { key, pack })}</section>`;
}

function renderRuleField(field: RuleField, text: string): Html {
  const label = html`<p><label for="rule-${field}">${LABELS[field]}</label></p>`;
  if (field === 'severity') {
    const option = (value: string) =>
      value === text ? html`<option selected>${value}</option>` : html`<option>${value}</option>`;
    return html`${label}<select id="rule-severity" name="rule.severity">
        ${['must', 'should'].map(option)}
      </select>`;
  }
  const rows = field === 'text' || field === 'quote' ? '4' : '1';
  return html`${label}${textArea(html`id="rule-${field}" name="rule.${field}" rows="${rows}"`, encodeField(text))}`;
}
