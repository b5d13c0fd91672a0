"""Was the right kind of slot booked?"""

checker = {
    "id": "slot-kind",
    "description": "Urgent slots are booked for urgent complaints only; anything routine is in a regular slot.",
    "rules": ["R10"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    made = [entry for key, entry in after["appointments"].items() if key not in before["appointments"]]
    facts = [f"{entry['slot']}: {after['slots'][entry['slot']]['kind']} slot, {entry['urgency']} appointment" for entry in made]
    if not made:
        return no("Nothing was booked.")
    if any(entry["urgency"] == "routine" and after["slots"][entry["slot"]]["kind"] == "urgent" for entry in made):
        return no("R10: an urgent slot was given away for something routine.", facts)
    return {"pass": True, "reason": "The kind of slot is right.", "evidence": facts}


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
