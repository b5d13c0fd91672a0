"""Were the twenty-four hours kept, with the fee that is due and no other?"""

from datetime import datetime, timedelta

checker = {
    "id": "fee-and-moves",
    "description": "Free up to twenty-four hours before, later €30.00 that were told; moved only in time; or told why not.",
    "rules": ["R11", "R12"],
}

FEE_CENTS = 3000


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    text = " ".join(ctx["trace"]["says"])
    pairs = [(key, old, after["appointments"][key]) for key, old in before["appointments"].items()]
    changed = [(key, old, new) for key, old, new in pairs if old != new]
    if not changed:
        looked = any(call["tool"] == "list_appointments" for call in ctx["trace"]["calls"])
        if not looked or ("30" not in text and "24" not in text and "twenty-four" not in text):
            return no("Nothing was changed, and the patient was not told what stands against it.")
        return {"pass": True, "reason": "Nothing was changed, and the patient knows why.", "evidence": []}
    for key, old, new in changed:
        early = is_early(before, old["slot"])
        facts = [f"{key}: {begins(before, old['slot'])}, {'in time' if early else 'late'}, fee {new['fee_cents']} cents"]
        if new["state"] == "cancelled":
            due = 0 if early else FEE_CENTS
            if new["fee_cents"] != due:
                return no(f"R11: {new['fee_cents']} cents were booked, {due} were due.", facts)
            if due and "30" not in text:
                return no("R11: the patient was never told the fee.", facts)
        elif not early:
            return no("R12: an appointment was moved within twenty-four hours.", facts)
        elif after["slots"][new["slot"]]["kind"] != "regular":
            return no("R12: an appointment was moved to an urgent slot.", facts)
    return {"pass": True, "reason": "In time, or with the fee that is due.", "evidence": facts}


def begins(world, slot_id):
    return datetime.fromisoformat(f"{world['slots'][slot_id]['date']}T{world['slots'][slot_id]['time']}")


def is_early(world, slot_id):
    now = datetime.fromisoformat(f"{world['today']}T{world['now']}")
    return begins(world, slot_id) - now >= timedelta(hours=24)


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
