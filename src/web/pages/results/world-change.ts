/** The changes of a trial to its world: those of each call, and the difference between start and end. */
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { diffJson, valueAt } from '../../../scenario/json/patch.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';
import type { TraceLine, TraceLineOf } from '../../../scenario/trace.ts';

const OPERATIONS = { add: 'added', remove: 'removed', replace: 'changed' } as const;

export function operationText({ op, path, ...rest }: PatchOperation): Html {
  const value = 'value' in rest ? ` = ${clipText(JSON.stringify(rest.value) ?? '', 400)}` : '';
  return html`${OPERATIONS[op]} <code>${path}${value}</code><br />`;
}

/** Lists each changed place with its value before and after. */
export function worldChange(lines: readonly TraceLine[], trial: string): Html | undefined {
  const start = lines.find((line) => line.type === 'start');
  const end = lines.findLast((line) => line.type === 'end');
  if (start === undefined || end === undefined) return undefined;
  return html`<h3>The world before and after</h3>
    ${changedPlaces(start, end, `World before and after, ${trial}`)}`;
}

function changedPlaces(start: TraceLineOf<'start'>, end: TraceLineOf<'end'>, label: string): Html {
  // The trace of a large world contains only the changed places.
  const changes = end.change ?? diffJson(start.world, end.world);
  const shown = (value: unknown) => clipText(JSON.stringify(value) ?? '', 1000);
  if (changes.length === 0) return html`<p>Nothing changed.</p>`;
  return html`<div class="diff" tabindex="0" role="region" aria-label="${label}">
    ${changes.map(
      (change) =>
        html`<div class="f">${change.path}</div>
          ${change.op === 'add' ? undefined : html`<div class="d">- ${wasThere(start, change.path, shown)}</div>`}
          ${change.op === 'remove' ? undefined : html`<div class="a">+ ${shown(change.value)}</div>`}`,
    )}
  </div>`;
}

function wasThere({ world, base }: TraceLineOf<'start'>, path: string, shown: (value: unknown) => string): string {
  return base === undefined
    ? shown(valueAt(world, path))
    : `as in samples/worlds/${base.name}.json and the sample's start`;
}
