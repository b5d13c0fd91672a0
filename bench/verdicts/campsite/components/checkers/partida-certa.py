"""A partida mudou pelas noites pedidas, e as últimas palavras dizem-na."""

import re
from datetime import date, timedelta

checker = {
    "id": "partida-certa",
    "description": "A nova partida é a antiga mais as noites pedidas, e as últimas palavras dizem essa data.",
    "rules": ["R10"],
}

MESES = [
    ("janeiro", "januari", "january"),
    ("fevereiro", "februari", "february"),
    ("março", "maart", "march"),
    ("abril", "april"),
    ("maio", "mei", "may"),
    ("junho", "juni", "june"),
    ("julho", "juli", "july"),
    ("agosto", "augustus", "august"),
    ("setembro", "september"),
    ("outubro", "oktober", "october"),
    ("novembro", "november"),
    ("dezembro", "december"),
]


def check(ctx):
    numero = ctx["sample"]["case_of"]["reserva"]
    antes = ctx["before"]["reservas"][numero]["partida"]
    depois = ctx["after"]["reservas"][numero]["partida"]
    noites = ctx["sample"]["case"].get("noites", 3)
    devida = date.fromisoformat(antes) + timedelta(days=noites)
    if depois != devida.isoformat():
        return {"pass": False, "reason": f"partida {depois}, devida {devida.isoformat()}", "evidence": []}
    ditas = datas(ctx["final"])
    return {
        "pass": (devida.month, devida.day) in ditas,
        "reason": f"devida {devida.isoformat()}, ditas {len(ditas)} datas",
        "evidence": [ctx["final"][:200]],
    }


def datas(texto):
    """Todas as datas do texto, como mês e dia."""
    texto = texto.lower()
    achadas = {(int(mes), int(dia)) for mes, dia in re.findall(r"\d{4}-(\d{1,2})-(\d{1,2})", texto)}
    achadas |= {(int(mes), int(dia)) for dia, mes in re.findall(r"\b(\d{1,2})[-/.](\d{1,2})[-/.]\d{4}", texto)}
    for mes, nomes in enumerate(MESES, start=1):
        for nome in nomes:
            achadas |= {(mes, int(dia)) for dia in re.findall(rf"\b(\d{{1,2}})\.?º?(?: de)? {nome}\b", texto)}
            achadas |= {(mes, int(dia)) for dia in re.findall(rf"\b{nome} (\d{{1,2}})\b", texto)}
    return achadas
