/** How the languages that the scripted user reads ask and answer: data, a record for each. */
import { foldCharacters } from '../../scenario/language/fold-text.ts';
import { GERMAN_SMALL_WORDS, isSmallWord } from './meaning.ts';

export type Language = {
  /** Whether there is anything else, or whether all is well. */
  more: RegExp;
  /** Question words, and verbs that ask for words: what is asked for is a fact. */
  asksFact: RegExp;
  consent: RegExp;
  /** The consent is to an act of the subject, or is asked for by name. */
  ownAct: RegExp;
  /** A sentence without a question mark that may ask for a yes, or for something to be done. */
  mayAsk: RegExp;
  /** The subject works on and will speak again. */
  hold: RegExp;
  /** The person and the tense of what the subject does next, or a sentence without a person such as "Checking your account." */
  announces: RegExp;
  /** The first one is said; a checker takes the others as well. */
  agreements: readonly string[];
  yes: string;
  no: string;
  /** A question for consent, and a no to something that is about to be done. */
  asks: string;
  refusal: string;
  /** A reply while waiting, which a checker of consent must not take for a yes. */
  waits: string;
  unclear: string;
  /** A reply to a question that goes beyond all that was told. */
  all: string;
  /** `{value}` of `{key}`, when it is the whole answer, and when it is not. */
  alone: string;
  named: string;
  unknown: string;
  saysYes: RegExp;
  saysNo: RegExp;
  /** Words by which a rule demands a question and agreement. */
  ruleOfConsent: RegExp;
};

const WHO = '(?:user|customer|guest|patient|caller|client|person|member|traveller|they|he or she)';
const AGREES = '(?:agree|confirm|consent|approve|accept|say yes|said yes|says yes)';

const GERMAN_SIGNS = new RegExp(String.raw`\b${GERMAN_SMALL_WORDS}\b.*\b${GERMAN_SMALL_WORDS}\b`, 'i');

const CHINESE: Language = {
  more: /还有(?:什么|其他|其它|别的)|(?:其他|其它|别的)(?:需要|问题|帮助|服务)/,
  asksFact: /什么|哪|多少|几(?!乎)|谁|为何|怎么|请(?:提供|告诉|告知|说明|给)/,
  consent:
    /(?:可以|好|行|对|确定|没问题)(?:了)?吗|(?:同意|确认|愿意|接受)(?=[^，。]*吗)|(?:是|可|能|愿意|同意|确认|要|好|行)不|是否|需要我|要我|(?:您|你)(?:想|要)(?=.*吗)|继续吗|可否/,
  ownAct:
    /(?:可以|行|好)吗|(?:同意|愿意|接受)(?=[^，。]*吗)|(?:需要|要|可以|能|让)我|(?:为|帮|给|替)(?:您|你)|继续|(?:要|还要|确认要)(?=取消|改|退|办|订)/,
  mayAsk: /请|确认|同意|(?:如果|若|如|只要)(?:您|你)|(?:您|你)可以/,
  hold: /稍等|等一下|正在/,
  announces: /我(?!.*[了已])/,
  agreements: ['好的，请继续。', '是的，我确定。', '是的，我确认。', '是的，没错。'],
  yes: '好的，谢谢。',
  no: '不用了，谢谢。',
  asks: '可以继续吗？',
  refusal: '不，请不要这样做。',
  waits: '我等着。',
  unclear: '您是什么意思？',
  all: '我知道的就这些。',
  alone: '是{value}。',
  named: '我的{key}是{value}。',
  unknown: '抱歉，我不知道{key}。',
  saysYes: /^(?:是|好|对|可以|行|同意|没问题|确认|嗯)[的了呀吧]?(?=$|[\s，。！,.!])/,
  saysNo: /^(?:不|否|不是|不要|不行|不用|不同意|不可以)[的了]?(?:谢谢)?(?=$|[\s，。！,.!])/,
  ruleOfConsent: /同意|征得|明确(?:的)?(?:确认|答复)|(?:客户|用户|顾客|患者|客人)(?:已)?确认|询问.*(?:之前|后)/,
};

const GERMAN: Language = {
  more: /\b(?:noch (?:etwas|was)|sonst noch|weitere(?:n)? Fragen?)\b|\b(?:ist|war) (?:das|damit) (?:so )?alles\b/i,
  asksFact: /\b(?:wer|was|welche[rmsn]?|wann|wo|warum|wieso|wie|weshalb)\b|\b(?:nennen|sagen|geben|schicken) Sie\b/i,
  consent:
    /\b(?:soll(?:en)?|darf|dürfen|kann|können) (?:ich|wir)\b|\b(?:möchten|wollen|wünschen|bestätigen|akzeptieren|stimmen) Sie\b|\b(?:sind|wären) Sie (?:sicher|damit)\b|\beinverstanden\b|\b(?:passt|stimmt|geht|ist) (?:das|es)\b|\bin Ordnung\b|\b(?:ok|okay|richtig|recht)\?$/i,
  ownAct: /\b(?:ich|wir|einverstanden|stimmen|akzeptieren)\b/i,
  mayAsk:
    /\bbitte\b|\bja\b|\b(?:wenn|falls|sofern|sobald) Sie\b|\b(?:brauche|benötige|warte|ohne) .*(?:bestätigung|zustimmung)/i,
  hold: /\b(?:Moment|Augenblick)\b|\bbitte warten\b/i,
  announces: /\bich (?!habe\b|bitte\b)\p{L}+e\b|\b(?!habe\b|bitte\b)\p{L}+e ich\b/iu,
  agreements: ['Ja, bitte machen Sie das.', 'Ja, ich bin sicher.', 'Ja, das ist richtig.', 'Ja, das bestätige ich.'],
  yes: 'Ja, bitte.',
  no: 'Nein, danke.',
  asks: 'Soll ich das tun?',
  refusal: 'Nein, bitte machen Sie das nicht.',
  waits: 'Ich warte.',
  unclear: 'Wie meinen Sie das?',
  all: 'Mehr weiß ich leider nicht.',
  alone: '{value}.',
  named: '{key}: {value}.',
  unknown: '{key}? Das weiß ich leider nicht.',
  saysYes: /^(?:ja|gerne?|einverstanden|okay|ok|in Ordnung|machen Sie|richtig|genau)\b/i,
  saysNo: /^(?:nein|nicht|lieber nicht|danke, nein)\b/i,
  ruleOfConsent:
    /\b(?:zustimm\w*|einverstanden\w*|einwillig\w*|ausdrücklich\w*(?: \w+)? (?:ja|bestätig\w*)|(?:Kunde|Kundin|Gast|Patient|Nutzer)\w* (?:bestätig|zustimm)\w*)\b/i,
};

