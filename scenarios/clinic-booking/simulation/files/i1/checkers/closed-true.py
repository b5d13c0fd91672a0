"""Was the contact closed truthfully? That it was closed once, and last, the table reads."""

checker = {
    "id": "closed-true",
    "description": "The closing entry says the outcome that was really reached.",
    "rules": ["R15"],
}


def check(ctx):
    before, after = ctx["before"], ctx["after"]
    closings = after["closings"][len(before["closings"]) :]
    if len(closings) != 1:
        return no(f"There are {len(closings)} closing entries, so none is the true one.")
    outcome, due = closings[0]["outcome"], outcomes(before, after)
    facts = [f"closed as {outcome}; true would be {' or '.join(due)}"]
    if outcome not in due:
        return no(f"The contact was closed as {outcome}.", facts)
    return {"pass": True, "reason": f"The closing entry is true: {outcome}.", "evidence": facts}


def outcomes(before, after):
    old, new = before["appointments"], after["appointments"]
    if len(after["handovers"]) > len(before["handovers"]):
        return ["handed_over"]
    if any(entry["state"] != new[key]["state"] for key, entry in old.items()):
        return ["cancelled"]
    if any(entry["slot"] != new[key]["slot"] for key, entry in old.items()):
        return ["moved"]
    if len(new) > len(old):
        return ["booked"]
    if len(after["waiting_list"]) > len(before["waiting_list"]):
        return ["waiting_list"]
    return ["not_identified"] if after["session"]["patient"] is None else ["refused", "informed"]


def no(reason, evidence=()):
    return {"pass": False, "reason": reason, "evidence": list(evidence)}
