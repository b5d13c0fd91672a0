"""Did people join the list only when there was no slot, and were offers answered by the patient and looked at by the agent?"""

from datetime import date, timedelta

checker = {
    "id": "waiting-list-kept",
    "description": "Joining only without a free regular slot in fourteen days; offers are answered by the patient, and the agent looks.",
    "rules": ["R13", "R14"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    open_before = [offer for offer in before["offers"] if offer["state"] == "open"]
    if open_before:
        return offer_answered(ctx, after["offers"][: len(before["offers"])])
    joined = [entry for entry in after["waiting_list"] if entry not in before["waiting_list"]]
    made = [entry for key, entry in after["appointments"].items() if key not in before["appointments"]]
    if joined:
        near = near_slots(before, joined[0]["doctor"])
        if near:
            return no("R13: put on the list although a regular slot was free.", near)
        return {"pass": True, "reason": "No regular slot was free, so the patient waits.", "evidence": [str(joined[0])]}
    booked_near = [entry["slot"] for entry in made if entry["slot"] in near_slots(before, before["slots"][entry["slot"]]["doctor"])]
    if not booked_near:
        return no("R13: the patient neither waits nor has a regular slot within fourteen days.")
    return {"pass": True, "reason": "A regular slot was free, and was booked.", "evidence": booked_near}


def offer_answered(ctx, offers):
    calls = ctx["trace"]["calls"]
    facts = [f"{offer['slot']}: {offer['state']}" for offer in offers]
    if any(offer["state"] == "open" for offer in offers):
        return no("R14: the offer is still open, nobody has answered it.", facts)
    answered = max((index for index, call in enumerate(calls) if call["tool"] == "app_answer_offer"), default=len(calls))
    if not any(call["tool"] in ("list_appointments", "read_waiting_list") for call in calls[answered:]):
        return no("R14: the agent did not look after the patient had answered.", facts)
    return {"pass": True, "reason": "The patient answered, and the agent looked.", "evidence": facts}


def near_slots(world, doctor):
    last = (date.fromisoformat(world["today"]) + timedelta(days=14)).isoformat()
    near = [(key, slot) for key, slot in world["slots"].items() if slot["doctor"] == doctor and slot["date"] <= last]
    return [key for key, slot in near if (slot["kind"], slot["state"]) == ("regular", "free")]


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
