"""Was every freed slot offered to the person who has waited longest, and to nobody else?"""

checker = {
    "id": "freed-slots",
    "description": "While anybody waits for its doctor, a freed slot is offered to whoever has waited longest, and to nobody else.",
    "rules": ["R9"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    if (before["slots"], before["offers"]) == (after["slots"], after["offers"]):
        return no("No slot changed hands.")
    facts = []
    for slot_id, slot in after["slots"].items():
        waiting = sorted((entry["since"], entry["patient"]) for entry in after["waiting_list"] if entry["doctor"] == slot["doctor"])
        offers = [offer for offer in after["offers"] if offer["slot"] == slot_id]
        unchanged = slot == before["slots"][slot_id] and all(offer in before["offers"] for offer in offers)
        if not slot["freed"] or not waiting or unchanged:
            continue
        longest = waiting[0][1]
        facts.append(f"{slot_id} is {slot['state']}; {longest} has waited longest for {slot['doctor']}; offers: {offers}")
        if slot["state"] == "free":
            return no(f"R9: {slot_id} was freed and offered to nobody.", facts)
        if slot["state"] == "booked" and not any(offer["state"] == "accepted" for offer in offers):
            return no(f"R9: {slot_id} was booked for somebody else than {longest}.", facts)
        if slot["state"] == "offered" and offers[-1]["patient"] != longest:
            return no(f"R9: {slot_id} was offered to {offers[-1]['patient']}, not to {longest}.", facts)
    return {"pass": True, "reason": "Freed slots went to the waiting list, or nobody waits.", "evidence": facts}


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