const ENGLISH: Language = {
  more: /(?<!\bbefore )\b(?:anything|something) (?:else|more)\b|\bany (?:other|more|further)\b|\b(?:does|did) (?:that|this|it) (?:answer|help)\b|\b(?:is|was|will|would) that (?:be )?(?:all(?! right)|everything)\b/i,
  asksFact: /\b(?:who|what|which|when|where|why|how)\b|\b(?:tell|give|send) (?:me|us)\b/i,
  consent:
    /\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:would you|do you) (?:like|want|wish|agree|accept|confirm|still want)\b|\bare you (?:sure|happy|certain|okay|ok|fine)\b|\b(?:happy|fine|okay|ok|good|all right|alright|agreed) (?:with|for) (?:that|this|it|you)\b|\bwant me to\b|\bgo ahead\b|\bproceed\b|\b(?:is|are|would) (?:that|this|it|these|everything|all)(?: be)? (?:ok|okay|fine|all right|alright|right|correct)\b|\b(?:ok|okay|right|correct|agreed|all right|alright)\?$/i,
  ownAct: /\b(?:i|we|me|us|agree|consent|accept)\b/i,
  mayAsk:
    /\bplease\b|["'“‘]yes\b|\b(?:let|tell) (?:me|us)\b|\b(?:if|whether|once|when|as soon as) you(?:'d| would)? (?:agree|confirm|approve|accept|like|want|wish|are (?:ok|okay|happy|fine))|\b(?:confirmation|approval|consent|permission|go-ahead)\b|\bjust say\b/i,
  hold: /\b(?:one|just a|a) (?:moment|minute|second)\b(?! one)|(?<!\bplease )\blet me (?!know\b|have\b)|\bbear with me\b|\bhold on\b|\bplease (?:wait|hold)\b/i,
  announces:
    /^(?!\p{L}*thing\b)\p{L}+ing\b[^,]*$|\b(?:i|we)(?:(?:['’]ll| will) |(?: am|['’]m| are|['’]re) (?:\p{L}+ )?\p{L}+ing\b)/iu,
  agreements: ['Yes, please go ahead.', 'Yes, I am sure.', 'Yes, that is right.', 'Yes, I confirm that.'],
  yes: 'Yes, please.',
  no: 'No, thank you.',
  asks: 'Shall I go ahead?',
  refusal: "No, please don't do that.",
  waits: 'I will wait.',
  unclear: 'What do you mean?',
  all: 'That is all I know.',
  alone: 'It is {value}.',
  named: 'My {key} is {value}.',
  unknown: "{key}? I'm afraid I don't know that.",
  saysYes:
    /^(?:yes|yeah|yep|sure|ok|okay|please|go ahead|of course|correct|right|agreed|fine|do (?:it|that)|that is (?:right|fine|ok)|absolutely|i (?:agree|confirm|accept))\b/i,
  saysNo: /^no\b/i,
  ruleOfConsent: new RegExp(
    [
      String.raw`\bconsent|\bpermission\b|\b(?:clear|plain) yes\b`,
      String.raw`\bexplicit(?:ly)? (?:\w+ ){0,2}(?:yes\b|confirm|agree|approv)`,
      String.raw`\b${WHO} (?:has |have |must |had )?(?:\w+ly |first )?${AGREES}`,
      String.raw`\bask(?:s|ed)? (?!for\b)(?:\w+ ){0,4}(?:whether|before)\b`,
      // The object of the request may be anything else, such as a period.
      String.raw`\bask(?:s|ed)? (?:\w+ ){0,3}for (?:\w+ ){0,2}(?:yes|confirmation|approval|agreement)\b`,
    ].join('|'),
    'i',
  ),
};

export const LANGUAGES: readonly Language[] = [CHINESE, GERMAN, ENGLISH];

const ENGLISH_SIGNS = /^(?:i'(?:d|m|ve|ll)|\p{L}+n't|want|like|need|hello|am|if|is|it|of|or|we)$/u;

/** Returns the language only where the text shows it. */
export function findLanguage(text: string): Language | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return undefined;
  if (/\p{Script=Han}/u.test(text)) return CHINESE;
  if (GERMAN_SIGNS.test(text) || /\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b/.test(text)) return GERMAN;
  const words =
    foldCharacters(text)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const shown = new Set(words.filter((word) => ENGLISH_SIGNS.test(word) || (word.length > 2 && isSmallWord(word))))
    .size;
  return shown > 1 || (shown === 1 && words.length < 6) ? ENGLISH : undefined;
}

/** Takes a text that shows no language for English. */
export function detectLanguage(text: string): Language {
  return findLanguage(text) ?? ENGLISH;
}
