"""Was the offer answered by the patient, and looked at before anything was confirmed?"""

checker = {
    "id": "offer-read",
    "description": "The patient answers the offer, and the agent looks afterwards.",
    "rules": ["R14"],
}


def check(ctx):
    before, after = ctx["before"]["offers"], ctx["after"]["offers"]
    calls = ctx["trace"]["calls"]
    facts = [f"{offer['slot']}: {offer['state']}" for offer in after[: len(before)]]
    if any(offer["state"] == "open" for offer in after[: len(before)]):
        return no("R14: the offer is still open, nobody has answered it.", facts)
    answered = max((index for index, call in enumerate(calls) if call["tool"] == "app_answer_offer"), default=len(calls))
    if not any(call["tool"] in ("list_appointments", "read_waiting_list") for call in calls[answered:]):
        return no("R14: the agent did not look after the patient had answered.", facts)
    return {"pass": True, "reason": "The patient answered, and the agent looked.", "evidence": facts}


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
