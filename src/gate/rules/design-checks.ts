/** Checks a design by code before a person decides; a failed check blocks nothing, but the reviewer must see it. */
import type { Brief } from '../../scenario/brief.ts';
import type { BusinessRule, BusinessRules, FormatSpec } from '../../scenario/design.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';
import { listComparable, shareStem } from '../../scenario/language/word-forms.ts';
import { takeHead } from '../../transcript/tokens.ts';
import { findQuote, LEAST_WORDS, type SourceText } from './find-quote.ts';

/** A check of a design; `skipped` means that it could not be made, and `detail` says why. */
export type DesignCheck = { name: string; ok: boolean; skipped?: true; detail: string };

/** With fewer words of its own a rule may lose them all in a paraphrase. */
const LEAST_OWN_WORDS = 3;
/** The share of them that a prompt which leaves the rule out holds all the same. */
const MOST_BY_CHANCE = 1 / 8;

export function checkDesign(rules: BusinessRules, format: FormatSpec, brief: Brief): DesignCheck[] {
  const ids = rules.rules.map(({ id }) => id);
  return [
    createCheck('rule ids are unique', listDoubled('', ids), `${ids.length} rules`),
    uniqueNames(format),
    knownTools(rules.rules, format),
    checkRulesInPrompt(rules.rules, format.subject_prompt),
    categoriesAsBriefed(format, brief),
    enoughSamples(format, brief),
  ];
}

function createCheck(name: string, faults: readonly string[], fine: string): DesignCheck {
  return { name, ok: faults.length === 0, detail: faults.length === 0 ? fine : faults.join('; ') };
}

function uniqueNames({ tools, categories }: FormatSpec): DesignCheck {
  const names = tools.map(({ name }) => name);
  const ids = categories.map(({ id }) => id);
  const faults = [...listDoubled('tool ', names), ...listDoubled('category ', ids)];
  const fine = `${tools.length} tools, ${categories.length} categories`;
  return createCheck('tools and categories are unique', faults, fine);
}

function knownTools(rules: readonly BusinessRule[], { tools }: FormatSpec): DesignCheck {
  const known = new Set(tools.map(({ name }) => name));
  const faults = rules.flatMap(({ id, applies_to }) =>
    applies_to
      .filter((tool) => !known.has(tool))
      .map((tool) => `${id} applies to ${tool}, which the format does not have`),
  );
  return createCheck('rules name tools that exist', faults, 'every tool that a rule applies to is in the format');
}

/**
 * Checks that the prompt says each rule: it names or repeats it, or holds words that no other rule has. Rules share the words of
 * their trade, and a paraphrase keeps few words in any language, but hardly ever none of the rule's own. A rule that cannot be
 * judged so is named, and never flagged, because a false alarm would hide the true ones.
 */
function checkRulesInPrompt(rules: readonly BusinessRule[], prompt: string): DesignCheck {
  const name = 'the subject is told every must rule';
  const told = listComparable(prompt);
  const worded = rules.map((rule) => ({ rule, words: listComparable(`${rule.text} ${rule.quote ?? ''}`) }));
  const findings = worded.flatMap(({ rule, words }, place) => {
    if (rule.severity !== 'must' || isNamedInPrompt(rule, prompt)) return [];
    if (words === undefined || words.by !== told?.by) return [{ rule, is: 'not judged in this language' }];
    const others = worded.flatMap((one, at) => (at === place ? [] : (one.words?.parts ?? [])));
    const own = words.parts.filter((word) => !others.some((other) => shareStem(word, other)));
    const said = own.filter((word) => told.parts.some((other) => shareStem(word, other)));
    if (said.length > own.length * MOST_BY_CHANCE) return [];
    return [{ rule, is: own.length < LEAST_OWN_WORDS ? 'not judged, as other rules have its words' : 'untold' }];
  });
  const { untold = [], ...unjudged } = Object.groupBy(findings, ({ is }) => is);
  const silent = "the subject's prompt seems not to say it";
  const faults = untold.map(({ rule: { id, title } }) => `look at ${id} (${title}): ${silent}`);
  const left = Object.entries(unjudged).map(([is, those]) => `${is}: ${those?.map(({ rule }) => rule.id).join(', ')}`);
  if (faults.length > 0) return createCheck(name, [...faults, ...left], '');
  const check = createCheck(name, [], left.join('; ') || 'each is named or worded in the prompt');
  return left.length === 0 ? check : { ...check, skipped: true };
}

function isNamedInPrompt({ id, text, quote = '' }: BusinessRule, prompt: string): boolean {
  if (new RegExp(String.raw`(?<![\w-])${id}(?![\w-])`).test(prompt)) return true;
  const told = foldText(prompt);
  return [text, quote].map(foldText).some((sentence) => sentence !== '' && told.includes(sentence));
}

function categoriesAsBriefed({ categories }: FormatSpec, brief: Brief): DesignCheck {
  const designed = categories.map(({ id }) => id);
  const briefed = [...new Set(brief.samples.categories)];
  const missing = briefed.filter((id) => !designed.includes(id));
  const added = [...new Set(designed)].filter((id) => !briefed.includes(id));
  const faults = [
    ...missing.map((id) => `the brief asks for ${id}, the format leaves it out`),
    ...added.map((id) => `the format adds ${id}, the brief does not ask for it`),
  ];
  return createCheck('categories are those of the brief', faults, briefed.join(', '));
}

function enoughSamples({ categories }: FormatSpec, { samples: { min } }: Brief): DesignCheck {
  const planned = categories.reduce((sum, { samples }) => sum + samples, 0);
  const faults = planned < min ? [`${planned} samples are planned, the brief asks for ${min}`] : [];
  return createCheck('enough samples are planned', faults, `${planned} planned, at least ${min} asked for`);
}

/** Checks that each quote is in its source, which Init cannot invent; a rule without a quote passes. */
export function checkQuotes(rules: readonly BusinessRule[], sources: readonly SourceText[]): DesignCheck {
  const quoting = rules.flatMap(({ id, quote, source = '' }) => (quote === undefined ? [] : [{ id, quote, source }]));
  const faults = quoting
    .filter(({ quote, source }) => findQuote(quote, source, sources) === undefined)
    .map(({ id, quote }) => {
      const isShort = !isUnspaced(quote) && quote.trim().split(/\s+/).length < LEAST_WORDS;
      const why = isShort
        ? `has fewer than ${LEAST_WORDS} words, so it shows nothing`
        : 'is in no source word for word';
      return `what ${id} quotes ${why}: “${takeHead(quote, 120)}”`;
    });
  const fine = `${quoting.length} of ${rules.length} rules quote their source`;
  return createCheck('quotes are in the sources', faults, fine);
}

function listDoubled(kind: string, names: readonly string[]): string[] {
  const doubled = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...doubled].map((name) => `${kind}${name} is listed more than once`);
}
