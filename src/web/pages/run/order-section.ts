/** The buttons that stop a run, for visitors who may decide its gates. */
import { html, type Html } from '../../../report/html/html.ts';
import type { RunOrder } from '../../../ports/decisions.ts';
import type { RunState } from '../../../run/state.ts';
import { runHref } from '../page-links.ts';

/** Going on is the next step of the run, which stands beside its state. */
type StopOrder = Exclude<RunOrder['what'], 'retry'>;

type OrderSectionInput = { key: string; status: RunState['status']; formToken: string };

const WORDS: Record<StopOrder, string> = { pause: 'Pause', cancel: 'Cancel the run' };

/** Returns the orders possible in a state; none for a run that has ended. */
export function ordersIn(status: RunState['status']): readonly StopOrder[] {
  if (status === 'paused' || status === 'errored') return ['cancel'];
  return ['created', 'designing', 'awaiting_approval', 'executing'].includes(status) ? ['pause', 'cancel'] : [];
}

export function orderSection({ key, status, formToken }: OrderSectionInput): Html | undefined {
  const orders = ordersIn(status);
  if (orders.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="orders-title">
    <h2 id="orders-title">Stop it</h2>
    <form method="post" action="${runHref(key)}/orders">
      <input type="hidden" name="form" value="${formToken}" />
      <p><label for="order-comment">Why (needed to cancel)</label></p>
      <p><input id="order-comment" name="comment" type="text" maxlength="500" /></p>
      <p>${orders.map((what) => html`<button name="do" value="${what}">${WORDS[what]}</button> `)}</p>
    </form>
    <p class="soft">
      What was paid for is saved. A run that is paused goes on where it was; one that is cancelled has ended.
    </p>
  </section>`;
}
