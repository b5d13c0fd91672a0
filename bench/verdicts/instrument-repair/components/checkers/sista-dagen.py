"""De sista orden säger offertens sista dag."""

import re
from datetime import date, timedelta

checker = {
    "id": "sista-dagen",
    "description": "När offerten har gått ut säger de sista orden vilken dag som var dess sista.",
    "rules": ["R6"],
}

MANADER = [
    ("januari", "ledna", "leden", "january"),
    ("februari", "února", "únor", "february"),
    ("mars", "března", "březen", "march"),
    ("april", "dubna", "duben"),
    ("maj", "května", "květen", "may"),
    ("juni", "června", "červen", "june"),
    ("juli", "července", "červenec", "july"),
    ("augusti", "srpna", "srpen", "august"),
    ("september", "září"),
    ("oktober", "října", "říjen", "october"),
    ("november", "listopadu", "listopad"),
    ("december", "prosince", "prosinec"),
]


def check(ctx):
    arbete = ctx["before"]["arbeten"][ctx["sample"]["case_of"]["arbete"]]
    alder = (date.fromisoformat(ctx["before"]["idag"]) - date.fromisoformat(arbete["offert_den"])).days
    if not ctx["final"].strip():
        return {"pass": False, "reason": "det finns inga sista ord", "evidence": []}
    if arbete["status"] != "offert" or alder <= 30:
        return {"pass": True, "reason": "ingen offert har gått ut", "evidence": []}
    sista = date.fromisoformat(arbete["offert_den"]) + timedelta(days=30)
    sagda = las_datum(ctx["final"])
    return {
        "pass": (sista.month, sista.day) in sagda,
        "reason": f"sista dagen var {sista.isoformat()}, {len(sagda)} datum sagda",
        "evidence": [ctx["final"][:200]],
    }


def las_datum(text):
    """Alla datum i texten, som månad och dag."""
    text = text.lower()
    datum = {(int(manad), int(dag)) for manad, dag in re.findall(r"\d{4}-(\d{1,2})-(\d{1,2})", text)}
    datum |= {(int(manad), int(dag)) for dag, manad in re.findall(r"\b(\d{1,2})[./]\s?(\d{1,2})[./]\s?\d{4}", text)}
    datum |= {(int(manad), int(dag)) for dag, manad in re.findall(r"\b(\d{1,2})/(\d{1,2})\b", text)}
    for manad, namn in enumerate(MANADER, start=1):
        for ett in namn:
            datum |= {(manad, int(dag)) for dag in re.findall(rf"\b(\d{{1,2}})(?:\.|:e|st|nd|rd|th)?(?: of)? {ett}\b", text)}
            datum |= {(manad, int(dag)) for dag in re.findall(rf"\b{ett} (\d{{1,2}})", text)}
    return datum
