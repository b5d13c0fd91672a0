/** How the languages that the scripted user reads ask and answer: data, a record for each. */
import { buildOwnActPattern } from './subject-action-consent.ts';

export type Language = {
  /** A text is in the first language whose signs it shows; the last one takes all others. */
  shows: RegExp;
  /** Whether there is anything else, or whether all is well. */
  more: RegExp;
  /** A request to wait, in a sentence with a question mark, as the next patterns are. */
  asksToWait: RegExp;
  asksFact: RegExp;
  consent: RegExp;
  /** Consent to an act of the subject, whatever later clauses say ("may I send the file, which holds …, to …?"). */
  ownAct: RegExp;
  /** Consent, though its words begin like a question for a fact. */
  meant: RegExp;
  yesNo: RegExp;
  /** A request for consent in a sentence without a question mark. */
  pleaseConsent: RegExp;
  /** Statements of what the user can have, without a question. */
  offers: RegExp;
  /** Offers of more help, without a question. */
  closes: RegExp;
  needsFact: RegExp;
  please: RegExp;
  /** The subject works on and will speak again. */
  hold: RegExp;
  /** A choice between two things, once `notChoice` is taken out. */
  choice: RegExp;
  notChoice: RegExp;
  /** The first whose words the question holds; the last fits every question. */
  agreements: readonly (readonly [RegExp, string])[];
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

const NONE = /(?!)/;
const NEEDED = String.raw`(?! to\b| (?:\d|at least|another|more|a (?:day|week|month)|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b))`;
const WHO = '(?:user|customer|guest|patient|caller|client|person|member|traveller|they|he or she)';
const AGREES = '(?:agree|confirm|consent|approve|accept|say yes|said yes|says yes)';

export const OFTEN =
  '(?:Sie|Ihnen|Ihre?[nmrs]?|ich|wir|mir|nicht|möchten?|soll(?:en)?|können|haben|sind|bitte|und|oder|ist|wird|werden|einen?|das|der|den|dem|wie|lautet|damit|einverstanden|auf|für|mit|von)';

const CHINESE: Language = {
  shows: /\p{Script=Han}/u,
  more: /还有(?:什么|其他|其它|别的)|(?:其他|其它|别的)(?:需要|问题|帮助|服务)|(?:解决|回答)(?:了)?(?:您|你)的(?:问题|疑问)|对(?:您|你)有(?:所)?帮助|就这些(?:了)?吗/,
  asksToWait: /(?:请|可以|能)(?:您|你)?(?:稍等|等一下|等等)/,
  asksFact: /什么|哪|多少|几(?!乎)|谁|为何|怎么|请(?:提供|告诉|告知|说明|给)/,
  consent:
    /(?:可以|好|行|对|同意|确认|确定|愿意|接受|没问题)(?:了)?吗|(?:是|可|能|愿意|同意|确认)不(?:是|可|能|愿意|同意|确认)|是否(?:同意|确认|愿意|接受|继续|需要|要)|要不要|需要我|要我|(?:您|你)(?:想|要|愿意|同意|接受|确认)(?=.*吗)|继续吗|好不好|行不行|可否/,
  ownAct: NONE,
  meant: /这(?:就)?是(?:您|你)想要的|(?:您|你)(?:想|希望|要)(?:怎么|如何)(?:处理|继续|办|操作)/,
  yesNo: /吗|是不是|有没有|是否/,
  pleaseConsent:
    /请(?:您|你)?(?:确认|回复|回答)(?!.*(?:号|码|地址|姓名|日期))|(?:确认|同意)(?:之)?后,?，?(?:我|我们)|等(?:待|候)?(?:您|你)(?:的)?(?:确认|同意)|(?:如果|若|如)(?:您|你)(?:同意|确认|没问题|没有异议)[^。]*(?:我|我们)/,
  offers:
    /(?:如果|若|如|只要)(?:您|你)(?:愿意|需要|想要?|同意|希望)|(?:可以|能)(?:为|给)(?:您|你)(?:提供|办理|安排|开)|(?:您|你)可以(?:选择|获得|领取|得到)/,
  closes: /(?:其他|其它|任何|别的|有)(?:需要|问题|疑问)|随时(?:联系|告诉|告知|提问|找)/,
  needsFact: /请(?:您|你)?(?:提供|告诉|告知|说明|发送|给)|我(?:们)?(?:还)?需要(?:您|你)的/,
  please: /请/,
  hold: /稍等|请等|等一下|正在(?:查|核)/,
  choice: /还是|或者/,
  notChoice: NONE,
  agreements: [
    [/确定/, '是的，我确定。'],
    [/确认/, '是的，我确认。'],
    [/对吗|对不对/, '是的，没错。'],
    [/(?:)/, '好的，请继续。'],
  ],
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
  shows: new RegExp(String.raw`\b${OFTEN}\b.*\b${OFTEN}\b|[äöüß]`, 'i'),
  more: /\b(?:noch (?:etwas|was)|sonst noch|weitere(?:n)? Fragen?)\b|\b(?:hilft|half) (?:Ihnen )?das\b|\b(?:ist|war) (?:das|damit) (?:so )?alles\b|\bbeantwortet das\b|\bkonnte ich (?:Ihnen|Ihre)\b/i,
  asksToWait:
    /\b(?:können|könnten|würden) Sie (?:bitte )?(?:kurz |einen Moment |einen Augenblick )?warten\b|\bhaben Sie (?:kurz |bitte )?(?:einen Moment|Geduld)\b/i,
  asksFact:
    /\b(?:wer|was|welche[rmsn]?|wann|wo|warum|wieso|wie|weshalb)\b|\b(?:können|könnten|würden) Sie mir\b|\b(?:nennen|geben|sagen|schicken) Sie\b/i,
  consent:
    /\b(?:soll(?:en)?|darf|dürfen|kann|können) (?:ich|wir)\b|\b(?:möchten|wollen|wünschen|bestätigen|akzeptieren) Sie\b|\b(?:sind|wären) Sie (?:sicher|einverstanden|damit)\b|\beinverstanden\b|\bstimmen Sie\b|\b(?:passt|stimmt|geht) (?:das|es)\b|\bist das (?:so )?(?:richtig|korrekt|in Ordnung|recht|ok|okay)\b|\bin Ordnung\?|\bja oder nein\b|(?:^|[,.] ?)(?:ok|okay|richtig|recht)\?$/i,
  ownAct: buildOwnActPattern({
    facts: 'wer|was|welche[rmsn]?|wann|wo|warum|wieso|wie|weshalb',
    ask: '(?:soll(?:en)?|darf|dürfen) (?:ich|wir)',
    finding: String.raw`[^?]*\b(?:fragen|erfahren|wissen|erfragen|notieren|prüfen)\b`,
    and: 'und|oder|aber',
  }),
  meant:
    /\bist (?:es )?das(?:,)? was Sie (?:möchten|wollen|meinen)\b|\bwie (?:möchten|wollen) Sie (?:weiter )?(?:vorgehen|verfahren|fortfahren)\b|\bwie soll ich (?:weiter )?(?:vorgehen|verfahren|fortfahren)\b/i,
  yesNo:
    /(?:^|[,;:–—-] ?|\b(?:und|also|dann|aber) )(?:haben|ist|sind|war|waren|hat|kann|können|wird|werden|gibt|liegt) /i,
  pleaseConsent:
    /\bbitte bestätigen Sie(?: mir)?(?:,? (?:das|dies|es|dass)\b|[.!]|$)|\b(?:antworten|schreiben|sagen) Sie (?:bitte )?(?:mit )?["„“]?ja\b|\bsobald Sie (?:zustimmen|bestätigen|einverstanden)\b|\b(?:brauche|benötige|warte auf|nach|ohne) Ihre[rn]? (?:\w+ )?(?:Bestätigung|Zustimmung|Einwilligung)\b|\bwenn Sie (?:zustimmen|einverstanden sind)\b/i,
  offers:
    /\b(?:wenn|falls|sofern) Sie (?:das |es |ihn |sie )?(?:möchten|wollen|wünschen|mögen|einverstanden)\b|\b(?:kann|können|könnte|könnten) (?:ich |wir )?Ihnen\b.*\banbieten\b|\bauf Wunsch\b/i,
  closes: /\bFragen haben\b|\bbei (?:weiteren )?Fragen\b|\b(?:melden|wenden) Sie sich\b|\bjederzeit\b/i,
  needsFact:
    /\b(?:nennen|geben|sagen|schicken|teilen) Sie\b|\b(?:ich|wir) (?:brauche|benötige|brauchen|benötigen)n? (?:noch )?Ihre?n?\b|\b(?:brauche|benötige)n? (?:ich|wir)\b|\b(?:fehlt|fehlen) (?:mir )?noch\b/i,
  please: /\bbitte\b/i,
  hold: /\b(?:einen|einen kleinen) (?:Moment|Augenblick)\b|\bich (?:schaue|sehe|prüfe)\b|\bbitte warten\b/i,
  choice: /\b(?:oder|stattdessen|lieber)\b/i,
  notChoice: /\b(?:ja oder nein|oder nicht)\b/gi,
  agreements: [
    [/\bsicher\b/i, 'Ja, ich bin sicher.'],
    [/\b(?:richtig|korrekt|stimmt)\b/i, 'Ja, das ist richtig.'],
    [/\bbestätigen\b/i, 'Ja, das bestätige ich.'],
    [/(?:)/, 'Ja, bitte machen Sie das.'],
  ],
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
  shows: /(?:)/,
  more: new RegExp(
    [
      String.raw`\b(?:anything|something) (?:else|more)\b|\bhow else\b|\bfurther (?:help|questions?)\b`,
      String.raw`\bany (?:other|more|further) (?:issues?|questions?|concerns?|problems?|things?)\b`,
      String.raw`\b(?:does|did|do) (?:that|this|it|i|everything)(?: all)? (?:answer|help|make sense|resolve|solve|clarify|clear)\b`,
      String.raw`\b(?:is|was|will|would) that (?:be )?(?:all(?! right)|everything|it)\b|\ball set\b`,
      String.raw`\bhave i (?:answered|resolved|solved|helped|addressed|been)\b|\b(?:is|was) (?:this|that|it|the \w+|this \w+) (?:helpful|clear|useful)\b`,
      String.raw`\bdo you still (?:need|have)\b|\bneed (?:any )?(?:more |further |other )?(?:help|assistance)\?`,
    ].join('|'),
    'i',
  ),
  asksToWait:
    /\b(?:could|can|would|will) you (?:please |kindly |just )*(?:hold|wait(?! until| till| for)|bear with me|give me (?:a|one|just))\b|\b(?:may|can|could) i (?:put|place) you on hold\b|\bmind (?:holding|waiting)\b/i,
  asksFact:
    /\b(?:who|what|which|when|where|why|how)\b|\byou (?:please |kindly |just |also )*(?:confirm|verify|describe|explain|specify) (?:me )?(?:your|the|what|which|how|when|where)\b(?! (?:agreement|consent|approval|choice|decision|(?:cancellation|request|order|booking|purchase|reservation|refund|change|details?)\b(?! (?:number|id|code|reference|date|name))))|\b(?:could|can|would|will|do) you (?:mind |please |kindly )?(?:tell|give|send|provide|share|let|check|repeat|say|double-check|telling|giving|sending|providing|sharing|checking|double-checking)\b|\bmind (?:telling|giving|sharing)\b|\b(?:may|can|could) i (?:please |also |just )*(?:have|get|ask|know)\b/i,
  consent:
    /\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:would you|do you) (?:like|want|wish|agree|accept|confirm|still want)\b|\bare you (?:sure|happy|certain|okay|ok|fine|in agreement)\b|\b(?:happy|fine|okay|ok|good|all right|alright|agreed) (?:with|for) (?:that|this|it|you)\b|\b(?:does|would|will) (?:that|this|it) (?:work|suit|do|sound)\b|\bsound(?:s)? good\b|\bwant me to\b|\bdeal\?|\bgo ahead\b|\bproceed\b|\bconfirm(?: (?:that|this|to|so|with|whether|if))?[,?]?(?= |$)|\byes or no\b|\b(?:is|are|would) (?:that|this|it|these|they|everything|all)(?: be)? (?:ok|okay|fine|all right|alright|right|correct|acceptable)\b|(?:^|[,.] ?)(?:ok|okay|right|correct|agreed|all right|alright)\?$/i,
  ownAct: buildOwnActPattern({
    facts: 'who|what|which|when|where|why|how',
    ask: String.raw`(?:(?:shall|should|may|can|could) (?:i|we)|(?:would you like|do you want|do you wish|are you (?:happy|fine|okay|ok) for|is it (?:okay|ok|fine|all right|alright) for) (?:me|us) to|do you (?:agree|consent|accept))`,
    finding: String.raw`(?:(?:please|kindly|now|just|also|first|quickly|then) )*(?:ask|know|have|get|take|check|see|find|confirm|verify|clarify|request|hear|learn|note|look|help|do|assist|record|enter|(?:put|use)(?! (?:it|them|you|this|that|these|those|the|your)\b)|call|reach|say|tell|explain|show)\b`,
    and: 'and|or|but|so|then',
  }),
  meant:
    /\bis (?:that|this|it) what you (?:want|wanted|would like|meant|asked for)\b|\b(?:how|what) would you (?:like|prefer) (?:me |us )?to (?:proceed|continue|do|go)\b|\bhow (?:shall|should|may) (?:i|we) (?:proceed|continue)\b/i,
  yesNo:
    /(?:^|[,;:–—-] ?|\b(?:and|so|then|but) )(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|shall|may|am) /i,
  pleaseConsent: new RegExp(
    [
      String.raw`\bplease confirm(?: (?:that|this|to|so|with)\b|[.!,]|$)`,
      String.raw`\b(?:reply|answer|say|type|with)(?: an?)? ["'“‘]?yes\b`,
      String.raw`\b(?:let|tell) (?:me|us)(?: know)? (?:if|whether) (?:you(?:'d| would)? (?:like|want|wish|agree|accept|are (?:ok|okay|fine|happy))|(?:i|we) (?:should|may|can|shall)|(?:that|this|it) (?:is|would be|works?|suits?|sounds?))\b`,
      String.raw`\bjust (?:let me know|say so|say the word|confirm)(?: and\b|[,.!]|$)|\bhow you(?:'d| would) (?:like|prefer) (?:me |us )?to (?:proceed|continue|go)\b`,
      String.raw`\b(?:once|when|as soon as|after) you(?:'ve| have)? (?:confirm|agree|approve|accept)\w*\b`,
      String.raw`\b(?:need|require|await|awaiting|waiting for|without) your (?:\w+ )?(?:confirmation|approval|consent|agreement|go-ahead|permission|ok|okay)\b`,
      String.raw`\bif (?:yes|so|you (?:agree|confirm|accept|approve)|(?:that|this|it)(?:'s| is) (?:ok|okay|fine|acceptable|all right|alright)(?: (?:with|for) you)?), (?:i|we|just|please|reply|say)\b`,
    ].join('|'),
    'i',
  ),
  offers:
    /\b(?:if|whether) you(?:'d| would)? (?:like|want|wish|prefer|agree|accept|are (?:happy|fine|okay|ok|interested))\b|\b(?:i|we) (?:can|could|may|am able to|are able to|would be (?:able|happy) to)(?: \w+)? offer\b|\b(?:i|we)(?:'d| would) be (?:happy|glad) to\b|\bjust say (?:so|the word|yes)\b/i,
  closes:
    /\b(?:if|whether|should) you (?:have|need|want) (?:any |some |more |further |other |additional )*(?:help|questions?|concerns?|assistance|information)\b|\bfeel free to (?:ask|reach|contact|call|write|get|come|let)\b|\b(?:don't|do not) hesitate\b|\bif there(?:'s| is) more\b|\bat any ?time\b/i,
  needsFact: new RegExp(
    String.raw`\b(?:let me know|(?:is|are|still) missing|missing now|(?:is|are) (?:still |also )?(?:needed|required)|(?:tell|give|send) (?:me|us)|provide|share|spell|state|i(?:'ll| will| would| still| also| first)? (?:need|require)${NEEDED}|we (?:need|require)${NEEDED})\b`,
    'i',
  ),
  please: /\bplease\b/i,
  hold: /\b(?:one|just a|a) (?:moment|minute)\b|\b(?:one|just a) second\b|\blet me (?:check|look|see|find|have a look)\b|\bbear with me\b|\bhold on\b|\bplease (?:wait|hold)\b|\bi am (?:looking|checking)\b/i,
  choice: /\b(?:or|instead|alternatively|rather)\b/i,
  notChoice: /\b(?:yes or no|or not)\b/gi,
  agreements: [
    [/\bsure\b|\bcertain\b/i, 'Yes, I am sure.'],
    [/\b(?:right|correct)\b(?! away| now)/i, 'Yes, that is right.'],
    [/\bconfirm\b/i, 'Yes, I confirm that.'],
    [/(?:)/, 'Yes, please go ahead.'],
  ],
  yes: 'Yes, please.',
  no: 'No, thank you.',
  asks: 'Shall I go ahead?',
  refusal: "No, please don't do that.",
  waits: 'I will wait.',
  unclear: 'What do you mean?',
  all: 'That is all I know.',
  alone: 'It is {value}.',
  named: 'My {key} is {value}.',
  unknown: "I'm afraid I don't know {key}.",
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

export function detectLanguage(text: string): Language {
  return LANGUAGES.find(({ shows }) => shows.test(text)) ?? ENGLISH;
}
