"""Lämnar ut ett instrument som är klart och tar betalt."""

from datetime import date

tool = {
    "name": "lamna_ut",
    "description": "Lämnar ut ett instrument som är klart och tar betalt: priset minus förskottet, och lagringen. "
    "Kontant högst 2 000 kronor.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["arbete", "satt"],
        "properties": {
            "arbete": {"type": "string"},
            "satt": {"type": "string", "enum": ["kort", "kontant", "swish"]},
        },
    },
    "examples": [{"input": {"arbete": "AR-510", "satt": "kort"}, "world": "oktober.json"}],
}

FRIA_DAGAR = 14
LAGER_ORE = 2500
LAGER_HOGST = 60000


def run(input, world):
    nummer = input["arbete"].strip().upper()
    arbete = world["arbeten"].get(nummer)
    kund = world["session"]["kund"]
    if kund is None:
        return {"ok": False, "error": "ingen är legitimerad"}
    if arbete is None or arbete["kund"] != kund:
        return {"ok": False, "error": "kunden har inget sådant arbete"}
    if arbete["status"] != "klart":
        return {"ok": False, "error": "instrumentet är inte klart"}
    dagar = (date.fromisoformat(world["idag"]) - date.fromisoformat(arbete["klart_den"])).days
    lager = min(max(LAGER_ORE * (dagar - FRIA_DAGAR), 0), LAGER_HOGST)
    slut = max(arbete["pris_ore"] - arbete["forskott_ore"], 0)
    if input["satt"] == "kontant" and slut + lager > 200000:
        return {"ok": False, "error": "kontant tas högst 2 000 kronor emot"}
    arbete["status"] = "hamtat"
    for slag, ore in (("slut", slut), ("lager", lager)):
        if ore > 0:
            world["betalningar"].append({"arbete": nummer, "slag": slag, "satt": input["satt"], "ore": ore})
    return {"ok": True, "arbete": nummer, "status": arbete["status"], "lager_ore": lager, "betalt_ore": slut + lager}
