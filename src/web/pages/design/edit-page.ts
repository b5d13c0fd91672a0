/** Editing a design before approval: a form per rule, the three files, the agent's view of the patch, the decision. */
import type { DesignContent, EditCheck } from '../../../ports/decisions.ts';
import { html, type Html, renderPlainList } from '../../../report/html/html.ts';
import type { GateView } from '../../read/read-gate.ts';
import { diffView } from './diff-view.ts';
import { gateHref } from '../page-links.ts';
import { listApprovalDoubts } from '../../../report/gate/approval-doubts.ts';
import { renderConfirmation } from '../gate/answer-sections.ts';
import { changeRows, formatRows, promptFold } from '../gate/change-rows.ts';
import { renderPageHeader, renderAlert } from '../layout.ts';
import { renderPendingComments } from './design-comments.ts';
import { encodeField } from '../../../report/text/invisible-marks.ts';
import { textArea } from '../text-area.ts';

export type EditPage = {
  key: string;
  view: GateView;
  design: DesignContent;
  form: { token: string; nonce: string };
  /** The content of the fields: the posted text, or else the current design. */
  texts: Readonly<Record<string, string>>;
  comment: string;
  /** The result of the last check; undefined on the first visit. */
  check: EditCheck | undefined;
  notice: Html | undefined;
  /** True when some text differs from the design. */
  isEdited: boolean;
  /** The reader's unsent comments, which are sent with the decision. */
  drafts: ReadonlyMap<string, string>;
};

export function editPage(page: EditPage): Html {
  const { key, view, design, form, texts, comment, check, notice, isEdited, drafts } = page;
  const { pack, open } = view;
  const action = `${gateHref(key, pack.gate)}/edit`;
  const meta = html`<span>${pack.title}</span><a href="${gateHref(key, pack.gate)}">Back without editing</a>`;
  return html`${renderPageHeader({ brand: pack.gate, title: 'Edit the design, then approve it' }, meta)}
    ${notice}${renderPendingComments(key, pack.gate, drafts)}
    <p>
      Both agents read that you edited it, and what you changed. Your edit must pass the same checks as the agent’s own
      work.
    </p>
    <form method="post" action="${action}" class="edit" id="edit-form">
      <button disabled hidden></button>
      <input type="hidden" name="form" value="${form.token}" />
      <input type="hidden" name="nonce" value="${form.nonce}" />
      <input type="hidden" name="digest" value="${open?.digest ?? ''}" />
      ${check === undefined ? undefined : renderFindings(check, page)}
      <section class="card" aria-labelledby="rules-title">
        <h2 id="rules-title">One rule</h2>
        ${renderPlainList(pack.rules.map(({ id, title }) => html`<a href="${action}?rule=${id}">${id}</a> ${title}`))}
      </section>
      <details>
        <summary>The files</summary>
        ${rulesFirst(Object.keys(design.files)).map((name, index) => renderFileField(name, index, texts[name] ?? ''))}
      </details>
      <p><label for="comment">Notes</label> <span class="soft small">go to both agents</span></p>
      ${textArea(html`id="comment" name="comment" rows="2" maxlength="20000"`, comment)}
      <div class="bar" role="group" aria-label="Check">
        <div>
          <p class="told" id="draft-told" role="status"></p>
          <button name="do" value="check">Check and show the patch</button>
          ${isEdited ? html`<button name="do" value="drop">Drop the edit</button>` : undefined}
          <span class="soft small">Nothing is recorded by looking. What you write is saved for you.</span>
        </div>
      </div>
    </form>`;
}

/** The rules file comes first, because most edits change a rule. */
function rulesFirst(names: readonly string[]): string[] {
  return names.toSorted((one, other) => Number(other.includes('rules')) - Number(one.includes('rules')));
}

function renderFileField(name: string, index: number, text: string): Html {
  return html`<section class="card">
    <h2><label for="file-${index}">${name}</label></h2>
    ${textArea(html`id="file-${index}" name="file.${name}" rows="24" spellcheck="false" wrap="soft"`, encodeField(text))}
  </section>`;
}

function renderFindings({ problems, change }: EditCheck, { key, view }: EditPage): Html {
  if (change === undefined || problems.length > 0) {
    return html`${renderAlert('bad', 'This cannot be approved yet.')}${renderPlainList(problems.slice(0, 20))}`;
  }
  const rows = { key, pack: view.pack, writable: false, draft: new Map<string, string>(), reviewed: new Set<string>() };
  return html`<section class="card ask" aria-labelledby="patch-title">
    <h2 id="patch-title">Your edit is a valid design</h2>
    ${changeRows(change.rules, rows)}${formatRows(change)}${promptFold(change)}
    <details open>
      <summary>The patch, line by line</summary>
      ${diffView(change.diff)}
    </details>
    ${renderConfirmation(listApprovalDoubts(view.pack))}
    <p><button class="yes" name="do" value="approve">Approve the edited design</button></p>
    <p class="small soft">The text in the fields below is what is approved; change it again and check once more.</p>
  </section>`;
}
