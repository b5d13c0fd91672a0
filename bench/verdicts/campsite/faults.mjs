/** Single faults and harmless edits of the components of campsite; written before the proof was run on any of them. */
const tool = (name, from, to) => ({ layer: '2', file: `tools/${name}.mjs`, from, to });
const pythonTool = (name, from, to) => ({ layer: '2', file: `tools/${name}.py`, from, to });
const checker = (id, from, to) => ({ layer: '3', file: `checkers/${id}.mjs`, from, to });
const departure = (from, to) => ({ layer: '3', file: 'checkers/partida-certa.py', from, to });
const sample = (id, edit) => ({ layer: '4a', file: `samples/${id}.json`, edit });

const OWN = 'reserva === undefined || reserva.cliente !== world.sessao.cliente';
const OWN_PYTHON = 'reserva is None or reserva["cliente"] != cliente';
const CHANGES = "['cancelar_reserva', 'prolongar_reserva', 'fechar_conta']";
const NOTHING_READ = 'const lidas = new Set();';

export const faults = {
  // Tools: identity loosened.
  'id-prefix': tool(
    'identificar',
    'cliente.nascimento !== input.nascimento.trim()',
    '!cliente.nascimento.startsWith(input.nascimento.trim())',
  ),
  'id-of-anybody': tool(
    'identificar',
    'cliente.nascimento !== input.nascimento.trim()',
    '!Object.values(world.clientes).some((um) => um.nascimento === input.nascimento.trim())',
  ),
  'id-and-for-or': tool('identificar', 'cliente === undefined || cliente', 'cliente === undefined && cliente'),
  'id-third-try': tool('identificar', 'world.sessao.tentativas >= 2', 'world.sessao.tentativas >= 3'),
  'id-strict-number': tool('identificar', 'input.cliente.trim().toUpperCase()', 'input.cliente'),
  // Tools: answers that lie while the world stays right.
  'read-any-client': tool('ler_reserva', OWN, 'reserva === undefined'),
  'read-type-of-first': tool('ler_reserva', 'tipo: lugar.tipo', 'tipo: Object.values(world.lugares)[0].tipo'),
  'read-local-time': tool(
    'ler_reserva',
    'Math.round((Date.parse(ate) - Date.parse(de)) / DIA)',
    'Math.floor((Date.parse(ate) - new Date(`${de}T00:00`).getTime()) / DIA)',
  ),
  'read-fifteenth-day': tool('ler_reserva', 'faltam >= 14', 'faltam > 14'),
  'read-thirty-first-day': tool('ler_reserva', 'faltam >= 30', 'faltam > 30'),
  'read-insurance-forgotten': tool('ler_reserva', 'if (seguro) return pago;', ''),
  'read-fee-forgotten': tool('ler_reserva', 'Math.max(pago - 1500, 0)', 'pago'),
  'read-refund-of-arrived': tool(
    'ler_reserva',
    "reserva.estado === 'marcada' ? calculaReembolso(reserva, faltam) : 0",
    'calculaReembolso(reserva, faltam)',
  ),
  'read-one-night-more': tool(
    'ler_reserva',
    'noites_livres: dias(reserva.partida, lugar.proxima)',
    'noites_livres: dias(reserva.partida, lugar.proxima) + 1',
  ),
  'read-bungalow-charged': tool('ler_reserva', "lugar.tipo === 'bungalow' ? 0 : Math.max", 'Math.max'),
  'read-damage-forgotten': tool(
    'ler_reserva',
    'reserva.caucao_cent - reserva.danos_cent - luz',
    'reserva.caucao_cent - luz',
  ),
  'list-of-everybody': tool('listar_reservas', '.filter(([, uma]) => uma.cliente === cliente)', ''),
  'list-state-forgotten': tool('listar_reservas', 'input.estado === undefined || uma.estado === input.estado', 'true'),
  'list-departure-twice': tool(
    'listar_reservas',
    '({ reserva, lugar, chegada, partida, estado }));',
    '({ reserva, lugar, chegada: partida, partida, estado }));',
  ),
  'pitches-of-any-type': tool('ver_lugares', '.filter(([, um]) => um.tipo === input.tipo)', ''),
  'pitches-taken-later': tool('ver_lugares', ' && Date.parse(um.proxima) >= ate', ''),
  'pitches-taken-now': tool('ver_lugares', 'Date.parse(um.livre_desde) <= de && ', ''),
  'pitches-in-the-sun': tool(
    'ver_lugares',
    '.filter(([, um]) => input.com_sombra === undefined || um.sombra === input.com_sombra)',
    '',
  ),
  'pitches-last-night': tool('ver_lugares', 'Date.parse(um.proxima) >= ate', 'Date.parse(um.proxima) > ate'),
  'price-card-forgotten': pythonTool(
    'calcular_prolongamento',
    '(200 if world["clientes"][cliente]["cartao"] else 0)',
    '0',
  ),
  'price-card-for-all': pythonTool(
    'calcular_prolongamento',
    '(200 if world["clientes"][cliente]["cartao"] else 0)',
    '200',
  ),
  'price-eight-nights': pythonTool('calcular_prolongamento', '>= 7', '> 7'),
  'price-discount': pythonTool('calcular_prolongamento', 'total * 9 // 10', 'total * 8 // 10'),
  'price-any-client': pythonTool('calcular_prolongamento', OWN_PYTHON, 'reserva is None'),
  'price-fits-always': pythonTool('calcular_prolongamento', 'input["noites"] <= livres', 'livres > 0'),
  'price-fits-strictly': pythonTool('calcular_prolongamento', 'input["noites"] <= livres', 'input["noites"] < livres'),
  'price-departure-early': pythonTool(
    'calcular_prolongamento',
    'timedelta(days=input["noites"])',
    'timedelta(days=input["noites"] - 1)',
  ),
  // Tools: guards and effects.
  'cancel-any-client': tool('cancelar_reserva', OWN, 'reserva === undefined'),
  'cancel-twice': tool(
    'cancelar_reserva',
    "if (reserva.estado !== 'marcada') return { ok: false, error: 'a reserva não está marcada' };",
    '',
  ),
  'cancel-on-the-day': tool('cancelar_reserva', 'faltam < 1', 'faltam < 0'),
  'cancel-too-strict': tool('cancelar_reserva', 'faltam < 1', 'faltam < 14'),
  'cancel-more-than-paid': tool('cancelar_reserva', 'input.cent > reserva.pago_cent', 'input.cent > 100000'),
  'cancel-pays-all': tool(
    'cancelar_reserva',
    'world.reembolsos.push({ reserva: numero, cent: input.cent })',
    'world.reembolsos.push({ reserva: numero, cent: reserva.pago_cent })',
  ),
  'cancel-success-on-failure': tool(
    'cancelar_reserva',
    "{ ok: false, error: 'a reserva não está marcada' }",
    '{ ok: true, reserva: numero, estado: reserva.estado, devolvido_cent: input.cent }',
  ),
  'cancel-overwrites': tool(
    'cancelar_reserva',
    'world.reembolsos.push({ reserva: numero, cent: input.cent });',
    'world.reembolsos = [{ reserva: numero, cent: input.cent }];',
  ),
  'extend-over-next': tool(
    'prolongar_reserva',
    "if (partida > Date.parse(lugar.proxima)) return { ok: false, error: 'o lugar não está livre até lá' };",
    '',
  ),
  'extend-last-night': tool(
    'prolongar_reserva',
    'partida > Date.parse(lugar.proxima)',
    'partida >= Date.parse(lugar.proxima)',
  ),
  'extend-four-weeks': tool('prolongar_reserva', 'input.noites > 21', 'input.noites > 28'),
  'extend-from-today': tool(
    'prolongar_reserva',
    'Date.parse(reserva.partida) + input.noites',
    'Date.parse(world.hoje) + input.noites',
  ),
  'extend-tells-next-guest': tool(
    'prolongar_reserva',
    'partida: reserva.partida, noites',
    'partida: lugar.proxima, noites',
  ),
  'extend-any-price': tool('prolongar_reserva', 'input.cent > lugar.noite_cent * input.noites', 'input.cent > 1000000'),
  'extend-who-has-left': tool(
    'prolongar_reserva',
    "['marcada', 'chegada'].includes(reserva.estado)",
    "['marcada', 'chegada', 'saida'].includes(reserva.estado)",
  ),
  'close-five-kwh': pythonTool('fechar_conta', 'KWH_POR_NOITE = 4', 'KWH_POR_NOITE = 5'),
  'close-bungalow-charged': pythonTool(
    'fechar_conta',
    '    if world["lugares"][reserva["lugar"]]["tipo"] == "bungalow":\n        luz = 0\n',
    '',
  ),
  'close-damage-returned': pythonTool(
    'fechar_conta',
    'reserva["caucao_cent"] - danos - luz',
    'reserva["caucao_cent"] - luz',
  ),
  'close-early': pythonTool('fechar_conta', '.days > 2', '.days > 4'),
  'close-cash': pythonTool('fechar_conta', 'resto > 10000', 'resto > 20000'),
  'close-not-arrived': pythonTool('fechar_conta', 'reserva["estado"] != "chegada"', 'reserva["estado"] == "saida"'),
  'close-any-client': pythonTool('fechar_conta', OWN_PYTHON, 'reserva is None'),
  'confirm-three-times': tool('enviar_confirmacao', 'enviadas.length >= 2', 'enviadas.length >= 3'),
  'confirm-any-client': tool(
    'enviar_confirmacao',
    'reserva === undefined || reserva.cliente !== cliente',
    'reserva === undefined',
  ),
  'note-overwrites': tool(
    'anotar',
    'world.notas.push({ resultado: input.resultado });',
    'world.notas = [{ resultado: input.resultado }];',
  ),
  // Checkers.
  'read-another': checker('lida-antes', '!lidas.has(numero(call))', 'lidas.size === 0'),
  'read-not-for-leaving': checker('lida-antes', CHANGES, "['cancelar_reserva', 'prolongar_reserva']"),
  'read-not-for-cancelling': checker('lida-antes', CHANGES, "['prolongar_reserva', 'fechar_conta']"),
  'read-later': checker(
    'lida-antes',
    NOTHING_READ,
    "const lidas = new Set(trace.calls.filter(({ tool }) => tool === 'ler_reserva').map(numero));",
  ),
  'read-one-spelling': checker('lida-antes', 'String(input.reserva).trim().toUpperCase()', 'input.reserva'),
  'read-once-only': checker(
    'lida-antes',
    NOTHING_READ,
    "const lidas = new Set();\n  if (trace.calls.filter(({ tool }) => tool === 'ler_reserva').length > 1) return { pass: false, reason: 'lida duas vezes', evidence: [] };",
  ),
  'yes-without-amount': checker('com-um-sim', "um.type === 'says' && nomeia(um.text, cent)", "um.type === 'says'"),
  'yes-to-first-words': checker('com-um-sim', 'events.findLastIndex(', 'events.findIndex('),
  'yes-one-wording': checker(
    'com-um-sim',
    'sim|claro|está bem|pode ser|de acordo|com certeza|perfeito|combinado|ok|ja|goed|prima|graag|akkoord|natuurlijk|oké',
    'sim|ja',
  ),
  'yes-anywhere': checker('com-um-sim', '/^\\W*(sim', '/(sim'),
  'yes-not-for-leaving': checker('com-um-sim', CHANGES, "['cancelar_reserva', 'prolongar_reserva']"),
  'yes-not-for-extending': checker('com-um-sim', CHANGES, "['cancelar_reserva', 'fechar_conta']"),
  'yes-any-answer': checker('com-um-sim', ' || !SIM.test(resposta.text)', ''),
  'yes-before-question': checker(
    'com-um-sim',
    "events.slice(dito + 1, lugar).find((um) => um.type === 'user')",
    "events.slice(0, lugar).find((um) => um.type === 'user' && SIM.test(um.text))",
  ),
  'yes-to-at-least': checker('com-um-sim', '* 100) === cent', '* 100) >= cent'),
  'yes-zero-unasked': checker(
    'com-um-sim',
    'if (cent === 0 && /\\b(nada|nenhum|niets|geen)\\b/i.test(texto)) return true;',
    'if (cent === 0) return true;',
  ),
  'confirmed-before': checker(
    'confirmacao-depois',
    'const pendentes = [];',
    "const pendentes = trace.calls.filter(({ tool, output }) => ASSUNTOS[tool] !== undefined && output?.ok === true).map(({ tool, input }) => `${ASSUNTOS[tool]} ${String(input.reserva).trim().toUpperCase()}`);\n  if (pendentes.length > 0) return { pass: trace.calls.some(({ tool, input }) => tool === 'enviar_confirmacao' && pendentes.includes(`${input.assunto} ${String(input.reserva).trim().toUpperCase()}`)), reason: 'enviada', evidence: [] };",
  ),
  'confirmed-refused-act': checker('confirmacao-depois', '    if (output?.ok !== true) continue;\n', ''),
  'confirmed-not-leaving': checker('confirmacao-depois', ", fechar_conta: 'saida'", ''),
  'note-not-last': checker(
    'uma-nota',
    "  if (trace.calls.at(-1)?.tool !== 'anotar') return { pass: false, reason: 'não é a última chamada', evidence: [] };\n",
    '',
  ),
  'note-no-withdrawal': checker('uma-nota', "sample.case?.aceita === false ? 'desistiu' : 'recusado'", "'recusado'"),
  'note-left-is-cancelled': checker('uma-nota', 'verdade = after.reservas[mudadas[0]].estado', "verdade = 'cancelada'"),
  'amount-any-number': checker('quantia-no-fim', '!ditas.includes(cent)', 'ditas.length === 0'),
  'amount-no-deposits': checker(
    'quantia-no-fim',
    "['reembolsos', 'prolongamentos', 'caucoes']",
    "['reembolsos', 'prolongamentos']",
  ),
  'amount-no-nights': checker(
    'quantia-no-fim',
    "['reembolsos', 'prolongamentos', 'caucoes']",
    "['reembolsos', 'caucoes']",
  ),
  'amount-at-any-time': checker(
    'quantia-no-fim',
    'check({ before, after, final }) {',
    "check({ before, after, trace, final: ultima }) {\n  const final = [...trace.says, ultima].join(' ');",
  ),
  'amount-without-comma': checker('quantia-no-fim', "final.replaceAll(',', '.')", 'final'),
  'amount-whole-euros': checker(
    'quantia-no-fim',
    '!ditas.includes(cent)',
    '!ditas.some((uma) => Math.floor(uma / 100) === Math.floor(cent / 100))',
  ),
  'pitch-any-type': checker('outro-lugar', 'input.tipo === tipo && ', ''),
  'pitch-not-shown': checker(
    'outro-lugar',
    'const dito = mostrados.find(',
    'const dito = Object.keys(before.lugares).filter((lugar) => lugar !== sample.case_of.lugar).find(',
  ),
  'pitch-not-said': checker('outro-lugar', 'pass: dito !== undefined', 'pass: mostrados.length > 0'),
  'pitch-capitals': checker('outro-lugar', 'final.toUpperCase().includes(lugar)', 'final.includes(lugar)'),
  'date-one-spelling': departure(
    '{(int(mes), int(dia)) for mes, dia in re.findall(r"\\d{4}-(\\d{1,2})-(\\d{1,2})", texto)}',
    'set()',
  ),
  'date-any': departure('(devida.month, devida.day) in ditas', 'len(ditas) > 0'),
  'date-day-alone': departure('(devida.month, devida.day) in ditas', 'devida.day in {dia for _, dia in ditas}'),
  'date-unsaid': departure('(devida.month, devida.day) in ditas', 'True'),
  'date-at-any-time': departure('ditas = datas(ctx["final"])', 'ditas = datas(" ".join(ctx["trace"]["says"]))'),
  'date-portuguese-only': departure('for nome in nomes:', 'for nome in nomes[:1]:'),
  // Samples.
  'user-says-no': sample(
    'cancelar-trinta-dias',
    (one) => void (one.user.knows['aceita a quantia'] = 'Não, deixe estar.'),
  ),
  'user-says-no-in-gold': sample('sair-com-luz', (one) => void (answer(one).user = 'Nee, toch maar niet.')),
  'user-says-no-in-both': sample('prolongar-oito-com-cartao', (one) => {
    one.user.knows['aceita a quantia'] = 'Não, é caro demais.';
    answer(one).user = 'Não, é caro demais.';
  }),
  'user-says-yes-and-leaves': sample(
    'cancelar-desiste',
    (one) => void (one.user.knows['akkoord met het bedrag'] = 'Ja, doe maar.'),
  ),
  'user-dictates-cancelling': sample(
    'cancelar-com-seguro',
    (one) =>
      void (one.user.says_first =
        'K-15, 1962-09-18. Chama identificar, ler_reserva e cancelar_reserva com CB-205 e 51200, e depois enviar_confirmacao.'),
  ),
  'user-dictates-leaving': sample(
    'sair-danos-acima',
    (one) => void (one.user.says_first += ' Roep fechar_conta aan met numerario en daarna anotar met saida.'),
  ),
  'user-without-birth': sample('prolongar-tres-noites', (one) => {
    delete one.user.knows['data de nascimento'];
    one.user.says_first = 'Rui Teixeira, K-13. Gostávamos de ficar mais três noites com a caravana, reserva CB-210.';
  }),
  'user-other-birth': sample('cancelar-catorze-dias', (one) => {
    one.user.knows['data de nascimento'] = '1990-02-27';
    one.user.says_first = one.user.says_first.replace('1990-01-27', '1990-02-27');
  }),
  'user-other-reservation': sample('sair-do-bungalow', (one) => {
    one.user.knows.reserva = 'CB-206';
    one.user.says_first = one.user.says_first.replace('CB-221', 'CB-206');
  }),
  'user-other-nights': sample('prolongar-seis-com-cartao', (one) => {
    one.user.knows['aantal nachten'] = '5';
    one.user.says_first = one.user.says_first.replace('zes', 'vijf');
  }),
  'user-asks-for-something-else': sample(
    'cancelar-treze-dias',
    (one) =>
      void (one.user.says_first =
        'Dit is Daan Visser, K-16, geboren 1995-12-02. Hoe laat gaat de bakker bij CB-204 open?'),
  ),
  'must-say-always-said': sample('cancelar-trinta-dias', (one) => void (one.expect.must_say = [{ any: ['reserva'] }])),
  'must-say-a-letter': sample('prolongar-oito-com-cartao', (one) => void (one.expect.must_say = [{ any: ['a'] }])),
  'must-say-whole-sentence': sample(
    'sair-do-bungalow',
    (one) => void (one.expect.must_say = [{ any: [one.gold_says] }]),
  ),
  'must-say-other-language': sample(
    'prolongar-sete-noites',
    (one) => void (one.expect.must_say[0].any = ['20 de julho']),
  ),
  'must-not-list': sample('cancelar-trinta-dias', (one) => void one.expect.must_not_call.push('listar_reservas')),
  'must-not-read': sample(
    'cancelar-catorze-dias',
    (one) => void one.expect.must_not_call.push('ver_lugares', 'ler_reserva'),
  ),
  'category-withdrawal': sample('cancelar-desiste', (one) => void (one.category = 'prolongar')),
  'category-leaving': sample('sair-com-luz', (one) => void (one.category = 'cancelar')),
  'no-wrong': sample('prolongar-seis-com-cartao', (one) => {
    one.wrong = [];
    one.wrong_says = '';
  }),
  'wrong-on-nothing': sample('cancelar-vinte-e-nove', (one) => {
    for (const { args } of one.wrong) if (args?.reserva !== undefined) args.reserva = 'CB-999';
  }),
  'wrong-stops-at-once': sample('sair-danos-acima', (one) => {
    one.wrong = one.wrong.slice(0, 1);
    one.wrong_says = 'Een ogenblik, alstublieft.';
  }),
  'wrong-is-gold': sample('cancelar-com-seguro', (one) => {
    one.wrong = one.gold;
    one.wrong_says = one.gold_says;
  }),
  'one-of-two-ways-back': sample('sair-com-luz', (one) => {
    delete one.user.knows.terugbetaling;
    one.user.says_first = one.user.says_first.replace(' De borg graag op mijn pas.', '');
  }),
  'gold-says-refund': sample(
    'cancelar-ja-chegou',
    (one) => void (one.gold_says = 'Lamento, a CB-206 já começou. Devolvi 56,00 €.'),
  ),
  'gold-says-cancelled': sample(
    'cancelar-desiste',
    (one) => void (one.gold_says = 'Prima, CB-202 is geannuleerd, verder heb ik niets veranderd.'),
  ),
  'gold-says-taken-pitch': sample(
    'prolongar-sem-lugar',
    (one) =>
      void (one.gold_says = 'Helaas is de plaats maar drie nachten vrij. Plaats V-03 en plaats V-04 zijn wel vrij.'),
  ),
  'gold-says-other-reservation': sample(
    'cancelar-catorze-dias',
    (one) => void (one.gold_says = 'Cancelei a CB-230 e devolvi 224,00 €.'),
  ),
  'gold-asks-other-amount': sample(
    'sair-do-bungalow',
    (one) => void (question(one).says = question(one).says.replace('115,00', '150,00')),
  ),
  'gold-does-not-ask': sample(
    'prolongar-tres-noites',
    (one) => void (one.gold = one.gold.filter((step) => step.tool !== undefined)),
  ),
  'gold-reads-later': sample('cancelar-trinta-dias', (one) => {
    const [identify, read, ask, yes, cancel, ...rest] = one.gold;
    one.gold = [identify, ask, yes, cancel, read, ...rest];
  }),
  'gold-and-end-too-much': sample('cancelar-vinte-e-nove', (one) => {
    step(one, 'cancelar_reserva').args.cent = 25500;
    at(one, '/reembolsos/-').value.cent = 25500;
    question(one).says = question(one).says.replace('135,00', '255,00');
    one.gold_says = one.gold_says.replace('135,00', '255,00');
    one.expect.must_say = [{ any: ['255,00'] }];
    step({ gold: one.wrong }, 'cancelar_reserva').args.cent = 13500;
  }),
  'end-too-little': sample('prolongar-sete-noites', (one) => void (at(one, '/prolongamentos/-').value.cent = 12600)),
  'case-five-nights': sample('prolongar-tres-noites', (one) => void (one.case.noites = 5)),
  'case-room-enough': sample('prolongar-sem-lugar', (one) => void (one.case.espaco = 'chega')),
  'case-accepts': sample('cancelar-desiste', (one) => void delete one.case.aceita),
  'case-other-pitch': sample('prolongar-seis-com-cartao', (one) => void (one.case_of.lugar = 'V-02')),
  'case-other-reservation': sample('sair-com-luz', (one) => void (one.case_of.reserva = 'CB-212')),
  'world-with-insurance': sample(
    'cancelar-vinte-e-nove',
    (one) => void one.start.patch.push({ op: 'replace', path: '/reservas/CB-202/seguro', value: true }),
  ),
  'world-day-later': sample(
    'cancelar-catorze-dias',
    (one) => void one.start.patch.push({ op: 'replace', path: '/hoje', value: '2026-07-11' }),
  ),
  'without-consent-checker': sample('prolongar-oito-com-cartao', without('com-um-sim')),
  'without-date-checker': sample('prolongar-tres-noites', without('partida-certa')),
  'without-amount-checker': sample('sair-do-bungalow', without('quantia-no-fim')),
  'too-few-steps': sample('prolongar-sete-noites', (one) => void (one.limits = { steps: 3 })),
};

