/** Checks a design by code before a person decides; a failed check blocks nothing, but the reviewer must see it. */
import type { Brief } from '../../scenario/brief.ts';
import type { BusinessRule, BusinessRules, FormatSpec } from '../../scenario/design.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';
import { areWordForms, canCompareWords, significantWords } from '../../scenario/language/word-forms.ts';
import { takeHead } from '../../transcript/tokens.ts';
import { findQuote, LEAST_WORDS, type SourceText } from './find-quote.ts';

/** A check of a design; `skipped` means that it could not be made, and `detail` says why. */
export type DesignCheck = { name: string; ok: boolean; skipped?: true; detail: string };

/** The share of a rule's words that a prompt must contain; less passes unrelated prompts, more fails rewordings. */
const MOST_WORDS = 0.7;

export function checkDesign(rules: BusinessRules, format: FormatSpec, brief: Brief): DesignCheck[] {
  return [
    uniqueRuleIds(rules.rules),
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

function uniqueRuleIds(rules: readonly BusinessRule[]): DesignCheck {
  const faults = findDuplicates(rules.map(({ id }) => id)).map((id) => `${id} is listed more than once`);
  return createCheck('rule ids are unique', faults, `${rules.length} rules`);
}

function uniqueNames({ tools, categories }: FormatSpec): DesignCheck {
  const faults = [
    ...findDuplicates(tools.map(({ name }) => name)).map((name) => `tool ${name} is listed more than once`),
    ...findDuplicates(categories.map(({ id }) => id)).map((id) => `category ${id} is listed more than once`),
  ];
  return createCheck(
    'tools and categories are unique',
    faults,
    `${tools.length} tools, ${categories.length} categories`,
  );
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
 * Checks that the prompt contains each rule, by id or by most words of the rule or its quote, as judging requires. A rule in a
 * language whose words cannot be compared so is named as not judged, because a false alarm would hide the true ones.
 */
function checkRulesInPrompt(rules: readonly BusinessRule[], prompt: string): DesignCheck {
  const name = 'the subject is told every must rule';
  const words = [...new Set(significantWords(prompt))];
  const isJudged = canCompareWords(prompt);
  const unnamed = rules.filter((rule) => rule.severity === 'must' && !isNamedInPrompt(rule, prompt));
  const [judged, unjudged] = [true, false].map((is) =>
    unnamed.filter(({ text }) => (isJudged && canCompareWords(text)) === is),
  );
  const untold = (judged ?? []).filter((rule) => !isWordedInPrompt(rule, words));
  const left =
    unjudged === undefined || unjudged.length === 0
      ? []
      : [`not judged in this language: ${unjudged.map(({ id }) => id).join(', ')}`];
  const faults = untold.map(({ id, title }) => `look at ${id} (${title}): the subject's prompt seems not to say it`);
  if (faults.length > 0) return createCheck(name, [...faults, ...left], '');
  const check = createCheck(name, [], left[0] ?? 'each is named or worded in the prompt');
  return left.length === 0 ? check : { ...check, skipped: true };
}

function isNamedInPrompt({ id, text, quote = '' }: BusinessRule, prompt: string): boolean {
  if (new RegExp(String.raw`(?<![\w-])${id}(?![\w-])`).test(prompt)) return true;
  const told = foldText(prompt);
  return [text, quote].map(foldText).some((sentence) => sentence !== '' && told.includes(sentence));
}

function isWordedInPrompt({ text, quote }: BusinessRule, words: readonly string[]): boolean {
  return [text, quote ?? ''].some((sentence) => {
    const own = [...new Set(significantWords(sentence))];
    const found = own.filter((word) => words.some((other) => areWordForms(word, other)));
    return own.length > 0 && found.length >= own.length * MOST_WORDS;
  });
}

function categoriesAsBriefed({ categories }: FormatSpec, brief: Brief): DesignCheck {
  const designed = new Set(categories.map(({ id }) => id));
  const briefed = new Set(brief.samples.categories);
  const faults = [
    ...[...briefed].filter((id) => !designed.has(id)).map((id) => `the brief asks for ${id}, the format leaves it out`),
    ...[...designed]
      .filter((id) => !briefed.has(id))
      .map((id) => `the format adds ${id}, the brief does not ask for it`),
  ];
  return createCheck('categories are those of the brief', faults, [...briefed].join(', '));
}

function enoughSamples({ categories }: FormatSpec, brief: Brief): DesignCheck {
  const planned = categories.reduce((sum, { samples }) => sum + samples, 0);
  const faults =
    planned < brief.samples.min ? [`${planned} samples are planned, the brief asks for ${brief.samples.min}`] : [];
  return createCheck(
    'enough samples are planned',
    faults,
    `${planned} planned, at least ${brief.samples.min} asked for`,
  );
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
  return createCheck(
    'quotes are in the sources',
    faults,
    `${quoting.length} of ${rules.length} rules quote their source`,
  );
}

function findDuplicates(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
