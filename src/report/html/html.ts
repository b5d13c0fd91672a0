/** HTML that is safe by construction: every value put into a template is escaped unless it came out of one. */
import { htmlText } from '../text/sanitise.ts';

// A symbol, so that nothing that was parsed from JSON can pass for markup.
const MARKUP = Symbol('markup');
export type Html = { readonly [MARKUP]: string };

type Value = string | number | Html | readonly Html[] | undefined;

/** Attributes must stand in double quotes; values are escaped for both text and attribute. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { [MARKUP]: strings.reduce((page, string, index) => page + written(values[index - 1]) + string) };
}

/** The markup of a whole page. */
export function markupOf(page: Html): string {
  return page[MARKUP];
}

/** Markup that is written in this room, such as a style sheet; never anything that was read. */
export function ownMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

function written(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return htmlText(value);
  if (typeof value === 'number') return String(value);
  return MARKUP in value ? value[MARKUP] : value.map(markupOf).join('');
}