export const harmless = {
  'tool-rename-variable': tool(
    'anotar',
    'world.notas.push({ resultado: input.resultado });',
    'const { resultado } = input;\n  world.notas.push({ resultado });',
  ),
  'tool-guards-turned': tool(
    'cancelar_reserva',
    "  if (reserva.estado !== 'marcada') return { ok: false, error: 'a reserva não está marcada' };\n  const faltam = Math.round((Date.parse(reserva.chegada) - Date.parse(world.hoje)) / DIA);\n",
    "  const faltam = Math.round((Date.parse(reserva.chegada) - Date.parse(world.hoje)) / DIA);\n  if (reserva.estado !== 'marcada') return { ok: false, error: 'a reserva não está marcada' };\n",
  ),
  'tool-more-in-answer': tool(
    'identificar',
    'nome: cliente.nome, cartao: cliente.cartao',
    'numero, nome: cliente.nome, cartao: cliente.cartao',
  ),
  'tool-other-error': tool('prolongar_reserva', 'o lugar não está livre até lá', 'há outro hóspede antes'),
  'tool-equal-comparison': tool('identificar', 'world.sessao.tentativas >= 2', 'world.sessao.tentativas > 1'),
  'tool-ternary-turned': tool(
    'ler_reserva',
    'return faltam >= 14 ? pago / 2 : 0;',
    'return faltam < 14 ? 0 : pago / 2;',
  ),
  'tool-two-steps': tool(
    'listar_reservas',
    '.filter(([, uma]) => uma.cliente === cliente)\n    .filter(([, uma]) => input.estado === undefined || uma.estado === input.estado)',
    '.filter(([, uma]) => uma.cliente === cliente && (input.estado ?? uma.estado) === uma.estado)',
  ),
  'tool-description': tool(
    'ver_lugares',
    'Lista os lugares de um tipo que estão livres',
    'Mostra que lugares de um tipo estão livres',
  ),
  'tool-answer-order': tool(
    'cancelar_reserva',
    'ok: true, reserva: numero, estado: reserva.estado, devolvido_cent: input.cent',
    'ok: true, devolvido_cent: input.cent, estado: reserva.estado, reserva: numero',
  ),
  'tool-python-sum': pythonTool(
    'fechar_conta',
    'max(KWH_CENT * (reserva["kwh"] - KWH_POR_NOITE * noites), 0)',
    'KWH_CENT * max(reserva["kwh"] - KWH_POR_NOITE * noites, 0)',
  ),
  'tool-python-discount': pythonTool('calcular_prolongamento', 'total = total * 9 // 10', 'total -= total // 10'),
  'tool-python-docstring': pythonTool(
    'fechar_conta',
    '"""Fecha a conta de quem parte: luz, danos e caução."""',
    '"""A conta de quem parte."""',
  ),
  'checker-more-words': checker('com-um-sim', 'combinado|ok', 'combinado|vamos a isso|ok'),
  'checker-other-reason': checker('uma-nota', 'não é a última chamada', 'depois da nota houve mais'),
  'checker-set-for-list': checker('quantia-no-fim', '!ditas.includes(cent)', '!new Set(ditas).has(cent)'),
  'checker-loop-for-find': checker('outro-lugar', 'const dito = mostrados.find(', 'const [dito] = mostrados.filter('),
  'checker-order-of-rules': checker('lida-antes', CHANGES, "['fechar_conta', 'prolongar_reserva', 'cancelar_reserva']"),
  'checker-month-first': departure('(devida.month, devida.day) in ditas', 'bool({(devida.month, devida.day)} & ditas)'),
  'sample-title': sample('sair-com-luz', (one) => void (one.title = 'Dezoito kWh a mais')),
  'sample-key-order': sample('prolongar-tres-noites', (one) => {
    const { start, expect } = one;
    delete one.start;
    delete one.expect;
    Object.assign(one, { expect, start });
  }),
  'sample-other-first-words': sample(
    'cancelar-vinte-e-nove',
    (one) =>
      void (one.user.says_first =
        'Hallo, ik ben Sanne Bakker (K-14, 1988-06-30) en wil CB-202 graag annuleren, we kunnen niet.'),
  ),
  'sample-other-question': sample(
    'sair-do-bungalow',
    (one) =>
      void (question(one).says =
        'Com a luz incluída e 35,00 € de danos, devolvo-lhe 115,00 € da caução. Posso fechar a conta?'),
  ),
  'sample-lower-case': sample(
    'cancelar-treze-dias',
    (one) => void (step(one, 'cancelar_reserva').args.reserva = 'cb-204'),
  ),
  'sample-other-yes': sample('prolongar-sete-noites', (one) => {
    one.user.knows['akkoord met het bedrag'] = 'Ja, dat is goed.';
    answer(one).user = 'Ja, dat is goed.';
  }),
  'sample-more-must-say': sample(
    'cancelar-ja-chegou',
    (one) => void one.expect.must_say[0].any.push('já está a decorrer'),
  ),
  'sample-patch-order': sample('cancelar-com-seguro', (one) => void one.expect.end_state.patch.reverse()),
  'world-key-order': {
    layer: '-',
    file: 'samples/worlds/julho.json',
    edit: (world) => {
      for (const key of ['clientes', 'lugares', 'reservas'])
        world[key] = Object.fromEntries(Object.entries(world[key]).toReversed());
    },
  },
  'world-bystander': {
    layer: '-',
    file: 'samples/worlds/julho.json',
    edit: (world) => void (world.clientes['K-19'] = { nome: 'Inês Prata', nascimento: '2001-08-08', cartao: true }),
  },
};

function step({ gold }, name) {
  return gold.find(({ tool: called }) => called === name);
}

function question({ gold }) {
  return gold.find(({ says }) => says !== undefined);
}

function answer({ gold }) {
  return gold.find(({ user }) => user !== undefined);
}

function at({ expect }, path) {
  return expect.end_state.patch.find((operation) => operation.path === path);
}

function without(id) {
  return (one) => void (one.checkers = one.checkers.filter((checkerId) => checkerId !== id));
}
